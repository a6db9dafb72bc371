import { isAdminScope } from '../../spec/admin-scopes.ts';
import { quotedValue } from '../../spec/errors.ts';
import type { JsonObject, JsonValue } from '../../spec/json.ts';
import { isRegistrationScope } from '../../spec/registration-privileges.ts';
import { isScopeToken, memberOf } from '../../spec/scope.ts';
import { parseUri } from '../../spec/uri.ts';
import type { AccessTokenFormat } from '../../tokens/access-token.ts';
import type { RefreshWishes } from '../refreshable.ts';
import {
  flag,
  isObject,
  malformed,
  object,
  requireKnown,
  resources,
  seconds,
  text,
  texts,
} from './members.ts';

const SCOPE_VALUES_MAX = 100;
const AUDIENCES_MAX = 20;
const CLAIMS_MAX = 100;

const MEMBERS = new Set([
  'sub',
  'username',
  'client_id',
  'scope',
  'claims',
  'claims_data',
  'audience',
  'resources',
  'data',
  'label',
  'redirect_hosts',
  'lifetime',
  'long_lived',
  'access_token',
  'refresh_token',
  'id_token',
]);
const ACCESS_TOKEN_MEMBERS = new Set(['lifetime', 'encoding', 'audience']);
const REFRESH_TOKEN_MEMBERS = new Set(['issue', 'lifetime', 'max_idle', 'rotate']);
const ID_TOKEN_MEMBERS = new Set(['issue', 'lifetime']);

const FORMATS: Readonly<Record<string, AccessTokenFormat>> = {
  IDENTIFIER: 'identifier',
  SELF_CONTAINED: 'self-contained',
};

/** A request whose form is checked. Durations are in seconds. */
export interface DirectAuthorization {
  readonly sub: string | undefined;
  readonly username: string | undefined;
  readonly client_id: string | undefined;
  readonly scope: readonly string[];
  /** Names of the claims about the subject that the client may have. */
  readonly claims: readonly string[];
  /** Values of these claims, by name. */
  readonly claims_data: Readonly<Record<string, JsonValue>>;
  readonly audience: readonly string[];
  /** JSON text. */
  readonly data: string | undefined;
  readonly label: string;
  /** Hosts that the redirection URIs of a client registered with this token may have; null: any. */
  readonly redirect_hosts: readonly string[] | null;
  readonly lifetime: number | undefined;
  readonly format: AccessTokenFormat | undefined;
  readonly long_lived: boolean | undefined;
  /** Undefined if no refresh token is issued. */
  readonly refreshToken: RefreshWishes | undefined;
  readonly idToken: { readonly lifetime: number | undefined } | undefined;
  /** Whether the scope includes one for client registration; the token is then good for one registration. */
  readonly initial: boolean;
}

/**
 * Reads a request and checks its form.
 * @throws OAuthError invalid_request, invalid_target
 */
export function readRequest(request: JsonObject): DirectAuthorization {
  const { members } = request;
  requireKnown(members, MEMBERS);
  const accessToken = object(members['access_token'], 'access_token', ACCESS_TOKEN_MEMBERS) ?? {};
  const scope = scopeOf(members['scope']);
  const { data, claims_data } = members;
  if (data !== undefined && !isObject(data)) throw malformed('data must be a JSON object');
  if (claims_data !== undefined && !isObject(claims_data))
    throw malformed('claims_data must be a JSON object');
  const authorization: DirectAuthorization = {
    sub: text(members['sub'], 'sub'),
    username: text(members['username'], 'username'),
    client_id: text(members['client_id'], 'client_id'),
    scope,
    claims: texts(members['claims'], 'claims', CLAIMS_MAX),
    claims_data: claims_data ?? {},
    audience: audienceOf(members, accessToken['audience']),
    data: request.source('data'),
    label: text(members['label'], 'label') ?? '',
    redirect_hosts: redirectHosts(members['redirect_hosts']),
    lifetime: seconds(members['lifetime'] ?? accessToken['lifetime'], 'lifetime'),
    format: formatOf(accessToken['encoding']),
    long_lived: flag(members['long_lived'], 'long_lived'),
    refreshToken: refreshTokenOf(members['refresh_token']),
    idToken: idTokenOf(members['id_token']),
    initial: scope.some(isRegistrationScope),
  };
  requireConsistent(authorization);
  return authorization;
}

function requireConsistent(authorization: DirectAuthorization): void {
  const { claims, claims_data, initial, format, long_lived, refreshToken, idToken } = authorization;
  const isNamed = memberOf(claims);
  const unnamed = Object.keys(claims_data).find((name) => !isNamed(name));
  if (unnamed !== undefined)
    throw malformed(`claims_data holds ${quotedValue(unnamed)}, which claims does not name`);
  if (long_lived === false && refreshToken !== undefined)
    throw malformed('long_lived must not be false with refresh_token');
  const lasting = refreshToken !== undefined || idToken !== undefined || long_lived === true;
  if (initial && (lasting || format === 'self-contained'))
    throw malformed(
      'a token with a registration scope must be an IDENTIFIER, without refresh_token, id_token and long_lived',
    );
}

function scopeOf(value: JsonValue | undefined): readonly string[] {
  const values = texts(value, 'scope', SCOPE_VALUES_MAX);
  if (values.length === 0 || !values.every(isScopeToken)) {
    throw malformed('scope must be a list of one or more scope values');
  }
  const reserved = values.find(isAdminScope);
  if (reserved !== undefined)
    throw malformed(
      `scope value ${quotedValue(reserved)} is for a client that acts for itself, or for a person who signs in`,
    );
  return values;
}

/** Returns the audience, which three members can name. */
function audienceOf(
  { audience, resources: named }: JsonObject['members'],
  ofAccessToken: JsonValue | undefined,
): readonly string[] {
  if (named !== undefined && audience !== undefined)
    throw malformed('audience and resources must not be used together');
  return named === undefined
    ? texts(audience ?? ofAccessToken, 'audience', AUDIENCES_MAX)
    : resources(named, AUDIENCES_MAX);
}

function formatOf(encoding: JsonValue | undefined): AccessTokenFormat | undefined {
  if (encoding === undefined) return undefined;
  const format =
    typeof encoding === 'string' && Object.hasOwn(FORMATS, encoding) ? FORMATS[encoding] : undefined;
  if (format === undefined) throw malformed('access_token.encoding must be IDENTIFIER or SELF_CONTAINED');
  return format;
}

function refreshTokenOf(value: JsonValue | undefined): RefreshWishes | undefined {
  const members = object(value, 'refresh_token', REFRESH_TOKEN_MEMBERS);
  if (members === undefined) return undefined;
  const wishes = {
    lifetime: seconds(members['lifetime'], 'refresh_token.lifetime', 0),
    maxIdle: seconds(members['max_idle'], 'refresh_token.max_idle', 0),
    rotate: flag(members['rotate'], 'refresh_token.rotate'),
  };
  return isIssued(members, 'refresh_token') ? wishes : undefined;
}

function idTokenOf(value: JsonValue | undefined): DirectAuthorization['idToken'] {
  const members = object(value, 'id_token', ID_TOKEN_MEMBERS);
  if (members === undefined) return undefined;
  const lifetime = seconds(members['lifetime'], 'id_token.lifetime');
  return isIssued(members, 'id_token') ? { lifetime } : undefined;
}

function isIssued({ issue }: JsonObject['members'], name: string): boolean {
  if (typeof issue !== 'boolean') throw malformed(`${name}.issue must be true or false`);
  return issue;
}

/** Returns exact host names, as they stand in a redirection URI: in lower case, without a port. */
function redirectHosts(value: JsonValue | undefined): readonly string[] | null {
  if (value === undefined || value === null) return null;
  const hosts = texts(value, 'redirect_hosts', AUDIENCES_MAX);
  if (hosts.some((host) => parseUri(`https://${host}/`)?.http?.host !== host)) {
    throw malformed('redirect_hosts must be host names in lower case, without a port');
  }
  return hosts;
}
