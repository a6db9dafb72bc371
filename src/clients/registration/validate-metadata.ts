import {
  CLIENT_METADATA,
  type ClientMetadata,
  type MetadataMember,
  SECRET_METHODS,
} from '../../spec/client-metadata.ts';
import type { MetadataLimits } from '../../spec/client-metadata-checks.ts';
import { OAuthError, quotedValue } from '../../spec/errors.ts';
import type { GrantType } from '../../spec/grant-types.ts';
import type { JsonObject, JsonValue } from '../../spec/json.ts';
import { DEFAULT_CONTENT_ENCRYPTION } from '../../spec/server-capabilities.ts';
import { requireLongEnough } from '../secrets/client-secrets.ts';
import { METADATA_RULES } from './metadata-rules.ts';

/** The result of checking a registration request, with defaults filled in. */
export interface ValidatedMetadata {
  readonly metadata: ClientMetadata;
  /** JSON text of `data` as sent; null if absent. */
  readonly data: string | null;
  readonly preferred_client_id: string | undefined;
  readonly preferred_client_secret: string | undefined;
}

const LANGUAGE_TAG = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}$/;
const LANGUAGES_MAX = 20;

/** Members that steer the registration and are not stored among the metadata. */
const ACTED_UPON = new Set(['data', 'preferred_client_id', 'preferred_client_secret']);

/**
 * Checks each member, fills in the defaults of RFC 7591 §2 and OpenID Connect Dynamic Client Registration 1.0
 * §2, then checks the rules between members. Drops unknown members (RFC 7591 §2: "MUST be ignored") and
 * treats `null` as absent (RFC 7592 §2.2). The rules are the same for every credential.
 * @throws OAuthError invalid_client_metadata, invalid_redirect_uri
 */
export function validateMetadata(request: JsonObject, limits: MetadataLimits): ValidatedMetadata {
  const given = checkMembers(request, limits);
  const metadata = withDefaults(storedMembers(given));
  for (const rule of METADATA_RULES) rule(metadata);
  const preferred_client_secret = given['preferred_client_secret'] as string | undefined;
  requireLongEnough(metadata, preferred_client_secret);
  return {
    metadata,
    data: given['data'] === undefined ? null : (request.source('data') ?? null),
    preferred_client_id: given['preferred_client_id'] as string | undefined,
    preferred_client_secret,
  };
}

function storedMembers(given: GivenMembers): GivenMembers {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !ACTED_UPON.has(name)));
}

function checkMembers(request: JsonObject, limits: MetadataLimits): GivenMembers {
  const given: { [name: string]: JsonValue } = Object.create(null);
  let languages = 0;
  for (const [name, value] of Object.entries(request.members)) {
    const row = memberNamed(name);
    if (row === undefined || value === null) continue;
    if (name.includes('#')) languages += 1;
    if (languages > LANGUAGES_MAX)
      throw new OAuthError('invalid_client_metadata', {
        error_description: `the request has more than ${LANGUAGES_MAX} language-tagged members`,
      });
    // RFC 7591 §2.2: language tags ignore case, so both members would set the same value.
    if (name.includes('#') && isGivenInOtherCase(given, name))
      throw new OAuthError('invalid_client_metadata', {
        error_description: `${name} is given twice; language tags ignore case`,
      });
    const checked = row.check(value, limits);
    if ('problem' in checked)
      throw new OAuthError(row.error ?? 'invalid_client_metadata', {
        error_description: `${name} ${checked.problem}`,
      });
    given[name] = checked.value;
  }
  return given;
}

function isGivenInOtherCase(given: GivenMembers, name: string): boolean {
  const lower = name.toLowerCase();
  return Object.keys(given).some((other) => other.toLowerCase() === lower);
}

/**
 * Returns the table row of a member; `client_name#de` has the row of `client_name` (OpenID Connect Dynamic
 * Client Registration 1.0 §2.1).
 */
function memberNamed(name: string): MetadataMember | undefined {
  if (Object.hasOwn(CLIENT_METADATA, name)) return CLIENT_METADATA[name];
  const [base = '', tag, ...rest] = name.split('#');
  if (tag === undefined || rest.length > 0 || !Object.hasOwn(CLIENT_METADATA, base)) return undefined;
  const row = CLIENT_METADATA[base];
  if (row?.localised !== true) return undefined;
  if (!LANGUAGE_TAG.test(tag)) {
    throw new OAuthError('invalid_client_metadata', {
      error_description: `${base} must have a language tag such as de or pt-BR, not ${quotedValue(tag)}`,
    });
  }
  return row;
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
function withDefaults(given: GivenMembers): ClientMetadata {
  const grant_types = (given['grant_types'] as readonly GrantType[] | undefined) ?? ['authorization_code'];
  const response_types =
    (given['response_types'] as readonly string[] | undefined) ?? defaultResponseTypes(grant_types);
  return {
    ...(response_types.length === 0 ? {} : { id_token_signed_response_alg: 'RS256', subject_type: 'public' }),
    ...defaultContentEncryption(given),
    ...OWN_DEFAULTS,
    token_endpoint_auth_method: defaultAuthMethod(grant_types),
    ...given,
    grant_types,
    response_types,
  };
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
