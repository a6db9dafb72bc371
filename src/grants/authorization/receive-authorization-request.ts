import { mayHaveRolledKeys } from '../../clients/federated-client.ts';
import { clientKeysOf } from '../../clients/metadata-document/document-state.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import { type ErrorCode, OAuthError, type RefusalNotes } from '../../spec/errors.ts';
import { responseTypesOf } from '../../spec/grant-types.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { type Parameters, UnreadableParameters } from '../../spec/parameters.ts';
import { type IdTokenHintNeeds, readIdTokenHint } from '../../tokens/id-token-hint.ts';
import { AuthorizationError, type AuthorizationRequest } from './authorization-request.ts';
import {
  type PushedRequest,
  type PushedRequestNeeds,
  pushRequest,
  REQUEST_URI_PREFIX,
  takePushedRequest,
} from './pushed-request.ts';
import { type RequestRules, readAuthorizationRequest } from './read-authorization-request.ts';
import type { ReferencedObjects } from './referenced-object.ts';
import { type OpenedRequestObject, openRequestObject, type RequestObjectNeeds } from './request-object.ts';
import { requireProtection } from './required-protection.ts';
import { hasRedirectUri, responseTarget } from './response-target.ts';

/** Receives authorisation requests; one for an issuer. */
export class AuthorizationRequests {
  readonly #needs: ReceivingNeeds;

  constructor(needs: ReceivingNeeds) {
    this.#needs = needs;
  }

  /** Reads a request that a browser brings. @throws as `receiveAuthorizationRequest` */
  async receive(sent: Parameters | UnreadableParameters, remoteAddress: string): Promise<ReceivedRequest> {
    if (sent instanceof UnreadableParameters)
      throw await unreadableRefusal({ ...this.#needs, remoteAddress }, sent);
    return await receiveAuthorizationRequest({ ...this.#needs, remoteAddress }, sent);
  }

  /** Reads a request that its client pushes, and has authenticated for. @throws as `receiveAuthorizationRequest` */
  async receivePushed(client: StoredClient, sent: Parameters, remoteAddress: string): Promise<PushedRequest> {
    return await receivePushedRequest({ ...this.#needs, remoteAddress }, client, sent);
  }

  /** Keeps a request until its browser brings the `request_uri` (RFC 9126 §2.2). */
  async push(client_id: ClientId, request: PushedRequest): ReturnType<typeof pushRequest> {
    return await pushRequest(this.#needs.pushed, client_id, request);
  }
}

export interface ReceivingNeeds {
  readonly rules: RequestRules;
  readonly requestObjects: RequestObjectNeeds;
  /** Undefined where the server fetches no request objects. */
  readonly referenced: ReferencedObjects | undefined;
  readonly pushed: PushedRequestNeeds;
  /** Returns the client with this identifier; may register a client that a federation vouches for. */
  findClient(
    client_id: ClientId,
    parameters: Parameters,
    remoteAddress: string,
  ): Promise<StoredClient | undefined>;
  /** Returns a newer version of a client whose metadata is a document, or an entity's; undefined if there is none. */
  newerClient(client: StoredClient, remoteAddress: string): Promise<StoredClient | undefined>;
  /** Verifies `id_token_hint`. */
  readonly hints: IdTokenHintNeeds;
}

/** The needs of one request. */
export interface Receiving extends ReceivingNeeds {
  /** The IP address that the request comes from. */
  readonly remoteAddress: string;
}

export interface ReceivedRequest {
  readonly client: StoredClient;
  readonly request: AuthorizationRequest;
  /** The parameters of the request, in the form of a pushed request. */
  readonly source: PushedRequest;
}

/** The parameters that count, and how they arrived. */
interface Effective extends PushedRequest {
  /** The client as it is now. */
  readonly client: StoredClient;
  readonly pushed: boolean;
}

/**
 * Receives an authorisation request: finds the client → finds the parameters (pushed, in a request object, or plain) → proves
 * the redirection URI → checks whether the client may make this request.
 * @throws OAuthError for the person before the redirection URI is proven, and AuthorizationError for the client after that
 */
export async function receiveAuthorizationRequest(
  needs: Receiving,
  sent: Parameters,
): Promise<ReceivedRequest> {
  const client = await clientOf(needs, sent);
  const effective = await effectiveParameters(needs, client, sent);
  return await receiveEffective(needs, effective);
}

/**
 * Parameters that say which client asks, and where its answer goes. If one of them cannot be read, neither is known: with
 * `request` and `request_uri`, only the parameters that they stand for count (RFC 9101 §6.3). An unreadable `response_mode` is
 * not among them: as for an unknown one, the mode of the response type takes its place.
 */
const ADDRESSING = ['client_id', 'redirect_uri', 'request', 'request_uri'] as const;

/**
 * Reads the parameters of a request that a browser brings.
 * @returns `UnreadableParameters` if an error may still go to the client: give it to `receive`
 * @throws OAuthError for the person otherwise
 */
export function addressedParameters(read: () => Parameters): Parameters | UnreadableParameters {
  try {
    return read();
  } catch (failure) {
    if (!(failure instanceof UnreadableParameters)) throw failure;
    if (ADDRESSING.some((name) => failure.names.has(name))) throw failure;
    return failure;
  }
}

/** Returns the error for a request with parameters that cannot be read (decision 53, RFC 6749 §4.1.2.1). */
async function unreadableRefusal(
  needs: Receiving,
  { readable, error_description }: UnreadableParameters,
): Promise<Error> {
  // Without its request object the request registers no client: it is refused in any case.
  const client = await clientOf(needs, { ...readable, request: undefined });
  return refusalFor(client, readable, 'invalid_request', error_description, {
    reason: 'unreadable-parameter',
  });
}

/** Receives a request that an authenticated client pushes (RFC 9126 §2.1). */
export async function receivePushedRequest(
  needs: Receiving,
  pushing: StoredClient,
  sent: Parameters,
): Promise<PushedRequest> {
  const client = await withRedirectUri(needs, pushing, sent);
  if (sent['request_uri'] !== undefined)
    throw new OAuthError('invalid_request', {
      error_description: 'request_uri is not allowed in a pushed request',
    });
  const effective =
    sent['request'] === undefined
      ? { client, parameters: sent, signed: false, pushed: true }
      : { ...(await fromRequestObject(needs, client, sent, sent['request'])), pushed: true };
  return (await receiveEffective(needs, effective)).source;
}

async function clientOf(needs: Receiving, sent: Parameters): Promise<StoredClient> {
  const { client_id } = sent;
  if (client_id === undefined)
    throw new OAuthError('invalid_request', {
      error_description: 'client_id is missing',
      reason: 'no-client-id',
    });
  const client = await needs.findClient(client_id as ClientId, sent, needs.remoteAddress);
  if (client === undefined)
    // The page says how a client that was deleted as idle can come back.
    throw new OAuthError('invalid_client', {
      error_description: 'client_id is not registered',
      reason: 'unregistered-client',
    });
  return await withRedirectUri(needs, client, sent);
}

/** Returns the client. Asks for a newer version if the redirection URI of the request is not among those of its document. */
async function withRedirectUri(
  needs: Receiving,
  client: StoredClient,
  { redirect_uri }: Parameters,
): Promise<StoredClient> {
  if (client.document === null || redirect_uri === undefined || hasRedirectUri(client, redirect_uri))
    return client;
  return (await needs.newerClient(client, needs.remoteAddress)) ?? client;
}

async function effectiveParameters(
  needs: Receiving,
  client: StoredClient,
  sent: Parameters,
): Promise<Effective> {
  const { request, request_uri } = sent;
  if (request !== undefined && request_uri !== undefined)
    throw refusalFor(client, sent, 'invalid_request', 'request and request_uri must not be used together');
  if (request !== undefined) return await fromRequestObject(needs, client, sent, request);
  if (request_uri === undefined) return { client, parameters: sent, signed: false, pushed: false };
  if (!request_uri.startsWith(REQUEST_URI_PREFIX)) return await byReference(needs, client, sent, request_uri);
  const pushed = await takePushedRequest(needs.pushed, client.client_id, request_uri);
  if (pushed === undefined)
    throw refusalFor(client, sent, 'invalid_request_uri', 'request_uri is unknown, used or expired', {
      reason: 'pushed-request-unknown',
    });
  if (pushed.client_keys !== clientKeysOf(client))
    throw refusalFor(client, sent, 'invalid_request_uri', CHANGED_KEYS, {
      reason: 'changed-metadata-document',
    });
  return { ...pushed, client, pushed: true };
}

/** Fetches the request object of a client (RFC 9101 §5.2). */
async function byReference(
  needs: Receiving,
  client: StoredClient,
  sent: Parameters,
  request_uri: string,
): Promise<Effective> {
  const values = { request_uri };
  if (needs.referenced === undefined)
    throw refusalFor(
      client,
      sent,
      'request_uri_not_supported',
      'request_uri must be that of a pushed request',
      { reason: 'request-uri-off', values },
    );
  const found = await needs.referenced.find(client, request_uri, needs.remoteAddress);
  if ('request' in found) return await fromRequestObject(needs, client, sent, found.request);
  if (found.problem === 'not-registered')
    throw refusalFor(
      client,
      sent,
      'invalid_request_uri',
      'request_uri is not among the registered request_uris',
      { reason: 'request-uri-not-registered', values },
    );
  const { problem: _, ...failed } = found;
  const words = { reason: 'request-uri-fetch', values, ...failed } as const;
  throw failed.retryAfter === undefined
    ? refusalFor(
        client,
        sent,
        'invalid_request_uri',
        'no request object can be fetched from request_uri',
        words,
      )
    : refusalFor(client, sent, 'temporarily_unavailable', OBJECT_UNAVAILABLE, words);
}

const OBJECT_UNAVAILABLE = 'the request object cannot be fetched now; try again later';

/** RFC 9101 §6.3: "The authorization server MUST only use the parameters in the Request Object". */
async function fromRequestObject(
  needs: Receiving,
  found: StoredClient,
  sent: Parameters,
  request: string,
): Promise<Effective> {
  const { client, opened } = await openWithKeysOfNow(needs, found, request);
  if ('problem' in opened) {
    const { problem, notes = {}, ...retry } = opened;
    const words = { reason: 'request-object', detail: problem, ...notes, ...retry } as const;
    const description = `the request object is not valid: ${problem}`;
    throw retry.retryAfter === undefined
      ? refusalFor(client, sent, 'invalid_request_object', description, words)
      : refusalFor(client, sent, 'temporarily_unavailable', KEYS_UNAVAILABLE, words);
  }
  // §5: "The client_id … in the request and in the Request Object … MUST be identical".
  const { client_id = client.client_id } = opened.parameters;
  if (client_id !== client.client_id)
    throw refusalFor(
      client,
      sent,
      'invalid_request_object',
      'client_id of the request object differs from client_id of the request',
      { reason: 'request-object', values: { client_id } },
    );
  return { client, parameters: { ...opened.parameters, client_id }, signed: true, pushed: false };
}

/** Opens a request object. If it names a key that the client does not have, its entity may have rolled its keys. */
async function openWithKeysOfNow(
  needs: Receiving,
  client: StoredClient,
  request: string,
): Promise<{ readonly client: StoredClient; readonly opened: OpenedRequestObject }> {
  const open = async (by: StoredClient): Promise<OpenedRequestObject> =>
    await openRequestObject(needs.requestObjects, by, request, needs.remoteAddress);
  const opened = await open(client);
  if (!('problem' in opened) || !mayHaveRolledKeys(client, opened.notes ?? {})) return { client, opened };
  const newer = await needs.newerClient(client, needs.remoteAddress);
  return newer === undefined ? { client, opened } : { client: newer, opened: await open(newer) };
}

const CHANGED_KEYS =
  'the metadata document of the client has changed its keys since the request was pushed; push it again';

const KEYS_UNAVAILABLE = 'the keys of the client cannot be fetched now; try again later';

/** Returns an error for the client if the plain parameters prove its redirection URI, and for the person otherwise. */
function refusalFor(
  client: StoredClient,
  sent: Parameters,
  code: ErrorCode,
  error_description: string,
  words: RefusalNotes & { readonly retryAfter?: number } = {},
): Error {
  const forPerson = new OAuthError(code, { error_description, client: client.client_id, ...words });
  try {
    return new AuthorizationError(responseTarget(client, sent), code, error_description, words);
  } catch (failure) {
    // The redirection URI is proven, although something else is wrong with the plain parameters.
    return failure instanceof AuthorizationError
      ? new AuthorizationError(failure.target, code, error_description, words)
      : forPerson;
  }
}

async function receiveEffective(
  needs: ReceivingNeeds,
  { client, parameters, signed, pushed }: Effective,
): Promise<ReceivedRequest> {
  const offered = responseTypesOf(needs.rules.settings['authorization.grant-types']);
  const target = responseTarget(client, parameters, offered);
  const { client_keys } = target;
  const source = { parameters, signed, ...(client_keys === undefined ? {} : { client_keys }) };
  requireProtection(needs.rules.settings, target, { client, signed, pushed });
  const request = readAuthorizationRequest(needs.rules, client, target, parameters);
  const hint = parameters['id_token_hint'];
  if (hint === undefined) return { client, request, source };
  const hinted_sub = await subjectOfHint(needs, hint, client);
  if (hinted_sub === undefined)
    throw new AuthorizationError(
      target,
      'invalid_request',
      'id_token_hint is not an ID token of this server',
    );
  return { client, request: { ...request, hinted_sub }, source };
}

/** Returns the subject of an ID token of ours, as `client` knows it; undefined for any other text. */
async function subjectOfHint(
  { hints }: ReceivingNeeds,
  id_token_hint: string,
  { client_id }: StoredClient,
): Promise<string | undefined> {
  const hint = await readIdTokenHint(hints, id_token_hint);
  return hint.holds && hint.audience.includes(client_id) ? hint.sub : undefined;
}
