import {
  CLIENT_METADATA,
  type ClientMetadata,
  type MetadataLimits,
  type MetadataMember,
  SECRET_METHODS,
} from '../spec/client-metadata.ts';
import { OAuthError } from '../spec/errors.ts';
import { GRANT_TYPES, type GrantType, RESPONSE_TYPES, responseTypeName } from '../spec/grant-types.ts';
import type { JsonObject, JsonValue } from '../spec/json.ts';
import { redirectUriProblem } from '../spec/redirect-uri.ts';

/** What a registration request asks for, checked and completed. */
export interface ValidatedMetadata {
  readonly metadata: ClientMetadata;
  /** JSON text of `data` as it was sent; null where it is absent. */
  readonly data: string | null;
  readonly preferred_client_id: string | undefined;
  readonly preferred_client_secret: string | undefined;
}

const LANGUAGE_TAG = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}$/;
const LANGUAGES_MAX = 20;

/** Members that are acted upon and not stored among the metadata. */
const ACTED_UPON = new Set(['data', 'preferred_client_id', 'preferred_client_secret']);

/**
 * Checks each member, applies the defaults of RFC 7591 §2 and OpenID Connect Registration §2, then the rules between
 * members. Unknown members are dropped (RFC 7591 §2: "MUST be ignored"); `null` is absent (RFC 7592 §2.2).
 * The same for every credential: no token can store what no client may be.
 * @throws OAuthError invalid_client_metadata, invalid_redirect_uri
 */
export function validateMetadata(request: JsonObject, limits: MetadataLimits): ValidatedMetadata {
  const given = checkMembers(request, limits);
  const metadata = withDefaults(given);
  for (const rule of RULES) rule(metadata);
  return {
    metadata,
    data: given['data'] === undefined ? null : (request.source('data') ?? null),
    preferred_client_id: given['preferred_client_id'] as string | undefined,
    preferred_client_secret: given['preferred_client_secret'] as string | undefined,
  };
}

type GivenMembers = { readonly [name: string]: JsonValue | undefined };

function checkMembers(request: JsonObject, limits: MetadataLimits): GivenMembers {
  const given: { [name: string]: JsonValue } = Object.create(null);
  let languages = 0;
  for (const [name, value] of Object.entries(request.members)) {
    const row = memberNamed(name);
    if (row === undefined || value === null) continue;
    if (name.includes('#')) languages += 1;
    if (languages > LANGUAGES_MAX)
      throw new OAuthError('invalid_client_metadata', {
        error_description: `more than ${LANGUAGES_MAX} language-tagged members`,
      });
    const checked = row.check(value, limits);
    if ('problem' in checked)
      throw new OAuthError(row.error, { error_description: `${name} ${checked.problem}` });
    given[name] = checked.value;
  }
  return given;
}

/** The row of a member; `client_name#de` has the row of `client_name` (OpenID Connect Registration §2.1). */
function memberNamed(name: string): MetadataMember | undefined {
  if (Object.hasOwn(CLIENT_METADATA, name)) return CLIENT_METADATA[name];
  const [base = '', tag, ...rest] = name.split('#');
  if (tag === undefined || rest.length > 0 || !Object.hasOwn(CLIENT_METADATA, base)) return undefined;
  const row = CLIENT_METADATA[base];
  if (row?.localised !== true) return undefined;
  if (!LANGUAGE_TAG.test(tag)) {
    throw new OAuthError('invalid_client_metadata', {
      error_description: `${base} has a language tag that is not one`,
    });
  }
  return row;
}

function withDefaults(given: GivenMembers): ClientMetadata {
  const grant_types = (given['grant_types'] as readonly GrantType[] | undefined) ?? ['authorization_code'];
  const response_types =
    (given['response_types'] as readonly string[] | undefined) ?? defaultResponseTypes(grant_types);
  const stored = Object.fromEntries(Object.entries(given).filter(([name]) => !ACTED_UPON.has(name)));
  return {
    ...stored,
    grant_types,
    response_types,
    application_type: (given['application_type'] as 'web' | 'native' | undefined) ?? 'web',
    token_endpoint_auth_method:
      (given['token_endpoint_auth_method'] as ClientMetadata['token_endpoint_auth_method'] | undefined) ??
      defaultAuthMethod(grant_types),
    ...(response_types.length === 0
      ? {}
      : {
          id_token_signed_response_alg:
            (given['id_token_signed_response_alg'] as string | undefined) ?? 'RS256',
          subject_type: (given['subject_type'] as string | undefined) ?? 'public',
        }),
  };
}

/** `code` where the grant is there; a client of other grants only has none (interface, Client information response). */
function defaultResponseTypes(grant_types: readonly GrantType[]): readonly string[] {
  if (grant_types.includes('authorization_code')) return ['code'];
  return grant_types.includes('implicit') ? ['token id_token'] : [];
}

/** A client of the implicit grant alone never authenticates: it is public. */
function defaultAuthMethod(grant_types: readonly GrantType[]): ClientMetadata['token_endpoint_auth_method'] {
  return grant_types.length === 1 && grant_types[0] === 'implicit' ? 'none' : 'client_secret_basic';
}

type Rule = (metadata: ClientMetadata) => void;

/** RFC 7591 §2.1: "a server … SHOULD check that the values are consistent". */
const responseTypesHaveTheirGrants: Rule = ({ response_types, grant_types }) => {
  for (const response_type of response_types) {
    for (const grant of RESPONSE_TYPES[responseTypeName(response_type) ?? ''] ?? []) {
      if (!grant_types.includes(grant)) {
        throw invalid(`response_types holds ${response_type}, which needs the grant type ${grant}`);
      }
    }
  }
};

const grantsHaveTheirResponseTypes: Rule = ({ response_types, grant_types }) => {
  for (const grant of grant_types) {
    if (!GRANT_TYPES[grant].redirects) continue;
    const served = response_types.some((type) =>
      RESPONSE_TYPES[responseTypeName(type) ?? '']?.includes(grant),
    );
    if (!served) throw invalid(`grant_types holds ${grant}, which needs a response type`);
  }
};

/** RFC 7591 §5: "clients using flows with redirection MUST register their redirection URI values". */
const redirectGrantsHaveRedirectUris: Rule = ({ grant_types, redirect_uris }) => {
  const redirects = grant_types.some((grant) => GRANT_TYPES[grant].redirects);
  if (redirects && (redirect_uris === undefined || redirect_uris.length === 0)) {
    throw new OAuthError('invalid_redirect_uri', {
      error_description: 'redirect_uris is needed for these grant types',
    });
  }
};

const redirectUrisAreSafe: Rule = (metadata) => {
  const rules = {
    application_type: metadata.application_type,
    implicit: metadata.grant_types.includes('implicit'),
  };
  for (const member of ['redirect_uris', 'post_logout_redirect_uris'] as const) {
    for (const uri of metadata[member] ?? []) {
      const problem = redirectUriProblem(uri, rules);
      if (problem !== undefined) {
        throw new OAuthError('invalid_redirect_uri', {
          error_description: `a value of ${member} ${problem}`,
        });
      }
    }
  }
};

/** RFC 6749 §4.4: "The client credentials grant type MUST only be used by confidential clients." */
const clientCredentialsAreConfidential: Rule = ({ grant_types, token_endpoint_auth_method }) => {
  if (token_endpoint_auth_method === 'none' && grant_types.includes('client_credentials')) {
    throw invalid('client_credentials needs a client that authenticates');
  }
};

const RULES: readonly Rule[] = [
  responseTypesHaveTheirGrants,
  grantsHaveTheirResponseTypes,
  redirectGrantsHaveRedirectUris,
  redirectUrisAreSafe,
  clientCredentialsAreConfidential,
];

export function isConfidential(metadata: ClientMetadata): boolean {
  return SECRET_METHODS.has(metadata.token_endpoint_auth_method);
}

function invalid(error_description: string): OAuthError {
  return new OAuthError('invalid_client_metadata', { error_description });
}
