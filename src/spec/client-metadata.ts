import { type GrantType, isGrantType, responseTypeName } from './grant-types.ts';
import type { JsonValue } from './json.ts';
import { parseScope } from './scope.ts';
import { parseUri } from './uri.ts';

/** Registered client metadata as this server keeps it. Language-tagged members (`client_name#de`) stand beside. */
export interface ClientMetadata {
  readonly redirect_uris?: readonly string[];
  readonly grant_types: readonly GrantType[];
  readonly response_types: readonly string[];
  readonly application_type: 'web' | 'native';
  readonly token_endpoint_auth_method: AuthMethod;
  readonly id_token_signed_response_alg?: string;
  readonly subject_type?: string;
  readonly scope?: string;
  readonly post_logout_redirect_uris?: readonly string[];
  readonly [member: string]: JsonValue | undefined;
}

export const AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'none'] as const;
export type AuthMethod = (typeof AUTH_METHODS)[number];

/** Methods by which a client proves that it knows its secret. The others have none (decision 11). */
export const SECRET_METHODS: ReadonlySet<string> = new Set(['client_secret_basic', 'client_secret_post']);

export const ID_TOKEN_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const; // prettier-ignore

export interface MetadataLimits {
  readonly redirectUris: number;
  readonly uriLength: number;
}

type Checked = { readonly value: JsonValue } | { readonly problem: string };

/** Which scope of an initial access token a member needs (interface, Initial access token scopes). */
export type MemberPrivilege = 'scope' | 'data' | 'set-id' | 'set-secret';

export interface MetadataMember {
  readonly section: string;
  readonly error: 'invalid_client_metadata' | 'invalid_redirect_uri';
  /** Human-readable: may come in several languages as `name#tag` (OpenID Connect Registration §2.1). */
  readonly localised?: true;
  readonly privilege?: MemberPrivilege;
  check(value: JsonValue, limits: MetadataLimits): Checked;
}

const NAME_LENGTH_MAX = 256;
const CONTACTS_MAX = 50;
const CONTACT_LENGTH_MAX = 254;
const SCOPE_LENGTH_MAX = 4096;

/** C0, C1 and the characters that turn the direction of text: a name that holds them lies to who reads it. */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex -- the control characters are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/;

const uris = (member: { section: string }): MetadataMember => ({
  section: member.section,
  error: 'invalid_redirect_uri',
  check: (value, limits) => stringArray(value, { count: limits.redirectUris, length: limits.uriLength }),
});

const webPage = (section: string): MetadataMember => ({
  section,
  error: 'invalid_client_metadata',
  localised: true,
  check: (value, limits) => checkWebPage(value, limits),
});

const oneOf = (section: string, allowed: readonly string[]): MetadataMember => ({
  section,
  error: 'invalid_client_metadata',
  check: (value) =>
    typeof value === 'string' && allowed.includes(value)
      ? { value }
      : { problem: `must be one of ${allowed.join(', ')}` },
});

/** Every member a registration may carry, and the form its value must have; rules between members are in clients/. */
export const CLIENT_METADATA: Readonly<Record<string, MetadataMember>> = {
  redirect_uris: uris({ section: 'RFC 7591 §2' }),
  grant_types: { section: 'RFC 7591 §2', error: 'invalid_client_metadata', check: checkGrantTypes },
  response_types: { section: 'RFC 7591 §2', error: 'invalid_client_metadata', check: checkResponseTypes },
  application_type: oneOf('OpenID Connect Registration §2', ['web', 'native']),
  token_endpoint_auth_method: oneOf('RFC 7591 §2', AUTH_METHODS),
  id_token_signed_response_alg: oneOf('OpenID Connect Registration §2', ID_TOKEN_ALGORITHMS),
  subject_type: oneOf('OpenID Connect Registration §2', ['public']),
  client_name: {
    section: 'RFC 7591 §2',
    error: 'invalid_client_metadata',
    localised: true,
    check: checkName,
  },
  contacts: {
    section: 'RFC 7591 §2',
    error: 'invalid_client_metadata',
    check: (value) => stringArray(value, { count: CONTACTS_MAX, length: CONTACT_LENGTH_MAX }),
  },
  logo_uri: webPage('RFC 7591 §2'),
  client_uri: webPage('RFC 7591 §2'),
  policy_uri: webPage('RFC 7591 §2'),
  tos_uri: webPage('RFC 7591 §2'),
  post_logout_redirect_uris: uris({ section: 'OpenID Connect RP-Initiated Logout §3.1' }),
  scope: { section: 'RFC 7591 §2', error: 'invalid_client_metadata', privilege: 'scope', check: checkScope },
  data: { section: 'interface', error: 'invalid_client_metadata', privilege: 'data', check: checkData },
  preferred_client_id: {
    section: 'interface',
    error: 'invalid_client_metadata',
    privilege: 'set-id',
    check: checkPreferredId,
  },
  preferred_client_secret: {
    section: 'interface',
    error: 'invalid_client_metadata',
    privilege: 'set-secret',
    check: checkPreferredSecret,
  },
};

function stringArray(value: JsonValue, limit: { count: number; length: number }): Checked {
  if (!Array.isArray(value)) return { problem: 'must be an array of strings' };
  if (value.length > limit.count) return { problem: `has more than ${limit.count} values` };
  for (const element of value) {
    if (typeof element !== 'string') return { problem: 'must be an array of strings' };
    if (element.length === 0 || element.length > limit.length) {
      return { problem: `holds a value that is empty or longer than ${limit.length} characters` };
    }
    if (HIDDEN.test(element)) return { problem: 'holds a control character' };
  }
  if (new Set(value).size !== value.length) return { problem: 'holds a value twice' };
  return { value };
}

function checkGrantTypes(value: JsonValue): Checked {
  const checked = stringArray(value, { count: 20, length: 100 });
  if ('problem' in checked || !Array.isArray(value)) return checked;
  if (value.length === 0) return { problem: 'is empty' };
  return value.every(isGrantType) ? checked : { problem: 'holds a grant type that is not supported' };
}

function checkResponseTypes(value: JsonValue): Checked {
  const checked = stringArray(value, { count: 20, length: 100 });
  if ('problem' in checked || !Array.isArray(value)) return checked;
  return value.every((each) => responseTypeName(each) !== undefined)
    ? checked
    : { problem: 'holds a response type that is not supported' };
}

function checkName(value: JsonValue): Checked {
  if (typeof value !== 'string' || value.trim() === '')
    return { problem: 'must be a string that is not blank' };
  if (value.length > NAME_LENGTH_MAX) return { problem: `is longer than ${NAME_LENGTH_MAX} characters` };
  return HIDDEN.test(value) ? { problem: 'holds control or direction-changing characters' } : { value };
}

function checkWebPage(value: JsonValue, limits: MetadataLimits): Checked {
  if (typeof value !== 'string' || value.length > limits.uriLength)
    return { problem: 'must be an http or https URL' };
  return parseUri(value)?.http === undefined ? { problem: 'must be an http or https URL' } : { value };
}

function checkScope(value: JsonValue): Checked {
  if (typeof value !== 'string' || value.length > SCOPE_LENGTH_MAX) {
    return { problem: `must be a string of at most ${SCOPE_LENGTH_MAX} characters` };
  }
  const values = parseScope(value);
  return values === undefined ? { problem: 'must be scope values separated by single spaces' } : { value };
}

function checkData(value: JsonValue): Checked {
  return typeof value === 'object' && !Array.isArray(value)
    ? { value }
    : { problem: 'must be a JSON object' };
}

const PREFERRED_ID = /^[A-Za-z0-9._~-]{1,100}$/;

function checkPreferredId(value: JsonValue): Checked {
  if (typeof value !== 'string' || value.length > 100)
    return { problem: 'must be a string of at most 100 characters' };
  if (PREFERRED_ID.test(value)) return { value };
  const uri = parseUri(value);
  return uri?.http !== undefined && !uri.hasFragment
    ? { value }
    : {
        problem: 'must consist of letters, digits, `.`, `_`, `~` and `-`, or be an https URL'.replaceAll(
          '`',
          "'",
        ),
      };
}

/** 32 characters of RFC 6749's VSCHAR: as many as HS256 needs (RFC 7518 §3.2), and too many to be guessed. */
const PREFERRED_SECRET = /^[\x20-\x7e]{32,256}$/;

function checkPreferredSecret(value: JsonValue): Checked {
  return typeof value === 'string' && PREFERRED_SECRET.test(value)
    ? { value }
    : { problem: 'must be 32 to 256 printable ASCII characters' };
}
