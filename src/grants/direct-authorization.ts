import type { ClientUses } from '../clients/client-uses.ts';
import type { ClientStore } from '../ports/client-store.ts';
import type { Log } from '../ports/log.ts';
import { OAuthError } from '../spec/errors.ts';
import type { ClientId, ClientInstance } from '../spec/identifiers.ts';
import type { JsonObject, JsonValue } from '../spec/json.ts';
import { isRegistrationScope } from '../spec/registration-privileges.ts';
import { isScopeToken } from '../spec/scope.ts';
import { parseUri } from '../spec/uri.ts';
import { type AccessTokenNeeds, mintAccessToken } from '../tokens/access-token.ts';
import { issueInitialAccessToken, NO_CLIENT } from '../tokens/initial-access-token.ts';
import type { TokenResponse } from './grant.ts';

export interface DirectAuthorizationNeeds {
  readonly accessTokens: AccessTokenNeeds;
  readonly log: Log;
  readonly clients: ClientStore;
  readonly uses: ClientUses;
  /** Seconds. */
  readonly lifetimes: {
    readonly accessToken: number;
    readonly accessTokenMax: number;
    readonly initialAccessToken: number;
    readonly initialAccessTokenMax: number;
  };
}

const TEXT_LENGTH_MAX = 256;
const SCOPE_VALUES_MAX = 100;
const AUDIENCES_MAX = 20;

const MEMBERS = new Set([
  'sub',
  'client_id',
  'scope',
  'audience',
  'data',
  'label',
  'redirect_hosts',
  'lifetime',
  'access_token',
]);
const ACCESS_TOKEN_MEMBERS = new Set(['lifetime', 'encoding', 'audience']);

interface DirectAuthorization {
  readonly sub: string | undefined;
  readonly client_id: string | undefined;
  readonly scope: readonly string[];
  readonly audience: readonly string[];
  readonly data: string | undefined;
  readonly label: string;
  /** Hosts to which a client made with it may send its users; null: any. */
  readonly redirect_hosts: readonly string[] | null;
  readonly lifetime: number | undefined;
  /** A scope of client registration makes it valid for one registration only. */
  readonly initial: boolean;
}

/** @throws OAuthError invalid_request */
export async function authorizeDirectly(
  needs: DirectAuthorizationNeeds,
  request: JsonObject,
  by: { readonly actor: string; readonly request_id: string },
): Promise<TokenResponse> {
  const authorization = readRequest(request);
  const client = await clientFor(needs, authorization);
  const lifetime = lifetimeFor(needs, authorization);
  const { access_token, stored } = await mintAccessToken(needs.accessTokens, {
    format: 'identifier',
    ...client,
    sub: authorization.sub ?? client.client_id,
    scope: authorization.scope,
    audience: authorization.audience,
    ...(authorization.data === undefined ? {} : { data: authorization.data }),
    confirmation: undefined,
    lifetime,
  });
  if (authorization.initial) {
    const { label, redirect_hosts } = authorization;
    await issueInitialAccessToken(
      { ...needs.accessTokens, log: needs.log },
      stored,
      { label, redirect_hosts },
      by,
    );
  } else {
    await needs.accessTokens.store.issue(stored);
  }
  return { access_token, token_type: 'Bearer', expires_in: lifetime, scope: authorization.scope.join(' ') };
}

function readRequest(request: JsonObject): DirectAuthorization {
  requireKnown(request.members, MEMBERS, '');
  const { sub, client_id, scope, label, data } = request.members;
  const accessToken = accessTokenOf(request.members['access_token']);
  const values = stringList(scope, 'scope', SCOPE_VALUES_MAX);
  if (values.length === 0 || !values.every(isScopeToken)) {
    throw malformed('scope must be a list of scope values, at least one');
  }
  const registering = values.filter(isRegistrationScope);
  if (data !== undefined && (typeof data !== 'object' || data === null || Array.isArray(data))) {
    throw malformed('data must be a JSON object');
  }
  return {
    sub: text(sub, 'sub'),
    client_id: text(client_id, 'client_id'),
    scope: values,
    audience: stringList(request.members['audience'] ?? accessToken['audience'], 'audience', AUDIENCES_MAX),
    data: request.source('data'),
    label: text(label, 'label') ?? '',
    redirect_hosts: redirectHosts(request.members['redirect_hosts']),
    lifetime: positiveInteger(request.members['lifetime'] ?? accessToken['lifetime']),
    initial: registering.length > 0,
  };
}

function accessTokenOf(value: JsonValue | undefined): Readonly<Record<string, JsonValue>> {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed('access_token must be a JSON object');
  }
  const members: Readonly<Record<string, JsonValue>> = Object.fromEntries(Object.entries(value));
  requireKnown(members, ACCESS_TOKEN_MEMBERS, 'access_token.');
  if (members['encoding'] !== undefined && members['encoding'] !== 'IDENTIFIER') {
    throw malformed('access_token.encoding must be IDENTIFIER');
  }
  return members;
}

/** What is asked for and not done would be believed to be done. */
function requireKnown(members: object, known: ReadonlySet<string>, prefix: string): void {
  const unknown = Object.keys(members).find((name) => !known.has(name));
  if (unknown === undefined) return;
  const shown = /^[\w.-]{1,40}$/.test(unknown) ? `${prefix}${unknown}` : 'a member';
  throw malformed(`${shown} is not supported`);
}

/** Some clients send a list as an array, some as words in one string. */
function stringList(value: JsonValue | undefined, name: string, countMax: number): readonly string[] {
  if (value === undefined) return [];
  const list = typeof value === 'string' ? value.split(' ') : value;
  if (!Array.isArray(list) || list.length > countMax)
    throw malformed(`${name} must be a list of at most ${countMax} strings`);
  return [...new Set(list.map((element) => text(element, name) ?? ''))];
}

/** Exact hosts, as a redirection URI has them: lower case, without port. */
function redirectHosts(value: JsonValue | undefined): readonly string[] | null {
  if (value === undefined || value === null) return null;
  const hosts = stringList(value, 'redirect_hosts', AUDIENCES_MAX);
  if (hosts.some((host) => parseUri(`https://${host}/`)?.http?.host !== host)) {
    throw malformed('redirect_hosts must be host names in lower case, without port');
  }
  return hosts;
}

function text(value: JsonValue | undefined, name: string): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '' || value.length > TEXT_LENGTH_MAX || /\p{Cc}/u.test(value)) {
    throw malformed(
      `${name} must be a string of 1 to ${TEXT_LENGTH_MAX} characters without control characters`,
    );
  }
  return value;
}

function positiveInteger(value: JsonValue | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) {
    throw malformed('lifetime must be a positive whole number of seconds');
  }
  return value;
}

/** An ordinary access token belongs to a registered client; an initial access token may belong to nobody. */
async function clientFor(
  needs: DirectAuthorizationNeeds,
  { client_id, initial }: DirectAuthorization,
): Promise<{ client_id: ClientId; client_instance: ClientInstance | null }> {
  if (client_id === undefined) {
    if (!initial) throw malformed('client_id is missing');
    return { client_id: NO_CLIENT, client_instance: null };
  }
  const client = await needs.clients.find(client_id as ClientId);
  if (client === undefined) throw malformed('client_id is not registered');
  // A live token must show as a use, or the client could be taken for an idle one.
  needs.uses.note(client, undefined);
  return { client_id: client.client_id, client_instance: client.instance };
}

function lifetimeFor(
  { lifetimes }: DirectAuthorizationNeeds,
  { lifetime, initial }: DirectAuthorization,
): number {
  const max = initial ? lifetimes.initialAccessTokenMax : lifetimes.accessTokenMax;
  const wanted = lifetime ?? (initial ? lifetimes.initialAccessToken : lifetimes.accessToken);
  if (wanted > max) throw malformed(`lifetime must be at most ${max} seconds`);
  return wanted;
}

function malformed(error_description: string): OAuthError {
  return new OAuthError('invalid_request', { error_description });
}
