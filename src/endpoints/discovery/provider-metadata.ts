import {
  authenticationMethods,
  identificationMethods,
} from '../../clients/client-authentication/authenticate-client.ts';
import { PROMPTS } from '../../grants/authorization/authorization-request.ts';
import type { Grant } from '../../grants/grant.ts';
import { SCOPE_CLAIMS } from '../../sessions/account-claims.ts';
import { PASSWORD_ACR } from '../../sessions/password-sign-in.ts';
import { type AuthMethod, authMethods } from '../../spec/client-metadata.ts';
import { GRANT_TYPES, responseTypesOf } from '../../spec/grant-types.ts';
import { issuerPath } from '../../spec/issuer.ts';
import type { SignatureAlgorithm } from '../../spec/jose-algorithms.ts';
import { OPENID_SCOPE } from '../../spec/scope.ts';
import {
  type CertificateTrust,
  CODE_CHALLENGE_METHODS,
  CONTENT_ENCRYPTION_ALGORITHMS,
  HMAC_ALGORITHMS,
  KEY_MANAGEMENT_ALGORITHMS,
  RESPONSE_MODES,
  SIGNING_ALGORITHMS,
  SUBJECT_TYPES,
} from '../../spec/server-capabilities.ts';
import type { Endpoint } from '../contract.ts';

/** The algorithms of client assertions (RFC 8414 §2: "The value "none" MUST NOT be used."). */
const assertionAlgorithms = (
  methods: readonly AuthMethod[],
  algorithms: readonly string[],
): readonly string[] => [...algorithms, ...(methods.includes('client_secret_jwt') ? HMAC_ALGORITHMS : [])];

/** The values that a client may register; registration refuses every other value (spec/client-metadata.ts). */
const REGISTRABLE = {
  subject_types_supported: SUBJECT_TYPES,
  id_token_encryption_alg_values_supported: KEY_MANAGEMENT_ALGORITHMS,
  id_token_encryption_enc_values_supported: CONTENT_ENCRYPTION_ALGORITHMS,
  userinfo_encryption_alg_values_supported: KEY_MANAGEMENT_ALGORITHMS,
  userinfo_encryption_enc_values_supported: CONTENT_ENCRYPTION_ALGORITHMS,
  request_object_encryption_alg_values_supported: KEY_MANAGEMENT_ALGORITHMS,
  request_object_encryption_enc_values_supported: CONTENT_ENCRYPTION_ALGORITHMS,
  authorization_encryption_alg_values_supported: KEY_MANAGEMENT_ALGORITHMS,
  authorization_encryption_enc_values_supported: CONTENT_ENCRYPTION_ALGORITHMS,
  introspection_encryption_alg_values_supported: KEY_MANAGEMENT_ALGORITHMS,
  introspection_encryption_enc_values_supported: CONTENT_ENCRYPTION_ALGORITHMS,
  code_challenge_methods_supported: CODE_CHALLENGE_METHODS,
  // OpenID Connect Back-Channel Logout 1.0 §2.1. Present without an end-session endpoint too: clients learn of every end of a session.
  backchannel_logout_supported: true,
  backchannel_logout_session_supported: true,
} as const;

/** OpenID Connect Front-Channel Logout 1.0 §3. */
const FRONT_CHANNEL_LOGOUT = {
  frontchannel_logout_supported: true,
  frontchannel_logout_session_supported: true,
} as const;

/** The server's support for client certificates. */
export interface CertificateSupport {
  readonly trust: CertificateTrust;
  /** The origin whose connections request a certificate, if it differs from the issuer's. */
  readonly aliasOrigin?: string;
}

/** The abilities of the server that its endpoints do not show. */
export interface Support {
  readonly certificates?: CertificateSupport;
  readonly canSign?: (algorithm: SignatureAlgorithm) => boolean;
  /** The languages of the pages. */
  readonly languages?: readonly string[];
  /** Whether the page after a logout has frames. */
  readonly frontChannelLogout?: boolean;
  /** Whether the server fetches request objects from registered `request_uris`. */
  readonly requestsByReference?: boolean;
  /** The `acr` values that a sign-in can have. */
  readonly acrValues?: readonly string[];
  /** The grant types that the settings allow. */
  readonly grantTypes?: readonly string[];
  /** The types of grants for other servers that an exchange issues (draft-ietf-oauth-identity-assertion-authz-grant-01 §6). */
  readonly chainingTypes?: readonly string[];
  /** The profiles of authorisation grants that the server takes, by the member that later drafts of the same name. */
  readonly grantProfiles?: readonly string[];
  /** How tokens get to clients without a browser; empty if none may ask (OpenID Connect CIBA Core 1.0). */
  readonly deliveryModes?: readonly string[];
  /** Whether tokens can be bound to keys of clients (RFC 9449). */
  readonly dpop?: boolean;
  /** The types of authorisation details that clients may be registered for (RFC 9396). */
  readonly detailTypes?: readonly string[];
  /** The methods by which clients can authenticate. */
  readonly methods?: readonly AuthMethod[];
  /** The algorithms that clients may sign with. */
  readonly algorithms?: readonly string[];
  /** The response modes of authorisation requests. */
  readonly responseModes?: readonly string[];
  /** Whether every client must push its authorisation requests. */
  readonly pushedRequests?: boolean;
  /** Whether every client must sign them. */
  readonly signedRequests?: boolean;
  /** Whether a client may use the URL of its metadata document as client_id. */
  readonly clientDocuments?: boolean;
}

/** Derives provider metadata from the endpoints and their abilities. Lists only what is enabled. */
export function providerMetadata(
  issuer: string,
  endpoints: readonly Endpoint[],
  grants: readonly Grant[],
  support: Support = {},
): Readonly<Record<string, unknown>> {
  const { certificates = { trust: 'none' }, canSign = () => true } = support;
  const { grantTypes = Object.keys(GRANT_TYPES), frontChannelLogout = true } = support;
  const { clientDocuments = false, chainingTypes = [], grantProfiles = [], detailTypes = [] } = support;
  const authorizes = endpoints.some(({ contract }) => contract.advertisedAs === 'authorization_endpoint');
  const addresses = endpoints.flatMap(({ contract }) =>
    contract.advertisedAs === undefined
      ? []
      : [[contract.advertisedAs, `${issuer}${contract.path}`] as const],
  );
  const logsOut = endpoints.some(({ contract }) => contract.advertisedAs === 'end_session_endpoint');
  const methods = support.methods ?? authMethods(certificates.trust);
  const algorithms = support.algorithms ?? SIGNING_ALGORITHMS;
  const assertions = assertionAlgorithms(methods, algorithms);
  const named = identificationMethods(methods);
  return {
    issuer,
    ...Object.fromEntries(addresses),
    ...(authorizes ? authorizationMetadata({ ...support, grantTypes }) : {}),
    // draft-ietf-oauth-client-id-metadata-document-02 §6.
    ...(authorizes && clientDocuments ? { client_id_metadata_document_supported: true } : {}),
    grant_types_supported: [
      ...grants.map((grant) => grant.grant_type),
      ...(authorizes && grantTypes.includes('implicit') ? ['implicit'] : []),
    ],
    token_endpoint_auth_methods_supported: named,
    token_endpoint_auth_signing_alg_values_supported: assertions,
    revocation_endpoint_auth_methods_supported: named,
    revocation_endpoint_auth_signing_alg_values_supported: assertions,
    introspection_endpoint_auth_methods_supported: [...authenticationMethods(methods), 'Bearer'],
    introspection_endpoint_auth_signing_alg_values_supported: assertions,
    ...REGISTRABLE,
    request_object_signing_alg_values_supported: algorithms,
    // The frames are in a page of the end-session endpoint.
    ...(logsOut && frontChannelLogout ? FRONT_CHANNEL_LOGOUT : {}),
    ...(chainingTypes.length === 0
      ? {}
      : { identity_chaining_requested_token_types_supported: chainingTypes }),
    ...(grantProfiles.length === 0 ? {} : { authorization_grant_profiles_supported: grantProfiles }),
    ...backchannelMembers(support, algorithms),
    ...(support.dpop === true ? { dpop_signing_alg_values_supported: algorithms } : {}),
    ...(detailTypes.length === 0 ? {} : { authorization_details_types_supported: detailTypes }),
    ...signedResponses(canSign),
    ...certificateMembers(issuer, endpoints, certificates),
  };
}

/** OpenID Connect CIBA Core 1.0 §4. */
function backchannelMembers(
  { deliveryModes = [] }: Support,
  algorithms: readonly string[],
): Readonly<Record<string, unknown>> {
  if (deliveryModes.length === 0) return {};
  return {
    backchannel_token_delivery_modes_supported: deliveryModes,
    backchannel_authentication_request_signing_alg_values_supported: algorithms,
    backchannel_user_code_parameter_supported: false,
  };
}

/** Returns the algorithms of the server's own signatures. A configured key set may support fewer than clients can register. */
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

/** Returns the members about client certificates, with aliases of the endpoints that use them (RFC 8705 §3.3 and §5). */
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

/** Claims about the sign-in itself (OpenID Connect Core 1.0 §2 and OpenID Connect Back-Channel Logout 1.0 §2.1). */
const PROTOCOL_CLAIMS = ['sub', 'iss', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'sid'];

/**
 * Returns the metadata members about the authorisation endpoint (OpenID Connect Discovery 1.0 §3, RFC 8414 §2, RFC 9207 §3 and
 * Initiating User Registration via OpenID Connect 1.0 §4 for `prompt_values_supported`).
 */
function authorizationMetadata({
  languages = [],
  acrValues = [PASSWORD_ACR],
  requestsByReference = false,
  responseModes = RESPONSE_MODES,
  pushedRequests = false,
  signedRequests = false,
  grantTypes,
}: Support & { readonly grantTypes: readonly string[] }): Readonly<Record<string, unknown>> {
  const claims = [...SCOPE_CLAIMS.values()].flat();
  const offline = grantTypes.includes('refresh_token');
  return {
    response_types_supported: responseTypesOf(grantTypes),
    response_modes_supported: responseModes,
    scopes_supported: OPENID_SCOPE.filter((value) => value !== 'offline_access' || offline),
    claims_supported: [...PROTOCOL_CLAIMS, ...claims],
    claim_types_supported: ['normal'],
    claims_parameter_supported: true,
    acr_values_supported: acrValues,
    prompt_values_supported: PROMPTS,
    ui_locales_supported: languages,
    request_parameter_supported: true,
    // RFC 9101 §9 and OpenID Connect Discovery 1.0 §3. Pushed requests need neither.
    request_uri_parameter_supported: requestsByReference,
    ...(requestsByReference ? { require_request_uri_registration: true } : {}),
    authorization_response_iss_parameter_supported: true,
    // RFC 9126 §5 and RFC 9101 §10.5: absent stands for false.
    ...(pushedRequests ? { require_pushed_authorization_requests: true } : {}),
    ...(signedRequests ? { require_signed_request_object: true } : {}),
  };
}
