import { GRANT_TYPES, type GrantType, responseTypeName, responseTypesOf } from './grant-types.ts';
import type { JsonValue } from './json.ts';
import { FLAG, OBJECT, type Schema, TEXTS, WEB_ADDRESS } from './json-schema.ts';
import type { PrivateSchemes } from './private-use-scheme.ts';
import { parseScope } from './scope.ts';
import { type CertificateTrust, DELIVERY_MODES } from './server-capabilities.ts';
import { isLoopbackHost, parseUri, queryParameters } from './uri.ts';

/** A broken rule, as words that follow the member and its value. */
export interface Problem {
  /** The place of the value in an array. */
  readonly index?: number;
  readonly rule: string;
  /** The values that the rule allows, where they are a list. */
  readonly allowed?: readonly string[];
}

/** The outcome of a check. */
export type Checked =
  /** The value to store, and what of an array the server does not have. */
  | { readonly value: JsonValue; readonly dropped?: readonly Problem[] }
  | { readonly problems: readonly Problem[] }
  /** A well-formed request for something that the server does not do: the member is dropped (decision 42). */
  | { readonly unsupported: Problem };

export interface MetadataLimits {
  readonly redirectUris: number;
  /** In characters. */
  readonly uriLength: number;
  /** Whether plain http is accepted in place of https, in development only. */
  readonly httpAllowed: boolean;
  /** The client certificates that the server can verify. */
  readonly certificateTrust: CertificateTrust;
  /** Whether the server reads DPoP proofs. */
  readonly dpop: boolean;
  /** The types of authorisation details that the server has (RFC 9396). */
  readonly detailTypes: readonly string[];
  /** Whether the page after a logout loads the clients' addresses. */
  readonly frontChannelLogout: boolean;
  /** How tokens get to clients without a browser (OpenID Connect CIBA Core 1.0 §5); empty if the server lets none ask. */
  readonly deliveryModes: readonly string[];
  /** The algorithms that the server has signing keys for. */
  readonly signingAlgorithms: readonly string[];
  /** The algorithms that clients may sign with. */
  readonly clientAlgorithms: readonly string[];
  /** The methods by which clients may authenticate. */
  readonly authMethods: readonly string[];
  /** Whether every access token is bound to a key of its client. */
  readonly boundTokens: boolean;
  /** Whether every client signs its authorisation requests. */
  readonly signedRequests: boolean;
  /** The response modes that the server offers. */
  readonly responseModes: readonly string[];
  /** Whether web clients may have redirection URIs with plain http and a loopback host. */
  readonly httpForWeb: boolean;
  /** The grant types that the server offers. */
  readonly grantTypes: readonly GrantType[];
  /** The private-use schemes that redirection URIs may have (decision 47). */
  readonly privateSchemes: PrivateSchemes;
  /** Present for an entity of a federation, which may state its keys in several forms (OpenID Federation 1.0 §5.2.1). */
  readonly federated?: true;
}

type Accepts = (value: JsonValue, limits: MetadataLimits) => Checked;

/** Checks a value. Its schema states the same rule for the API description, as far as JSON Schema can say it. */
export interface Check extends Accepts {
  readonly schema: Schema;
}

/** Returns a check that states its schema. */
export const stating = (schema: Schema, accepts: Accepts): Check =>
  Object.assign((...given: Parameters<Accepts>) => accepts(...given), { schema });

const NAME_LENGTH_MAX = 256;
const DESCRIPTION_LENGTH_MAX = 2000;
const SCOPE_LENGTH_MAX = 4096;
const KEYS_MAX = 20;
const MAX_AGE_MAX = 315_360_000;
const LIST_MAX = 20;
const LIST_TEXT_LENGTH_MAX = 256;

/** C0 and C1 controls, and characters that change the direction of text. They could make a displayed name misleading. */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex -- it matches control characters on purpose
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/;

export const refused = (rule: string): Checked => ({ problems: [{ rule }] });

/** Accepts an array of distinct, visible, non-empty strings. */
export function strings(limit: { count: number; length: number }): Check {
  return stating(listSchema(limit), (value) => checkStrings(value, limit));
}

const listSchema = (limit?: { readonly count: number; readonly length: number }): Schema => ({
  type: 'array',
  items: { type: 'string', minLength: 1, ...(limit === undefined ? {} : { maxLength: limit.length }) },
  uniqueItems: true,
  ...(limit === undefined ? {} : { maxItems: limit.count }),
});

function checkStrings(value: JsonValue, limit: { count: number; length: number }): Checked {
  if (!Array.isArray(value)) return refused('must be an array of strings');
  if (value.length > limit.count) return refused(`has more than ${limit.count} values`);
  const problems: Problem[] = [];
  for (const [index, element] of value.entries()) {
    const rule = elementRule(element, limit.length) ?? repetitionRule(value, element, index);
    if (rule !== undefined) problems.push({ index, rule });
  }
  return problems.length === 0 ? { value } : { problems };
}

function elementRule(element: unknown, length: number): string | undefined {
  if (typeof element !== 'string') return 'must be a string';
  if (element.length === 0) return 'must not be empty';
  if (element.length > length) return `must have at most ${length} characters`;
  return HIDDEN.test(element) ? 'must not have control or direction-changing characters' : undefined;
}

function repetitionRule(values: readonly unknown[], element: unknown, index: number): string | undefined {
  const first = values.indexOf(element);
  return first === index ? undefined : `is the same value as at index ${first}`;
}

export const uriList = stating(listSchema(), (value, limits) =>
  checkStrings(value, { count: limits.redirectUris, length: limits.uriLength }),
);

/** Returns the check of an array of strings that also follow a rule. */
function listOf(fits: (element: string, limits: MetadataLimits) => boolean, rule: string): Check {
  return stating({ ...listSchema(), maxItems: LIST_MAX }, (value, limits) => {
    const checked = checkStrings(value, { count: LIST_MAX, length: limits.uriLength });
    if ('problems' in checked || !Array.isArray(value)) return checked;
    const problems = value.flatMap((element, index) =>
      typeof element === 'string' && fits(element, limits) ? [] : [{ index, rule }],
    );
    return problems.length === 0 ? { value } : { problems };
  });
}

/** RFC 8707 §2: "an absolute URI … MUST NOT include a fragment component". */
export const resourceIdentifiers: Check = listOf(
  (uri) => parseUri(uri)?.hasFragment === false,
  'must be an absolute URI without fragment',
);

/** OpenID Connect Dynamic Client Registration 1.0 §2: the fragment of a request URI may hold the hash of its content. */
export const requestUris: Check = listOf((uri, { httpAllowed }) => {
  const parsed = parseUri(uri);
  if (parsed?.http === undefined || parsed.http.port === 0) return false;
  return parsed.scheme === 'https' || httpAllowed;
}, 'must be an https URL');

/** Takes the supported values of an array, as long as one remains (decision 42). */
function supportedOf(
  value: JsonValue,
  nameOf: (text: string) => string | undefined,
  allowed: readonly string[],
): Checked {
  const checked = checkStrings(value, { count: LIST_MAX, length: LIST_TEXT_LENGTH_MAX });
  if ('problems' in checked || !Array.isArray(value)) return checked;
  const supported: string[] = [];
  const seen = new Map<string, number>();
  const problems: Problem[] = [];
  const dropped: Problem[] = [];
  for (const [index, text] of (value as readonly string[]).entries()) {
    const known = nameOf(text);
    if (known === undefined) {
      dropped.push({ index, rule: `is not supported; supported: ${allowed.join(', ')}`, allowed });
      continue;
    }
    const first = seen.get(known);
    if (first !== undefined) problems.push({ index, rule: `is the same value as at index ${first}` });
    seen.set(known, index);
    supported.push(text);
  }
  if (problems.length > 0) return { problems };
  if (dropped.length === 0) return checked;
  return supported.length === 0 ? { problems: dropped } : { value: supported, dropped };
}

export const grantTypes = stating(
  { ...listSchema(), items: { enum: Object.keys(GRANT_TYPES) } },
  (value, { grantTypes: offered }) =>
    Array.isArray(value) && value.length === 0
      ? refused('must have at least one value')
      : supportedOf(value, (text) => offered.find((grant) => grant === text), offered),
);

export const responseTypes = stating(TEXTS, (value, { grantTypes: offered }) => {
  const types = responseTypesOf(offered);
  const nameOf = (text: string): string | undefined => types.find((type) => type === responseTypeName(text));
  return supportedOf(value, nameOf, types);
});

export const responseModes = stating(listSchema(), (value, { responseModes: offered }) =>
  supportedOf(value, (text) => offered.find((mode) => mode === text), offered),
);

export const name = stating({ type: 'string', minLength: 1, maxLength: NAME_LENGTH_MAX }, (value) => {
  if (typeof value !== 'string' || value.trim() === '') return refused('must be a string that is not blank');
  if (value.length > NAME_LENGTH_MAX) return refused(`is longer than ${NAME_LENGTH_MAX} characters`);
  return HIDDEN.test(value) ? refused('holds control or direction-changing characters') : { value };
});

/** Accepts the words of a person about an application. */
export const description = stating(
  { type: 'string', minLength: 1, maxLength: DESCRIPTION_LENGTH_MAX },
  (value) => {
    if (typeof value !== 'string' || value.trim() === '')
      return refused('must be a string that is not blank');
    return value.length > DESCRIPTION_LENGTH_MAX
      ? refused(`is longer than ${DESCRIPTION_LENGTH_MAX} characters`)
      : { value };
  },
);

/** Accepts a URI that pages show as a link. The server never fetches it. */
export const webPage = stating(WEB_ADDRESS, (value, limits) => {
  if (typeof value !== 'string' || value.length > limits.uriLength)
    return refused('must be an http or https URL');
  return parseUri(value)?.http === undefined ? refused('must be an http or https URL') : { value };
});

/** Accepts a URI that this server, or the end-user's browser, sends data to. */
export const httpsUrl = stating(WEB_ADDRESS, (value, limits) => {
  if (typeof value !== 'string' || value.length > limits.uriLength) return refused('must be an https URL');
  const uri = parseUri(value);
  if (uri?.http === undefined || uri.http.port === 0) return refused('must be an https URL');
  if (uri.scheme !== 'https' && !limits.httpAllowed) return refused('must be an https URL');
  if (uri.hasFragment) return refused('has a fragment');
  return { value };
});

/**
 * Accepts a URL that a page of this server loads in a frame. The server never fetches it. http is accepted for loopback
 * hosts, as in redirection URIs, because the URL has the origin of one (src/clients/registration/metadata-rules.ts).
 */
export const framedUrl = stating(WEB_ADDRESS, (value, limits) => {
  const rule = 'must be an https URL; http is allowed for loopback hosts only';
  if (typeof value !== 'string' || value.length > limits.uriLength) return refused(rule);
  const uri = parseUri(value);
  if (uri?.http === undefined || uri.http.port === 0) return refused(rule);
  if (uri.scheme !== 'https' && !isLoopbackHost(uri.http.host)) return refused(rule);
  if (uri.hasFragment) return refused('must not have a fragment');
  const own = queryParameters(value).find((name) => name === 'iss' || name === 'sid');
  return own === undefined
    ? { value }
    : refused(`must not have the query parameter ${own}, which this server adds`);
});

export const scope = stating({ type: 'string', maxLength: SCOPE_LENGTH_MAX }, (value) => {
  if (typeof value !== 'string' || value.length > SCOPE_LENGTH_MAX) {
    return refused(`must be a string of at most ${SCOPE_LENGTH_MAX} characters`);
  }
  const values = parseScope(value);
  return values === undefined
    ? refused('must be scope values separated by spaces')
    : { value: values.join(' ') };
});

export const jsonObject = stating(OBJECT, (value) =>
  typeof value === 'object' && !Array.isArray(value) ? { value } : refused('must be a JSON object'),
);

/** Accepts the form of a JWK set (RFC 7517 §5). src/keys checks the keys themselves. */
export const jwkSet = stating({ $ref: '#/components/schemas/ClientJwkSet' }, (value) => {
  if (typeof value !== 'object' || value === null || !('keys' in value) || !Array.isArray(value['keys'])) {
    return refused('must be a JWK set');
  }
  if (value['keys'].length === 0) return refused('has no keys');
  return value['keys'].length > KEYS_MAX ? refused(`has more than ${KEYS_MAX} keys`) : { value };
});

export const boolean = stating(FLAG, (value) =>
  typeof value === 'boolean' ? { value } : refused('must be true or false'),
);

export const maxAge = stating({ type: 'integer', minimum: 0, maximum: MAX_AGE_MAX }, (value) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_AGE_MAX
    ? { value }
    : refused(`must be a whole number of seconds from 0 to ${MAX_AGE_MAX}`),
);

export const lifetime = stating({ type: 'integer', minimum: 1, maximum: MAX_AGE_MAX }, (value) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_AGE_MAX
    ? { value }
    : refused(`must be a whole number of seconds from 1 to ${MAX_AGE_MAX}`),
);

export function oneOf(allowed: readonly string[]): Check {
  return stating({ enum: allowed }, (value) =>
    typeof value === 'string' && allowed.includes(value)
      ? { value }
      : { problems: [{ rule: `must be one of ${allowed.join(', ')}`, allowed }] },
  );
}

/** Drops a member of a feature that this server does not have. @param form the check of its value */
function notSupported(form: Check): Check {
  return stating(form.schema, (value, limits) => {
    const checked = form(value, limits);
    if ('problems' in checked || value === false) return checked;
    return { unsupported: { rule: 'asks for something that this server does not do' } };
  });
}

/** Accepts a short text for comparison or display, such as a version or a name in a certificate. */
export const text = stating({ type: 'string', minLength: 1, maxLength: LIST_TEXT_LENGTH_MAX }, (value) => {
  if (typeof value !== 'string' || value === '' || value.length > LIST_TEXT_LENGTH_MAX) {
    return refused(`must be a string of 1 to ${LIST_TEXT_LENGTH_MAX} characters`);
  }
  return HIDDEN.test(value) ? refused('holds a control character') : { value };
});

/** Accepts a member where the server has its feature, and drops it elsewhere (decision 42). */
function where(isOffered: (limits: MetadataLimits) => boolean, form: Check): Check {
  const off = notSupported(form);
  return stating(form.schema, (value, limits) => (isOffered(limits) ? form : off)(value, limits));
}

export const boundToCertificates = where(({ certificateTrust }) => certificateTrust !== 'none', boolean);
export const boundToKeys = where(({ dpop }) => dpop, boolean);
export const backchannel = (form: Check): Check => where((limits) => limits.deliveryModes.length > 0, form);
const anyDeliveryMode = oneOf(DELIVERY_MODES);
export const deliveryMode = stating(anyDeliveryMode.schema, (value, limits) =>
  limits.deliveryModes.length === 0
    ? backchannel(anyDeliveryMode)(value, limits)
    : oneOf(limits.deliveryModes)(value, limits),
);

/** Accepts false. No person has a code for clients here, so true is dropped (OpenID Connect CIBA Core 1.0 §4). */
export const withoutUserCodes = notSupported(boolean);
export const frontChannel = (form: Check): Check => where((limits) => limits.frontChannelLogout, form);

const typeNames = strings({ count: LIST_MAX, length: LIST_TEXT_LENGTH_MAX });
const withoutTypes = notSupported(typeNames);

/** Accepts the types of authorisation details that the server has; without any, it drops the member. */
export const detailTypes = stating(typeNames.schema, (value, limits) => {
  const { detailTypes: offered } = limits;
  if (offered.length === 0) return withoutTypes(value, limits);
  return supportedOf(value, (text) => offered.find((type) => type === text), offered);
});

/** Drops a member that has a meaning for entities of a federation only. */
export function federated(form: Check): Check {
  const off = { unsupported: { rule: 'has a meaning in a federation only' } };
  return stating(form.schema, (value, limits) => (limits.federated === true ? form(value, limits) : off));
}

/** Drops a value of the wrong form: it only informs, so it is no reason to refuse a client (decision 42). */
export function informational(form: Check): Check {
  return stating(form.schema, (value, limits) => {
    const checked = form(value, limits);
    const [problem] = 'problems' in checked ? checked.problems : [];
    return problem === undefined ? checked : { unsupported: problem };
  });
}

/** Accepts a number too, because some clients send their version as one. */
export const version = stating({ anyOf: [{ type: 'string' }, { type: 'number' }] }, (value, limits) =>
  text(typeof value === 'number' ? String(value) : value, limits),
);

/** Refuses `.` and `..`: URL parsers remove such path segments, escaped or not (RFC 3986 §5.2.4). */
const PREFERRED_ID = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,100}$/;

export const preferredId = stating({ type: 'string', minLength: 1, maxLength: 100 }, (value) => {
  if (typeof value !== 'string' || value.length > 100)
    return refused('must be a string of at most 100 characters');
  if (PREFERRED_ID.test(value)) return { value };
  const uri = parseUri(value);
  return uri?.http !== undefined && !uri.hasFragment
    ? { value }
    : refused("must consist of letters, digits and '._~-', or be an https URL");
});

/** Requires 32 characters of RFC 6749's VSCHAR, the length that HS256 needs (RFC 7518 §3.2) and that cannot be guessed. */
const PREFERRED_SECRET = /^[\x20-\x7e]{32,256}$/;

export const preferredSecret = stating({ type: 'string', pattern: PREFERRED_SECRET.source }, (value) =>
  typeof value === 'string' && PREFERRED_SECRET.test(value)
    ? { value }
    : refused('must be 32 to 256 printable ASCII characters'),
);

const COMPACT_JWT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
const COMPACT_JWT_LENGTH_MAX = 8192;

/** Accepts the form of a signed JWT (RFC 7515 §7.1). The code that uses it verifies the signature. */
export const compactJwt = stating(
  { type: 'string', pattern: COMPACT_JWT.source, maxLength: COMPACT_JWT_LENGTH_MAX },
  (value) =>
    typeof value === 'string' && value.length <= COMPACT_JWT_LENGTH_MAX && COMPACT_JWT.test(value)
      ? { value }
      : refused('must be a signed JWT in compact form'),
);
