import {
  authenticationMethods,
  identificationMethods,
} from '../../clients/client-authentication/authenticate-client.ts';
import type { Grant } from '../../grants/grant.ts';
import { issuerPath } from '../../spec/issuer.ts';
import type { SignatureAlgorithm } from '../../spec/jose-algorithms.ts';
import {
  type CertificateTrust,
  CODE_CHALLENGE_METHODS,
  CONTENT_ENCRYPTION_ALGORITHMS,
  HMAC_ALGORITHMS,
  KEY_MANAGEMENT_ALGORITHMS,
  SIGNING_ALGORITHMS,
  SUBJECT_TYPES,
} from '../../spec/server-capabilities.ts';
import type { Endpoint } from '../contract.ts';
import { authorizationMetadata } from './authorization-metadata.ts';

/** RFC 8414 §2, of client assertions: "The value "none" MUST NOT be used." */
const ASSERTION_ALGORITHMS = [...SIGNING_ALGORITHMS, ...HMAC_ALGORITHMS] as const;

/** What a client may be registered for; registration refuses every other value (spec/client-metadata.ts). */
const REGISTRABLE = {
  subject_types_supported: SUBJECT_TYPES,
  id_token_encryption_alg_values_supported: KEY_MANAGEMENT_ALGORITHMS,
  id_token_encryption_enc_values_supported: CONTENT_ENCRYPTION_ALGORITHMS,
  userinfo_encryption_alg_values_supported: KEY_MANAGEMENT_ALGORITHMS,
  userinfo_encryption_enc_values_supported: CONTENT_ENCRYPTION_ALGORITHMS,
  request_object_signing_alg_values_supported: SIGNING_ALGORITHMS,
  request_object_encryption_alg_values_supported: KEY_MANAGEMENT_ALGORITHMS,
  request_object_encryption_enc_values_supported: CONTENT_ENCRYPTION_ALGORITHMS,
  authorization_encryption_alg_values_supported: KEY_MANAGEMENT_ALGORITHMS,
  authorization_encryption_enc_values_supported: CONTENT_ENCRYPTION_ALGORITHMS,
  introspection_encryption_alg_values_supported: KEY_MANAGEMENT_ALGORITHMS,
  introspection_encryption_enc_values_supported: CONTENT_ENCRYPTION_ALGORITHMS,
  code_challenge_methods_supported: CODE_CHALLENGE_METHODS,
  // OpenID Connect Back-Channel Logout 1.0 §2.1. Sessions end in other ways than at the end-session endpoint too, and clients hear of each.
  backchannel_logout_supported: true,
  backchannel_logout_session_supported: true,
  request_uri_parameter_supported: false,
} as const;

/** What certificates of clients are good for here. */
export interface CertificateSupport {
  readonly trust: CertificateTrust;
  /** The origin at which connections ask for a certificate, where it is not the issuer's. */
  readonly aliasOrigin?: string;
}

/** What the server is set up for, as far as its endpoints do not show it. */
export interface Support {
  readonly certificates?: CertificateSupport;
  readonly canSign?: (algorithm: SignatureAlgorithm) => boolean;
  /** That there are pages in. */
  readonly languages?: readonly string[];
}

/** Provider metadata, derived from the endpoints that stand and from what they can do. What is absent is not named. */
export function providerMetadata(
  issuer: string,
  endpoints: readonly Endpoint[],
  grants: readonly Grant[],
  { certificates = { trust: 'none' }, canSign = () => true, languages = [] }: Support = {},
): Readonly<Record<string, unknown>> {
  const authorizes = endpoints.some(({ contract }) => contract.advertisedAs === 'authorization_endpoint');
  const addresses = endpoints.flatMap(({ contract }) =>
    contract.advertisedAs === undefined
      ? []
      : [[contract.advertisedAs, `${issuer}${contract.path}`] as const],
  );
  const named = identificationMethods(certificates.trust);
  return {
    issuer,
    ...Object.fromEntries(addresses),
    ...(authorizes ? authorizationMetadata(languages) : {}),
    grant_types_supported: [...grants.map((grant) => grant.grant_type), ...(authorizes ? ['implicit'] : [])],
    token_endpoint_auth_methods_supported: named,
    token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    revocation_endpoint_auth_methods_supported: named,
    revocation_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    introspection_endpoint_auth_methods_supported: [...authenticationMethods(certificates.trust), 'Bearer'],
    introspection_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    ...REGISTRABLE,
    ...signedResponses(canSign),
    ...certificateMembers(issuer, endpoints, certificates),
  };
}

/** What this server signs for a client; with a configured key set that may be less than what can be registered. */
function signedResponses(
  canSign: (algorithm: SignatureAlgorithm) => boolean,
): Readonly<Record<string, readonly string[]>> {
  const algorithms = SIGNING_ALGORITHMS.filter(canSign);
  return {
    id_token_signing_alg_values_supported: algorithms,
    userinfo_signing_alg_values_supported: algorithms,
    authorization_signing_alg_values_supported: algorithms,
    introspection_signing_alg_values_supported: algorithms,
  };
}

/** RFC 8705 §3.3 and §5: aliases of the endpoints that a client calls with its certificate. */
function certificateMembers(
  issuer: string,
  endpoints: readonly Endpoint[],
  { trust, aliasOrigin }: CertificateSupport,
): Readonly<Record<string, unknown>> {
  if (trust === 'none') return {};
  const bound = { tls_client_certificate_bound_access_tokens: true };
  if (aliasOrigin === undefined) return bound;
  const alias = `${aliasOrigin}${issuerPath(issuer)}`;
  const aliases = endpoints.flatMap(({ contract: { advertisedAs, path, certificates } }) =>
    advertisedAs !== undefined && certificates === true ? [[advertisedAs, `${alias}${path}`] as const] : [],
  );
  return { ...bound, mtls_endpoint_aliases: Object.fromEntries(aliases) };
}
