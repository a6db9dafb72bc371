import type { CachingHeaders, OutboundProblem } from '../../ports/outbound-http.ts';
import { isAdminScope } from '../../spec/admin-scopes.ts';
import { hostOfClientId } from '../../spec/client-id-url.ts';
import { CLIENT_METADATA } from '../../spec/client-metadata.ts';
import { OAuthError, quotedValue } from '../../spec/errors.ts';
import { isGrantType } from '../../spec/grant-types.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { type JsonObject, type JsonValue, parseJsonObject } from '../../spec/json.ts';
import type { RegistrationPrivileges } from '../../spec/registration-privileges.ts';
import { memberOf, parseScope } from '../../spec/scope.ts';
import { admitMetadata, publicReason } from '../registration/admit-metadata.ts';
import type { ValidatedMetadata } from '../registration/validate-metadata.ts';
import type { RegistryNeeds } from '../registry-needs.ts';

type Unusable = Extract<FetchedDocument, { readonly outcome: 'refused' | 'unreachable' }>;

/** An answer for the document, or the reason why there is none. */
export type FetchedDocument =
  | { readonly outcome: 'unchanged'; readonly caching: CachingHeaders }
  | { readonly outcome: 'document'; readonly caching: CachingHeaders; readonly request: JsonObject }
  /** Its server says that there is no such document, or the document breaks a rule. */
  | { readonly outcome: 'refused'; readonly words: string; readonly detail?: string }
  /** Nothing is known about the document now. */
  | {
      readonly outcome: 'unreachable';
      readonly words: string;
      readonly detail: string;
      readonly retryAfter: number;
    };

export interface DocumentRequest {
  readonly client_id: ClientId;
  /** The entity tag of the last version. */
  readonly etag: string | undefined;
  /** The IP address of the request that needs the client; undefined on the command line. */
  readonly remoteAddress: string | undefined;
}

/**
 * Fetches a Client ID Metadata Document and checks what makes it one (draft-ietf-oauth-client-id-metadata-document-02 §4, §5).
 * Does not check the metadata. Never rejects for what the other server does.
 */
export async function fetchDocument(
  { outbound, settings, json }: Pick<RegistryNeeds, 'outbound' | 'settings' | 'json'>,
  { client_id, etag, remoteAddress }: DocumentRequest,
): Promise<FetchedDocument> {
  const expectation = {
    mediaTypes: ['application/json'],
    anyJson: true,
    bodyMax: settings['client-document.size-max'],
    ...(etag === undefined ? {} : { etag }),
  };
  // A host counts as one party, however many documents it has.
  const party = hostOfClientId(client_id);
  const cause = { purpose: 'client-documents', remoteAddress, party } as const;
  const fetched = await outbound.get(client_id, expectation, cause);
  if (fetched.status === 'failed') return failedFetch(fetched);
  const { caching = {} } = fetched;
  if (fetched.unchanged === true) return { outcome: 'unchanged', caching };
  try {
    const request = parseJsonObject(fetched.body, json);
    requireOwnUrl(request, client_id);
    requireNoSecrets(request);
    return { outcome: 'document', caching, request };
  } catch (failure) {
    return refusalOf(failure);
  }
}

function failedFetch({ reason, detail, retryAfter }: OutboundProblem): FetchedDocument {
  const words = `it ${publicReason(reason)}`;
  const known = { words, detail: `${reason}: ${detail}` };
  return retryAfter === undefined
    ? { outcome: 'refused', ...known }
    : { outcome: 'unreachable', ...known, retryAfter };
}

/** Turns the refusal of a registration into that of a document. @throws anything that is no refusal */
export function refusalOf(failure: unknown): Unusable {
  if (!(failure instanceof OAuthError)) throw failure;
  const { error_description, detail = error_description, retryAfter } = failure;
  return retryAfter === undefined
    ? { outcome: 'refused', words: error_description, detail }
    : { outcome: 'unreachable', words: error_description, detail, retryAfter };
}

/** §4: the document "MUST contain a client_id property whose value MUST match … using simple string comparison". */
function requireOwnUrl({ members }: JsonObject, client_id: ClientId): void {
  const { client_id: own } = members;
  if (own === client_id) return;
  const shown = typeof own === 'string' ? quotedValue(own) : 'missing';
  throw invalid(
    `client_id of the document is ${shown}; it must be the URL of the document, letter by letter`,
  );
}

const SECRET_MEMBERS = ['client_secret', 'client_secret_expires_at'];

/** §4.1: "there is no way to establish a shared secret". The table of registrations refuses private keys. */
function requireNoSecrets({ members }: JsonObject): void {
  const secret = SECRET_MEMBERS.find((name) => members[name] !== undefined && members[name] !== null);
  if (secret !== undefined) throw invalid(`${secret} must not be in a document that everyone can read`);
  const method = members['token_endpoint_auth_method'];
  if (typeof method === 'string' && method.startsWith('client_secret'))
    throw invalid(
      `token_endpoint_auth_method ${quotedValue(method)} needs a shared secret; use none or a method with keys, such as private_key_jwt`,
    );
}

/**
 * Validates the metadata of a document like those of every registration without a token. Drops what such a registration may not
 * have: an unknown client is not refused for grants or scope values that it can use elsewhere (decision 42).
 * @throws OAuthError invalid_client_metadata, invalid_redirect_uri, temporarily_unavailable
 */
export async function admitDocument(
  needs: RegistryNeeds,
  request: JsonObject,
  by: { readonly privileges: RegistrationPrivileges; readonly remoteAddress: string | undefined },
): Promise<ValidatedMetadata> {
  const members = Object.fromEntries(
    Object.entries(request.members).flatMap(([name, value]) => {
      const kept = permitted(name, value, by.privileges);
      return kept === undefined ? [] : [[name, kept] as const];
    }),
  );
  const defaults = {
    token_endpoint_auth_method: defaultMethod(members),
    application_type: defaultType(members['redirect_uris']),
  };
  const text = JSON.stringify({ ...defaults, ...members });
  const sender = { ...by, presentedToken: true };
  return await admitMetadata(needs, parseJsonObject(Buffer.from(text), needs.json), sender);
}

/** RFC 7591 §2 names `client_secret_basic` as the default, which a document cannot have. */
const defaultMethod = (members: Readonly<Record<string, JsonValue>>): string =>
  'jwks' in members || 'jwks_uri' in members ? 'private_key_jwt' : 'none';

/** Documents of programs on the end-user's machine seldom say `native`, which RFC 8252 §7 needs for their redirection URIs. */
const defaultType = (uris: JsonValue | undefined): 'native' | 'web' =>
  Array.isArray(uris) && uris.some((uri) => typeof uri === 'string' && !uri.startsWith('https:'))
    ? 'native'
    : 'web';

/** The server reads these members elsewhere, or not at all: a software statement is not verified here. */
const NOT_TAKEN_OVER = new Set(['client_id', 'software_statement']);

/** Returns the part of a member's value that is permitted; undefined for none. */
function permitted(
  name: string,
  value: JsonValue,
  { grant_types, scope }: RegistrationPrivileges,
): JsonValue | undefined {
  if (NOT_TAKEN_OVER.has(name)) return undefined;
  if (name === 'grant_types' && Array.isArray(value) && grant_types !== 'any') {
    const kept = value.filter((grant) => !isGrantType(grant) || grant_types.includes(grant));
    if (kept.length > 0) return kept;
    throw invalid(`grant_types must have one that needs no token: ${grant_types.join(', ')}`);
  }
  if (name === 'scope' && typeof value === 'string' && scope !== 'any') {
    const kept = parseScope(value)?.filter(memberOf(scope.filter((one) => !isAdminScope(one))));
    // `offline_access` says nothing about what the client may have: alone it would take away the scope of OpenID Connect.
    const isUseful = kept === undefined || kept.some((one) => one !== 'offline_access');
    return isUseful ? (kept?.join(' ') ?? value) : undefined;
  }
  return name !== 'scope' && CLIENT_METADATA[name]?.privilege !== undefined ? undefined : value;
}

function invalid(error_description: string): OAuthError {
  return new OAuthError('invalid_client_metadata', { error_description });
}
