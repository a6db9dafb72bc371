import { AUTHENTICATION_METHODS } from '../../clients/client-authentication/authenticate-client.ts';
import { GRANTS } from '../../grants/grants.ts';
import type { Endpoint } from '../contract.ts';

/**
 * Provider metadata, derived from the endpoints that stand and from what they can do. What is absent is not named:
 * there is no authorisation endpoint yet, so there are no response types (docs/deviations.md).
 */
export function providerMetadata(
  issuer: string,
  endpoints: readonly Endpoint[],
): Readonly<Record<string, unknown>> {
  const addresses = endpoints.flatMap(({ contract }) =>
    contract.advertisedAs === undefined
      ? []
      : [[contract.advertisedAs, `${issuer}${contract.path}`] as const],
  );
  return {
    issuer,
    ...Object.fromEntries(addresses),
    grant_types_supported: GRANTS.map((grant) => grant.grant_type),
    token_endpoint_auth_methods_supported: AUTHENTICATION_METHODS,
    introspection_endpoint_auth_methods_supported: [...AUTHENTICATION_METHODS, 'Bearer'],
  };
}
