import * as certificate from './certificate-name-checks.ts';
import type { Check } from './client-metadata-checks.ts';
import * as check from './client-metadata-checks.ts';
import type { GrantType } from './grant-types.ts';
import type { JsonValue } from './json.ts';
import * as server from './server-capabilities.ts';
import { exchangePolicy } from './token-exchange-policy.ts';

/** Registered client metadata. Language-tagged members (`client_name#de`) are stored besides these. */
export interface ClientMetadata {
  readonly redirect_uris?: readonly string[];
  readonly grant_types: readonly GrantType[];
  readonly response_types: readonly string[];
  readonly application_type: 'web' | 'native';
  readonly token_endpoint_auth_method: AuthMethod;
  readonly scope?: string;
  readonly post_logout_redirect_uris?: readonly string[];
  readonly [member: string]: JsonValue | undefined;
}

export const AUTH_METHODS = [
  'client_secret_basic',
  'client_secret_post',
  'client_secret_jwt',
  'private_key_jwt',
  'tls_client_auth',
  'self_signed_tls_client_auth',
  'none',
] as const;
export type AuthMethod = (typeof AUTH_METHODS)[number];

/** The certificate support that a method needs (RFC 8705 §2.1, §2.2). */
const CERTIFICATE_METHODS: Readonly<Partial<Record<AuthMethod, readonly server.CertificateTrust[]>>> = {
  tls_client_auth: ['chains'],
  self_signed_tls_client_auth: ['keys', 'chains'],
};

/** The methods that a client can be registered for. */
export function authMethods(trust: server.CertificateTrust): readonly AuthMethod[] {
  return AUTH_METHODS.filter((method) => CERTIFICATE_METHODS[method]?.includes(trust) ?? true);
}

/** Methods that use a client secret. Clients with other methods have none (decision 11). */
export const SECRET_METHODS: ReadonlySet<string> = new Set([
  'client_secret_basic',
  'client_secret_post',
  'client_secret_jwt',
]);

/** The scope of an initial access token that a member needs (interface, Initial access token scopes). */
export type MemberPrivilege = 'scope' | 'data' | 'set-id' | 'set-secret' | 'token-policy';

export interface MetadataMember {
  readonly section: string;
  readonly check: Check;
  /** Default: `invalid_client_metadata`. */
  readonly error?: 'invalid_redirect_uri';
  /** Texts never show the value: it is a secret, or the words of a person. */
  readonly hidden?: true;
  /** Human-readable: may come in several languages as `name#tag` (OpenID Connect Dynamic Client Registration 1.0 §2.1). */
  readonly localised?: true;
  readonly privilege?: MemberPrivilege;
  /** The value of an absent member; the registration computes those that depend on other members. */
  readonly default?: JsonValue;
}

/**
 * Says whether a member counts as absent (decision 42): `null` (RFC 7592 §2.2), the empty string and the empty array. Forms and
 * generators of code send them for values that were never given.
 */
export function isAbsent(value: JsonValue | undefined): value is undefined | null | '' | readonly [] {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

const RFC7591 = 'RFC 7591 §2';
const OIDC = 'OpenID Connect Dynamic Client Registration 1.0 §2';
const INTERFACE = 'interface: Client metadata';
const CONTACTS = { count: 50, length: 254 };
const INFORMATION = { section: 'OpenID Federation 1.0 §5.2.2', hidden: true } as const;
const KEYWORDS = { count: 50, length: 254 };
const REGISTRATION_TYPES = { count: 10, length: 64 };
const CLASS_REFERENCES = { count: 20, length: 256 };

const signing = check.oneOf(server.SIGNING_ALGORITHMS);
const signedByServer = check.stating({ enum: server.SIGNING_ALGORITHMS }, (value, limits) =>
  check.oneOf(limits.signingAlgorithms)(value, limits),
);
const keyManagement = check.oneOf(server.KEY_MANAGEMENT_ALGORITHMS);
const contentEncryption = check.oneOf(server.CONTENT_ENCRYPTION_ALGORITHMS);

/** A list of values that the client is able to use; the server chooses from three of them (src/clients/registration/metadata-choices.ts). */
const choice = {
  section: 'OpenID Connect Relying Party Metadata Choices 1.0 §2',
  check: check.strings({ count: 50, length: 64 }),
};

/** Every member that a registration may carry, and the form of its value. src/clients holds the rules between members. */
export const CLIENT_METADATA: Readonly<Record<string, MetadataMember>> = {
  redirect_uris: { section: RFC7591, check: check.uriList, error: 'invalid_redirect_uri' },
  grant_types: { section: RFC7591, check: check.grantTypes },
  response_types: { section: RFC7591, check: check.responseTypes },
  application_type: { section: OIDC, check: check.oneOf(['web', 'native']), default: 'web' },
  client_name: { section: RFC7591, check: check.name, localised: true, hidden: true },
  client_uri: { section: RFC7591, check: check.webPage, localised: true },
  logo_uri: { section: RFC7591, check: check.webPage, localised: true },
  policy_uri: { section: RFC7591, check: check.webPage, localised: true },
  tos_uri: { section: RFC7591, check: check.webPage, localised: true },
  contacts: { section: RFC7591, check: check.strings(CONTACTS), hidden: true },
  organization_name: { ...INFORMATION, check: check.informational(check.name), localised: true },
  organization_uri: { ...INFORMATION, check: check.informational(check.webPage), localised: true },
  display_name: { ...INFORMATION, check: check.informational(check.name), localised: true },
  description: { ...INFORMATION, check: check.informational(check.description), localised: true },
  keywords: { ...INFORMATION, check: check.informational(check.strings(KEYWORDS)) },
  information_uri: { ...INFORMATION, check: check.informational(check.webPage), localised: true },
  client_registration_types: {
    section: 'OpenID Federation 1.0 §5.1.2',
    check: check.informational(check.strings(REGISTRATION_TYPES)),
  },
  scope: { section: RFC7591, check: check.scope, privilege: 'scope' },
  software_id: { section: RFC7591, check: check.text },
  software_version: { section: RFC7591, check: check.version },
  software_statement: { section: 'RFC 7591 §2.3', check: check.compactJwt, hidden: true },
  jwks: { section: RFC7591, check: check.jwkSet, hidden: true },
  jwks_uri: { section: RFC7591, check: check.httpsUrl },
  signed_jwks_uri: { section: 'OpenID Federation 1.0 §5.2.1', check: check.federated(check.httpsUrl) },
  sector_identifier_uri: { section: OIDC, check: check.httpsUrl },
  subject_type: { section: OIDC, check: check.oneOf(server.SUBJECT_TYPES) },

  token_endpoint_auth_method: {
    section: RFC7591,
    check: check.stating({ enum: AUTH_METHODS }, (value, limits) =>
      check.oneOf(limits.authMethods)(value, limits),
    ),
  },
  token_endpoint_auth_signing_alg: {
    section: OIDC,
    check: check.oneOf([...server.SIGNING_ALGORITHMS, ...server.HMAC_ALGORITHMS]),
  },
  tls_client_certificate_bound_access_tokens: { section: 'RFC 8705 §3.4', check: check.boundToCertificates },
  tls_client_auth_subject_dn: { section: 'RFC 8705 §2.1.2', check: certificate.certificateSubject },
  tls_client_auth_san_dns: { section: 'RFC 8705 §2.1.2', check: certificate.certificateDnsName },
  tls_client_auth_san_uri: { section: 'RFC 8705 §2.1.2', check: certificate.certificateUri },
  tls_client_auth_san_ip: { section: 'RFC 8705 §2.1.2', check: certificate.certificateIpAddress },
  tls_client_auth_san_email: { section: 'RFC 8705 §2.1.2', check: certificate.certificateEmail },
  dpop_bound_access_tokens: { section: 'RFC 9449 §5.2', check: check.boundToKeys },

  authorization_details_types: {
    section: 'RFC 9396 §10',
    check: check.detailTypes,
    privilege: 'token-policy',
  },

  id_token_signed_response_alg: { section: OIDC, check: signedByServer },
  id_token_encrypted_response_alg: { section: OIDC, check: keyManagement },
  id_token_encrypted_response_enc: { section: OIDC, check: contentEncryption },
  userinfo_signed_response_alg: { section: OIDC, check: signedByServer },
  userinfo_encrypted_response_alg: { section: OIDC, check: keyManagement },
  userinfo_encrypted_response_enc: { section: OIDC, check: contentEncryption },
  request_object_signing_alg: { section: OIDC, check: signing },
  request_object_encryption_alg: { section: OIDC, check: keyManagement },
  request_object_encryption_enc: { section: OIDC, check: contentEncryption },
  request_uris: { section: OIDC, check: check.requestUris },
  require_signed_request_object: { section: 'RFC 9101 §10.5', check: check.boolean },
  require_pushed_authorization_requests: { section: 'RFC 9126 §6', check: check.boolean },
  code_challenge_method: { section: 'RFC 7636 §4.3', check: check.oneOf(server.CODE_CHALLENGE_METHODS) },
  authorization_signed_response_alg: { section: 'JARM §3', check: signedByServer },
  authorization_encrypted_response_alg: { section: 'JARM §3', check: keyManagement },
  authorization_encrypted_response_enc: { section: 'JARM §3', check: contentEncryption },
  response_modes: { section: 'FAPI 2.0 Message Signing §5.3.3', check: check.responseModes },
  introspection_signed_response_alg: { section: 'RFC 9701 §6', check: signedByServer },
  introspection_encrypted_response_alg: { section: 'RFC 9701 §6', check: keyManagement },
  introspection_encrypted_response_enc: { section: 'RFC 9701 §6', check: contentEncryption },

  subject_types_supported: choice,
  token_endpoint_auth_methods_supported: choice,
  token_endpoint_auth_signing_alg_values_supported: choice,
  id_token_signing_alg_values_supported: choice,
  id_token_encryption_alg_values_supported: choice,
  id_token_encryption_enc_values_supported: choice,
  userinfo_signing_alg_values_supported: choice,
  userinfo_encryption_alg_values_supported: choice,
  userinfo_encryption_enc_values_supported: choice,
  request_object_signing_alg_values_supported: choice,
  request_object_encryption_alg_values_supported: choice,
  request_object_encryption_enc_values_supported: choice,
  authorization_signing_alg_values_supported: choice,
  authorization_encryption_alg_values_supported: choice,
  authorization_encryption_enc_values_supported: choice,
  introspection_signing_alg_values_supported: choice,
  introspection_encryption_alg_values_supported: choice,
  introspection_encryption_enc_values_supported: choice,

  default_max_age: { section: OIDC, check: check.maxAge },
  require_auth_time: { section: OIDC, check: check.boolean },
  default_acr_values: { section: OIDC, check: check.strings(CLASS_REFERENCES) },
  initiate_login_uri: { section: OIDC, check: check.httpsUrl },
  post_logout_redirect_uris: {
    section: 'OpenID Connect RP-Initiated Logout 1.0 §3.1',
    check: check.uriList,
    error: 'invalid_redirect_uri',
  },
  backchannel_logout_uri: { section: 'OpenID Connect Back-Channel Logout 1.0 §2.2', check: check.httpsUrl },
  backchannel_logout_session_required: {
    section: 'OpenID Connect Back-Channel Logout 1.0 §2.2',
    check: check.boolean,
  },
  backchannel_token_delivery_mode: { section: 'OpenID Connect CIBA Core 1.0 §4', check: check.deliveryMode },
  backchannel_client_notification_endpoint: {
    section: 'OpenID Connect CIBA Core 1.0 §4',
    check: check.backchannel(check.httpsUrl),
  },
  backchannel_authentication_request_signing_alg: {
    section: 'OpenID Connect CIBA Core 1.0 §4',
    check: check.backchannel(signing),
  },
  backchannel_user_code_parameter: {
    section: 'OpenID Connect CIBA Core 1.0 §4',
    check: check.withoutUserCodes,
  },
  frontchannel_logout_uri: {
    section: 'OpenID Connect Front-Channel Logout 1.0 §2',
    check: check.frontChannel(check.framedUrl),
  },
  frontchannel_logout_session_required: {
    section: 'OpenID Connect Front-Channel Logout 1.0 §2',
    check: check.frontChannel(check.boolean),
  },

  resource_identifiers: {
    section: 'RFC 9728 §1.2, docs/deviations.md',
    check: check.resourceIdentifiers,
    privilege: 'data',
  },
  chancery_access_token_format: {
    section: 'docs/deviations.md',
    check: check.oneOf(['identifier', 'self-contained']),
    privilege: 'token-policy',
  },
  chancery_access_token_lifetime: {
    section: 'docs/deviations.md',
    check: check.lifetime,
    privilege: 'token-policy',
  },
  chancery_access_token_audience: {
    section: 'docs/deviations.md',
    check: check.strings({ count: 20, length: 256 }),
    privilege: 'token-policy',
  },
  chancery_token_exchange: {
    section: 'docs/deviations.md',
    check: exchangePolicy,
    privilege: 'token-policy',
  },
  data: { section: INTERFACE, check: check.jsonObject, privilege: 'data', hidden: true },
  preferred_client_id: { section: INTERFACE, check: check.preferredId, privilege: 'set-id' },
  preferred_client_secret: {
    section: INTERFACE,
    check: check.preferredSecret,
    privilege: 'set-secret',
    hidden: true,
  },
};
