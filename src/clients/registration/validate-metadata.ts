import {
  CLIENT_METADATA,
  type ClientMetadata,
  isAbsent,
  type MetadataMember,
  SECRET_METHODS,
} from '../../spec/client-metadata.ts';
import type { MetadataLimits, Problem } from '../../spec/client-metadata-checks.ts';
import { quotedValue } from '../../spec/errors.ts';
import type { GrantType } from '../../spec/grant-types.ts';
import type { JsonObject, JsonValue } from '../../spec/json.ts';
import {
  type Dropped,
  type Mistake,
  nearestTo,
  refuseMistakes,
  shownName,
  shownUri,
  shownValue,
} from '../../spec/metadata-mistake.ts';
import { isPrivateUse } from '../../spec/private-use-scheme.ts';
import { DEFAULT_CONTENT_ENCRYPTION } from '../../spec/server-capabilities.ts';
import { lengthProblem } from '../secrets/client-secrets.ts';
import { matchingTypes, type Types } from './matching-types.ts';
import { chooseValues } from './metadata-choices.ts';
import { checkRules } from './metadata-rules.ts';

/** The result of checking a registration request, with defaults filled in. */
export interface ValidatedMetadata {
  readonly metadata: ClientMetadata;
  /** JSON text of `data` as sent; null if absent. */
  readonly data: string | null;
  readonly preferred_client_id: string | undefined;
  readonly preferred_client_secret: string | undefined;
  /** Everything in the request that the server does not take. */
  readonly dropped: readonly Dropped[];
}

const LANGUAGE_TAG = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}$/;
const LANGUAGES_MAX = 20;

/** Members that steer the registration and are not stored among the metadata. */
const ACTED_UPON = ['data', 'preferred_client_id', 'preferred_client_secret'];

/** Members that the server chooses. A client that echoes them asks for nothing (decision 9). */
const SERVER_OWNED = new Set([
  'client_id',
  'client_secret',
  'client_id_issued_at',
  'client_secret_expires_at',
  'registration_access_token',
  'registration_client_uri',
]);

/** A registration request after its check: what would be stored, what is wrong, and what the server does not take. */
export interface Examined {
  readonly validated: ValidatedMetadata;
  readonly mistakes: readonly Mistake[];
}

/**
 * Checks each member, fills in the defaults of RFC 7591 §2 and OpenID Connect Dynamic Client Registration 1.0
 * §2, then checks the rules between members. Drops members and values that the server does not have (decision 42; RFC 7591
 * §2: "MUST be ignored") and treats empty members as absent. The rules are the same for every credential.
 * @param counts says whether a member counts; an import keeps the empty ones, which older versions stored
 */
export function examineMetadata(
  request: JsonObject,
  limits: MetadataLimits,
  counts: (value: JsonValue) => boolean = (value) => !isAbsent(value),
): Examined {
  const found: Found = { given: Object.create(null), mistakes: [], dropped: [], languages: 0 };
  for (const [name, value] of Object.entries(request.members)) {
    if (counts(value)) checkMember(found, name, value, limits);
  }
  const { given, mistakes, dropped } = found;
  chooseValues(given, limits, mistakes);
  const stored = storedMembers(given);
  const metadata = withDefaults(stored, typesOf(stored, mistakes, dropped), dropped, limits);
  checkRules(metadata, limits, mistakes);
  const preferred_client_secret = given['preferred_client_secret'] as string | undefined;
  const tooShort = lengthProblem(metadata, preferred_client_secret);
  if (tooShort !== undefined) mistakes.push({ member: 'preferred_client_secret', rule: tooShort });
  const data = given['data'] === undefined ? null : (request.source('data') ?? null);
  const preferred_client_id = given['preferred_client_id'] as string | undefined;
  return {
    validated: { metadata, data, preferred_client_id, preferred_client_secret, dropped },
    mistakes,
  };
}

/**
 * Returns the metadata of a request without mistakes.
 * @throws MetadataRefused with the code invalid_client_metadata or invalid_redirect_uri
 */
export function validateMetadata(request: JsonObject, limits: MetadataLimits): ValidatedMetadata {
  const { validated, mistakes } = examineMetadata(request, limits);
  refuseMistakes(mistakes, validated.dropped);
  return validated;
}

function storedMembers(given: GivenMembers): GivenMembers {
  if (!ACTED_UPON.some((name) => name in given)) return given;
  return Object.fromEntries(Object.entries(given).filter(([name]) => !ACTED_UPON.includes(name)));
}

interface Found {
  readonly given: { [name: string]: JsonValue };
  readonly mistakes: Mistake[];
  readonly dropped: Dropped[];
  languages: number;
}

function checkMember(found: Found, name: string, value: JsonValue, limits: MetadataLimits): void {
  const { given, mistakes, dropped } = found;
  const named = memberNamed(name);
  if (named === undefined) {
    if (!SERVER_OWNED.has(name)) dropped.push(unknownMember(name, dropped.length));
    return;
  }
  if ('rule' in named) {
    mistakes.push(named);
    return;
  }
  if (name.includes('#')) {
    found.languages += 1;
    const rule = languageProblem(found, name);
    if (rule !== undefined) {
      // One sentence is enough for any number of languages.
      if (found.languages <= LANGUAGES_MAX + 1) mistakes.push({ member: name, rule });
      return;
    }
  }
  const checked = named.check(value, limits);
  if ('problems' in checked) {
    for (const problem of checked.problems) mistakes.push(mistakeAt(name, named, value, problem));
    return;
  }
  if ('unsupported' in checked) {
    dropped.push(mistakeAt(name, named, value, checked.unsupported));
    return;
  }
  given[name] = checked.value;
  for (const problem of checked.dropped ?? []) dropped.push(mistakeAt(name, named, value, problem));
}

function mistakeAt(name: string, row: MetadataMember, sent: JsonValue, problem: Problem): Mistake {
  const { index, rule, allowed } = problem;
  const value = index === undefined ? sent : Array.isArray(sent) ? (sent[index] as JsonValue) : undefined;
  const shown = row.hidden === true ? undefined : shownValue(value);
  return {
    member: name,
    ...(index === undefined ? {} : { index }),
    ...(shown === undefined ? {} : { value: shown }),
    rule,
    ...(allowed === undefined ? {} : { allowed, ...nearestTo(value, allowed) }),
    ...(row.error === undefined ? {} : { error: row.error }),
  };
}

const MEMBER_NAMES = Object.keys(CLIENT_METADATA);

/** Unknown members for which a known name is sought. A request may have hundreds, and the search takes time. */
const SUGGESTED_MAX = 20;

function unknownMember(name: string, before: number): Dropped {
  const [base = ''] = name.split('#', 1);
  const meant = before < SUGGESTED_MAX ? nearestTo(base, MEMBER_NAMES) : {};
  return { member: shownName(name), rule: 'is unknown', ...meant };
}

function languageProblem({ given, languages }: Found, name: string): string | undefined {
  if (languages > LANGUAGES_MAX)
    return `is one of more than ${LANGUAGES_MAX} language-tagged members of the request`;
  // RFC 7591 §2.2: language tags ignore case, so both members would set the same value.
  return isGivenInOtherCase(given, name) ? 'is given twice; language tags ignore case' : undefined;
}

function isGivenInOtherCase(given: GivenMembers, name: string): boolean {
  const lower = name.toLowerCase();
  return Object.keys(given).some((other) => other.toLowerCase() === lower);
}

/**
 * Returns the table row of a member; `client_name#de` has the row of `client_name` (OpenID Connect Dynamic
 * Client Registration 1.0 §2.1). Returns a mistake for a malformed language tag.
 */
function memberNamed(name: string): MetadataMember | Mistake | undefined {
  if (Object.hasOwn(CLIENT_METADATA, name)) return CLIENT_METADATA[name];
  const [base = '', tag, ...rest] = name.split('#');
  if (tag === undefined || rest.length > 0 || !Object.hasOwn(CLIENT_METADATA, base)) return undefined;
  const row = CLIENT_METADATA[base];
  if (row?.localised !== true) return undefined;
  return LANGUAGE_TAG.test(tag)
    ? row
    : { member: base, rule: `must have a language tag such as de or pt-BR, not ${quotedValue(tag)}` };
}

/** Says whether the client authenticates with a secret. */
export function isConfidential(metadata: ClientMetadata): boolean {
  return SECRET_METHODS.has(metadata.token_endpoint_auth_method);
}

export type GivenMembers = { readonly [name: string]: JsonValue | undefined };

/** Defaults that do not depend on other members. */
const OWN_DEFAULTS = Object.fromEntries(
  Object.entries(CLIENT_METADATA).flatMap(([name, row]) =>
    row.default === undefined ? [] : [[name, row.default] as const],
  ),
) as Pick<ClientMetadata, 'application_type'>;

/**
 * Fills in the defaults of RFC 7591 §2, OpenID Connect Dynamic Client Registration 1.0 §2 and the interface,
 * which takes precedence.
 */
function withDefaults(
  given: GivenMembers,
  { grant_types, response_types }: Types,
  dropped: Dropped[],
  limits: MetadataLimits,
): ClientMetadata {
  return {
    ...(response_types.length === 0
      ? {}
      : { id_token_signed_response_alg: defaultSignature(limits), subject_type: 'public' }),
    ...defaultBinding(given, limits),
    ...defaultContentEncryption(given),
    ...OWN_DEFAULTS,
    token_endpoint_auth_method: defaultAuthMethod(grant_types),
    ...given,
    ...ofNativeApplication(given, dropped),
    grant_types,
    response_types,
  };
}

/** Returns the grant and response types to register: those that go together, unless a mistake of theirs refuses the request anyway. */
function typesOf(given: GivenMembers, mistakes: readonly Mistake[], dropped: Dropped[]): Types {
  const grant_types = (given['grant_types'] as readonly GrantType[] | undefined) ?? ['authorization_code'];
  const response_types =
    (given['response_types'] as readonly string[] | undefined) ?? defaultResponseTypes(grant_types);
  const asked = { grant_types, response_types };
  if (mistakes.some(({ member }) => Object.hasOwn(asked, member))) return asked;
  const matching = matchingTypes(asked);
  dropped.push(...matching.dropped);
  return matching.types;
}

/** RS256 wherever the server signs with it (OpenID Connect Dynamic Client Registration 1.0 §2). */
const defaultSignature = ({ signingAlgorithms }: MetadataLimits): string =>
  signingAlgorithms.includes('RS256') ? 'RS256' : (signingAlgorithms[0] ?? 'RS256');

/** Returns the binding of tokens for a client that names none, where every token is bound (RFC 7591 §2 lets the server choose). */
function defaultBinding(given: GivenMembers, { boundTokens, dpop }: MetadataLimits): GivenMembers {
  const byCertificate = given['tls_client_certificate_bound_access_tokens'] === true;
  return boundTokens && dpop && !byCertificate ? { dpop_bound_access_tokens: true } : {};
}

/** A path behind the scheme: `client.example:8443/cb` is an address whose sender forgot https. */
const PRIVATE_USE_PATH = /^[a-z][a-z0-9+.-]*:\//i;

/**
 * Returns the application type `native` for a client with a redirection URI of a private-use scheme: only native applications
 * have such URIs. Clients in the field send `web` beside them, or nothing (RFC 7591 §2 lets the server replace a value).
 */
function ofNativeApplication(given: GivenMembers, dropped: Dropped[]): GivenMembers {
  if (given['application_type'] === 'native') return {};
  for (const member of ['redirect_uris', 'post_logout_redirect_uris'] as const) {
    const uris = (given[member] ?? []) as readonly string[];
    const index = uris.findIndex((uri) => PRIVATE_USE_PATH.test(uri) && isPrivateUse(uri));
    const uri = uris[index];
    if (uri === undefined) continue;
    const rule = `is replaced by native, because ${member}[${index}] ${shownUri(uri)} has a private-use scheme`;
    if (given['application_type'] !== undefined)
      dropped.push({ member: 'application_type', value: quotedValue('web'), rule });
    return { application_type: 'native' };
  }
  return {};
}

/**
 * Returns `code` for clients of the authorization code grant; clients of other grants alone have none
 * (interface, Client information response).
 */
function defaultResponseTypes(grant_types: readonly GrantType[]): readonly string[] {
  if (grant_types.includes('authorization_code')) return ['code'];
  return grant_types.includes('implicit') ? ['token id_token'] : [];
}

/** Returns `none` for clients of the implicit grant alone: they never authenticate. */
function defaultAuthMethod(grant_types: readonly GrantType[]): ClientMetadata['token_endpoint_auth_method'] {
  return grant_types.length === 1 && grant_types[0] === 'implicit' ? 'none' : 'client_secret_basic';
}

function defaultContentEncryption(given: GivenMembers): GivenMembers {
  const algorithms = Object.keys(given).filter((name) => /_encrypt(?:ed_response|ion)_alg$/.test(name));
  return Object.fromEntries(
    algorithms.map((name) => [name.replace(/_alg$/, '_enc'), DEFAULT_CONTENT_ENCRYPTION]),
  );
}
