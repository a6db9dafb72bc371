import { CLIENT_METADATA, type ClientMetadata } from '../../spec/client-metadata.ts';
import type { GrantType } from '../../spec/grant-types.ts';
import type { JsonValue } from '../../spec/json.ts';
import { DEFAULT_CONTENT_ENCRYPTION } from '../../spec/server-capabilities.ts';

export type GivenMembers = { readonly [name: string]: JsonValue | undefined };

/** Defaults that depend on no other member. */
const OWN_DEFAULTS = Object.fromEntries(
  Object.entries(CLIENT_METADATA).flatMap(([name, row]) =>
    row.default === undefined ? [] : [[name, row.default] as const],
  ),
) as Pick<ClientMetadata, 'application_type'>;

/** Completes what was given: RFC 7591 §2, OpenID Connect Registration §2, and the interface where it says otherwise. */
export function withDefaults(given: GivenMembers): ClientMetadata {
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

/** `code` where the grant is there; a client of other grants only has none (interface, Client information response). */
function defaultResponseTypes(grant_types: readonly GrantType[]): readonly string[] {
  if (grant_types.includes('authorization_code')) return ['code'];
  return grant_types.includes('implicit') ? ['token id_token'] : [];
}

/** A client of the implicit grant alone never authenticates: it is public. */
function defaultAuthMethod(grant_types: readonly GrantType[]): ClientMetadata['token_endpoint_auth_method'] {
  return grant_types.length === 1 && grant_types[0] === 'implicit' ? 'none' : 'client_secret_basic';
}

function defaultContentEncryption(given: GivenMembers): GivenMembers {
  const algorithms = Object.keys(given).filter((name) => /_encrypt(?:ed_response|ion)_alg$/.test(name));
  return Object.fromEntries(
    algorithms.map((name) => [name.replace(/_alg$/, '_enc'), DEFAULT_CONTENT_ENCRYPTION]),
  );
}
