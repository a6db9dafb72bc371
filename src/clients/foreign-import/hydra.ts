import { durationMs } from '../../spec/duration.ts';
import type { JsonValue } from '../../spec/json.ts';
import {
  type ForeignClient,
  type ForeignRegistry,
  isEmpty,
  isObject,
  textOf,
  textsOf,
} from './foreign-client.ts';

type Client = { readonly [name: string]: JsonValue };

/** Members that mean the same here. */
const SAME: ReadonlySet<string> = new Set([
  'client_name',
  'redirect_uris',
  'grant_types',
  'response_types',
  'policy_uri',
  'tos_uri',
  'client_uri',
  'logo_uri',
  'contacts',
  'sector_identifier_uri',
  'subject_type',
  'jwks',
  'jwks_uri',
  'token_endpoint_auth_method',
  'token_endpoint_auth_signing_alg',
  'request_uris',
  'request_object_signing_alg',
  'post_logout_redirect_uris',
  'backchannel_logout_uri',
  'backchannel_logout_session_required',
  'frontchannel_logout_uri',
  'frontchannel_logout_session_required',
]);

/** Members that the conversion reads, or that state nothing about how a client is served. */
const READ: ReadonlySet<string> = new Set([
  'client_id',
  'id',
  'client_secret',
  'client_secret_expires_at',
  'scope',
  'scopes',
  'audience',
  'metadata',
  'created_at',
  'updated_at',
  'registration_access_token',
  'registration_client_uri',
  'access_token_strategy',
  'userinfo_signed_response_alg',
  'public',
]);

/** A digest of Hydra: bcrypt or PBKDF2. */
const DIGEST = /^\$(?:2[aby]?|pbkdf2)[^$]*\$/u;

const LIFESPAN = /_access_token_lifespan$/u;

/**
 * Reads clients of Hydra: the answer of `GET /clients` or `GET /admin/clients`, the output of `hydra list clients --format json`
 * (`items`) and of version 1, or one client.
 */
export function hydraRegistry(content: JsonValue): ForeignRegistry | undefined {
  const wrapped = isObject(content) ? (content['items'] ?? content['clients']) : undefined;
  const listed = Array.isArray(content) ? content : Array.isArray(wrapped) ? wrapped : [content];
  const clients = (listed as readonly JsonValue[]).filter(isObject);
  if (clients.length === 0 || clients.some((client) => idOf(client) === undefined)) return undefined;
  return { clients: clients.map(converted), lost: [] };
}

const idOf = (client: Client): string | undefined => textOf(client['client_id']) ?? textOf(client['id']);

function converted(client: Client): ForeignClient {
  const changed: string[] = [];
  const lost: string[] = [];
  const same = Object.entries(client).filter(([name, value]) => SAME.has(name) && !isEmpty(value));
  const audience = textsOf(client['audience']);
  const data = client['metadata'];
  const metadata = {
    ...Object.fromEntries(same),
    ...(client['public'] === true ? { token_endpoint_auth_method: 'none' } : {}),
    scope: scopeOf(client, changed),
    ...(audience.length === 0 ? {} : { chancery_access_token_audience: audience }),
    ...(isObject(data) && !isEmpty(data) ? { data } : {}),
    ...tokenForm(client, lost),
    ...userInfo(client),
  };
  for (const [name, value] of Object.entries(client)) {
    if (SAME.has(name) || READ.has(name) || LIFESPAN.test(name) || isEmpty(value)) continue;
    lost.push(`${name} ${JSON.stringify(value).slice(0, 100)}`);
  }
  const issued = textOf(client['created_at']);
  const issued_at = issued === undefined ? Number.NaN : Math.floor(Date.parse(issued) / 1000);
  return {
    client_id: idOf(client) ?? '',
    metadata,
    ...secretOf(client, changed),
    ...(issued_at > 0 ? { issued_at } : {}),
    changed,
    lost,
  };
}

function secretOf(client: Client, changed: string[]): { readonly client_secret?: string } {
  const secret = textOf(client['client_secret']);
  if (secret !== undefined && !DIGEST.test(secret)) return { client_secret: secret };
  const method = textOf(client['token_endpoint_auth_method']);
  if (method === 'none' || method === 'private_key_jwt' || client['public'] === true) return {};
  changed.push(
    secret === undefined
      ? 'Hydra shows no secret after the registration: the client gets a new one'
      : 'the secret is a digest, which cannot be carried over: the client gets a new one',
  );
  return {};
}

function scopeOf(client: Client, changed: string[]): string | undefined {
  const values =
    textsOf(client['scopes']).length > 0
      ? textsOf(client['scopes'])
      : (textOf(client['scope']) ?? '').split(/\s+/u);
  const named = values
    .filter((value) => value !== '')
    .map((value) => (value === 'offline' ? 'offline_access' : value));
  if (values.includes('offline')) changed.push('scope offline: is offline_access here');
  const patterns = named.filter((value) => value.includes('*'));
  if (patterns.length > 0)
    changed.push(
      `scope ${patterns.join(' ')}: is compared exactly here; list each value that the client asks for`,
    );
  return [...new Set(named)].join(' ') || undefined;
}

/** Returns form and lifetime of access tokens, if the client has one lifetime for all grants. */
function tokenForm(client: Client, lost: string[]): { readonly [member: string]: JsonValue } {
  const strategy = client['access_token_strategy'];
  const form = strategy === 'jwt' ? 'self-contained' : strategy === 'opaque' ? 'identifier' : undefined;
  const spans = Object.entries(client).filter(([name, value]) => LIFESPAN.test(name) && !isEmpty(value));
  const seconds = [...new Set(spans.map(([, value]) => secondsOf(value)))];
  const [only] = seconds;
  if (seconds.length > 1 || (seconds.length === 1 && only === undefined))
    lost.push(
      `the lifetimes of access tokens differ by grant: ${spans.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(', ')}`,
    );
  const lifetime = seconds.length === 1 ? only : undefined;
  return {
    ...(form === undefined ? {} : { chancery_access_token_format: form }),
    ...(lifetime === undefined ? {} : { chancery_access_token_lifetime: lifetime }),
  };
}

/** A duration of Go, as text (`1h0m0s`) or in nanoseconds. */
function secondsOf(value: JsonValue): number | undefined {
  const ms =
    typeof value === 'number' ? value / 1_000_000 : durationMs(typeof value === 'string' ? value : '');
  return ms === undefined || ms < 1000 ? undefined : Math.floor(ms / 1000);
}

/** `none` is a plain JSON answer, which is the default here. */
function userInfo(client: Client): { readonly [member: string]: JsonValue } {
  const userinfo_signed_response_alg = textOf(client['userinfo_signed_response_alg']);
  if (userinfo_signed_response_alg === undefined || userinfo_signed_response_alg === 'none') return {};
  return { userinfo_signed_response_alg };
}
