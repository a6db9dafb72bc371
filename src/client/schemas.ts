// Made from the API description by `npm run docs`; do not edit.

/** A refusal (RFC 6749 §5.2). */
export interface OAuthError {
  readonly error: 'invalid_request' | 'invalid_client' | 'invalid_grant' | 'unauthorized_client' | 'unsupported_grant_type' | 'invalid_scope' | 'invalid_target' | 'invalid_authorization_details' | 'authorization_pending' | 'slow_down' | 'expired_token' | 'unknown_user_id' | 'invalid_binding_message' | 'unsupported_response_type' | 'server_error' | 'temporarily_unavailable' | 'interaction_required' | 'login_required' | 'account_selection_required' | 'consent_required' | 'invalid_request_uri' | 'invalid_request_object' | 'request_uri_not_supported' | 'registration_not_supported' | 'unmet_authentication_requirements' | 'access_denied' | 'invalid_token' | 'insufficient_scope' | 'invalid_dpop_proof' | 'use_dpop_nonce' | 'invalid_redirect_uri' | 'invalid_client_metadata' | 'invalid_software_statement' | 'unapproved_software_statement' | 'invalid_trust_chain' | 'invalid_trust_anchor' | 'invalid_metadata' | 'federation_not_enabled';
  readonly error_description: string;
}

/** Metadata of a client (RFC 7591 §2). The server ignores other members, and drops values that it does not support. `null`, an empty string and an empty array stand for an absent member. */
export interface ClientMetadata {
  readonly redirect_uris?: readonly string[];
  readonly grant_types?: readonly ('authorization_code' | 'implicit' | 'refresh_token' | 'password' | 'client_credentials' | 'urn:ietf:params:oauth:grant-type:device_code' | 'urn:openid:params:grant-type:ciba' | 'urn:ietf:params:oauth:grant-type:token-exchange' | 'urn:ietf:params:oauth:grant-type:jwt-bearer' | 'urn:ietf:params:oauth:grant-type:saml2-bearer')[];
  readonly response_types?: readonly string[];
  readonly application_type?: 'web' | 'native';
  readonly client_name?: string;
  readonly client_uri?: string;
  readonly logo_uri?: string;
  readonly policy_uri?: string;
  readonly tos_uri?: string;
  readonly contacts?: readonly string[];
  readonly organization_name?: string;
  readonly organization_uri?: string;
  readonly display_name?: string;
  readonly description?: string;
  readonly keywords?: readonly string[];
  readonly information_uri?: string;
  readonly client_registration_types?: readonly string[];
  readonly scope?: string;
  readonly software_id?: string;
  readonly software_version?: string | number;
  readonly software_statement?: string;
  readonly jwks?: ClientJwkSet;
  readonly jwks_uri?: string;
  readonly signed_jwks_uri?: string;
  readonly sector_identifier_uri?: string;
  readonly subject_type?: 'public' | 'pairwise';
  readonly token_endpoint_auth_method?: 'client_secret_basic' | 'client_secret_post' | 'client_secret_jwt' | 'private_key_jwt' | 'tls_client_auth' | 'self_signed_tls_client_auth' | 'none';
  readonly token_endpoint_auth_signing_alg?: 'RS256' | 'RS384' | 'RS512' | 'PS256' | 'PS384' | 'PS512' | 'ES256' | 'ES384' | 'ES512' | 'EdDSA' | 'HS256' | 'HS384' | 'HS512';
  readonly tls_client_certificate_bound_access_tokens?: boolean;
  readonly tls_client_auth_subject_dn?: string;
  readonly tls_client_auth_san_dns?: string;
  readonly tls_client_auth_san_uri?: string;
  readonly tls_client_auth_san_ip?: string;
  readonly tls_client_auth_san_email?: string;
  readonly dpop_bound_access_tokens?: boolean;
  readonly authorization_details_types?: readonly string[];
  readonly id_token_signed_response_alg?: 'RS256' | 'RS384' | 'RS512' | 'PS256' | 'PS384' | 'PS512' | 'ES256' | 'ES384' | 'ES512' | 'EdDSA';
  readonly id_token_encrypted_response_alg?: 'RSA-OAEP' | 'RSA-OAEP-256' | 'ECDH-ES' | 'ECDH-ES+A128KW' | 'ECDH-ES+A256KW';
  readonly id_token_encrypted_response_enc?: 'A128CBC-HS256' | 'A192CBC-HS384' | 'A256CBC-HS512' | 'A128GCM' | 'A192GCM' | 'A256GCM';
  readonly userinfo_signed_response_alg?: 'RS256' | 'RS384' | 'RS512' | 'PS256' | 'PS384' | 'PS512' | 'ES256' | 'ES384' | 'ES512' | 'EdDSA';
  readonly userinfo_encrypted_response_alg?: 'RSA-OAEP' | 'RSA-OAEP-256' | 'ECDH-ES' | 'ECDH-ES+A128KW' | 'ECDH-ES+A256KW';
  readonly userinfo_encrypted_response_enc?: 'A128CBC-HS256' | 'A192CBC-HS384' | 'A256CBC-HS512' | 'A128GCM' | 'A192GCM' | 'A256GCM';
  readonly request_object_signing_alg?: 'RS256' | 'RS384' | 'RS512' | 'PS256' | 'PS384' | 'PS512' | 'ES256' | 'ES384' | 'ES512' | 'EdDSA';
  readonly request_object_encryption_alg?: 'RSA-OAEP' | 'RSA-OAEP-256' | 'ECDH-ES' | 'ECDH-ES+A128KW' | 'ECDH-ES+A256KW';
  readonly request_object_encryption_enc?: 'A128CBC-HS256' | 'A192CBC-HS384' | 'A256CBC-HS512' | 'A128GCM' | 'A192GCM' | 'A256GCM';
  readonly request_uris?: readonly string[];
  readonly require_signed_request_object?: boolean;
  readonly require_pushed_authorization_requests?: boolean;
  readonly code_challenge_method?: 'S256';
  readonly authorization_signed_response_alg?: 'RS256' | 'RS384' | 'RS512' | 'PS256' | 'PS384' | 'PS512' | 'ES256' | 'ES384' | 'ES512' | 'EdDSA';
  readonly authorization_encrypted_response_alg?: 'RSA-OAEP' | 'RSA-OAEP-256' | 'ECDH-ES' | 'ECDH-ES+A128KW' | 'ECDH-ES+A256KW';
  readonly authorization_encrypted_response_enc?: 'A128CBC-HS256' | 'A192CBC-HS384' | 'A256CBC-HS512' | 'A128GCM' | 'A192GCM' | 'A256GCM';
  readonly response_modes?: readonly string[];
  readonly introspection_signed_response_alg?: 'RS256' | 'RS384' | 'RS512' | 'PS256' | 'PS384' | 'PS512' | 'ES256' | 'ES384' | 'ES512' | 'EdDSA';
  readonly introspection_encrypted_response_alg?: 'RSA-OAEP' | 'RSA-OAEP-256' | 'ECDH-ES' | 'ECDH-ES+A128KW' | 'ECDH-ES+A256KW';
  readonly introspection_encrypted_response_enc?: 'A128CBC-HS256' | 'A192CBC-HS384' | 'A256CBC-HS512' | 'A128GCM' | 'A192GCM' | 'A256GCM';
  readonly subject_types_supported?: readonly string[];
  readonly token_endpoint_auth_methods_supported?: readonly string[];
  readonly token_endpoint_auth_signing_alg_values_supported?: readonly string[];
  readonly id_token_signing_alg_values_supported?: readonly string[];
  readonly id_token_encryption_alg_values_supported?: readonly string[];
  readonly id_token_encryption_enc_values_supported?: readonly string[];
  readonly userinfo_signing_alg_values_supported?: readonly string[];
  readonly userinfo_encryption_alg_values_supported?: readonly string[];
  readonly userinfo_encryption_enc_values_supported?: readonly string[];
  readonly request_object_signing_alg_values_supported?: readonly string[];
  readonly request_object_encryption_alg_values_supported?: readonly string[];
  readonly request_object_encryption_enc_values_supported?: readonly string[];
  readonly authorization_signing_alg_values_supported?: readonly string[];
  readonly authorization_encryption_alg_values_supported?: readonly string[];
  readonly authorization_encryption_enc_values_supported?: readonly string[];
  readonly introspection_signing_alg_values_supported?: readonly string[];
  readonly introspection_encryption_alg_values_supported?: readonly string[];
  readonly introspection_encryption_enc_values_supported?: readonly string[];
  readonly default_max_age?: number;
  readonly require_auth_time?: boolean;
  readonly default_acr_values?: readonly string[];
  readonly initiate_login_uri?: string;
  readonly post_logout_redirect_uris?: readonly string[];
  readonly backchannel_logout_uri?: string;
  readonly backchannel_logout_session_required?: boolean;
  readonly backchannel_token_delivery_mode?: 'poll' | 'ping' | 'push';
  readonly backchannel_client_notification_endpoint?: string;
  readonly backchannel_authentication_request_signing_alg?: 'RS256' | 'RS384' | 'RS512' | 'PS256' | 'PS384' | 'PS512' | 'ES256' | 'ES384' | 'ES512' | 'EdDSA';
  readonly backchannel_user_code_parameter?: boolean;
  readonly frontchannel_logout_uri?: string;
  readonly frontchannel_logout_session_required?: boolean;
  readonly resource_identifiers?: readonly string[];
  readonly chancery_access_token_format?: 'identifier' | 'self-contained';
  readonly chancery_access_token_lifetime?: number;
  readonly chancery_access_token_audience?: readonly string[];
  readonly chancery_token_exchange?: { readonly audiences?: readonly string[]; readonly scope?: string; readonly subject_clients?: readonly string[]; readonly subject_issuers?: readonly string[]; readonly actors?: readonly string[]; readonly impersonation?: boolean; readonly lifetime?: number; readonly id_jag?: readonly ({ readonly audience: string; readonly client_id?: string; readonly resources?: readonly string[]; readonly scope?: string })[] };
  readonly data?: Readonly<Record<string, unknown>>;
  readonly preferred_client_id?: string;
  readonly preferred_client_secret?: string;
  readonly [tagged: `client_name#${string}`]: string;
  readonly [tagged: `client_uri#${string}`]: string;
  readonly [tagged: `logo_uri#${string}`]: string;
  readonly [tagged: `policy_uri#${string}`]: string;
  readonly [tagged: `tos_uri#${string}`]: string;
  readonly [tagged: `organization_name#${string}`]: string;
  readonly [tagged: `organization_uri#${string}`]: string;
  readonly [tagged: `display_name#${string}`]: string;
  readonly [tagged: `description#${string}`]: string;
  readonly [tagged: `information_uri#${string}`]: string;
}

export interface ClientJwkSet {
  readonly keys: readonly (Readonly<Record<string, unknown>>)[];
}

/** The registration as the server stored it (RFC 7591 §3.2.1, RFC 7592 §3). */
export interface ClientInformation extends RegisteredMetadata {
  readonly client_id: string;
  readonly client_id_issued_at: number;
  readonly client_secret?: string;
  readonly client_secret_expires_at?: number;
  readonly registration_access_token?: string;
  readonly registration_client_uri?: string;
  readonly chancery_metadata_document?: { readonly fetched_at: number; readonly fresh_until: number };
  readonly chancery_federation?: { readonly entity_id: string; readonly registration: 'explicit' | 'automatic'; readonly trust_anchor: string; readonly trust_chain: readonly string[]; readonly expires_at: number | null; readonly trust_chain_expires_at?: number | null; readonly resolved_at: number | null; readonly trust_marks?: readonly string[]; readonly verified_trust_marks?: readonly string[]; readonly failure?: { readonly at: number; readonly reason: string; readonly words: string } };
}

/** Metadata as the server stores them. */
export interface RegisteredMetadata extends ClientMetadata {
  readonly grant_types: readonly ('authorization_code' | 'implicit' | 'refresh_token' | 'password' | 'client_credentials' | 'urn:ietf:params:oauth:grant-type:device_code' | 'urn:openid:params:grant-type:ciba' | 'urn:ietf:params:oauth:grant-type:token-exchange' | 'urn:ietf:params:oauth:grant-type:jwt-bearer' | 'urn:ietf:params:oauth:grant-type:saml2-bearer')[];
  readonly response_types: readonly string[];
  readonly application_type: 'web' | 'native';
  readonly token_endpoint_auth_method: 'client_secret_basic' | 'client_secret_post' | 'client_secret_jwt' | 'private_key_jwt' | 'tls_client_auth' | 'self_signed_tls_client_auth' | 'none';
}

export interface Mistake {
  readonly member: string;
  readonly index?: number;
  readonly value?: unknown;
  readonly rule: string;
  readonly allowed?: readonly string[];
  readonly did_you_mean?: string;
  readonly words: string;
}

/** The result of a registration with `dry_run=true`. The server stores nothing. */
export interface DryRun {
  readonly dry_run: true;
  readonly missing_scopes: readonly string[];
  readonly dropped: readonly Mistake[];
  readonly warnings: readonly string[];
  readonly metadata: RegisteredMetadata;
}

/** An event of the audit. */
export interface AuditEvent {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly outcome: 'done' | 'refused';
  readonly actor: string;
  readonly client_id: string | null;
  readonly sub: string | null;
  readonly address: string | null;
  readonly user_agent: string | null;
  readonly request_id: string;
  readonly detail: string | null;
  readonly reason: string | null;
}

/** A new webhook. */
export interface WebhookRequest {
  readonly url: string;
  readonly description?: string;
  readonly actions?: readonly string[];
  readonly events_max?: number;
}

/** Members of a webhook to change. */
export interface WebhookChange {
  readonly url?: string;
  readonly description?: string;
  readonly actions?: readonly string[];
  readonly events_max?: number;
}

/** A webhook. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly has_query: boolean;
  readonly description: string;
  readonly actions: readonly string[];
  readonly events_max: number;
  readonly enabled: boolean;
  readonly secrets: readonly ({ readonly id: string; readonly created_at: string; readonly expires_at: string | null })[];
  readonly cursor: string;
  readonly delivered: number;
  readonly delivered_at: string | null;
  readonly missed: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly waiting?: number;
  readonly failed?: number;
}

/** A new webhook, with its secret: it is shown once. */
export interface NewWebhook {
  readonly id: string;
  readonly url: string;
  readonly has_query: boolean;
  readonly description: string;
  readonly actions: readonly string[];
  readonly events_max: number;
  readonly enabled: boolean;
  readonly secrets: readonly ({ readonly id: string; readonly created_at: string; readonly expires_at: string | null })[];
  readonly cursor: string;
  readonly delivered: number;
  readonly delivered_at: string | null;
  readonly missed: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly secret: string;
  readonly secret_id: string;
}

/** A new secret: it is shown once. */
export interface WebhookSecret {
  readonly secret: string;
  readonly secret_id: string;
}

/** The outcome at the receiver. */
export interface WebhookTest {
  readonly accepted: boolean;
  readonly problem: string | null;
}

/** How many deliveries were concerned. */
export interface WebhookCount {
  readonly deliveries: number;
}

/** Events in one request, which waits or has failed. Accepted ones are not kept. */
export interface WebhookDelivery {
  readonly id: string;
  readonly state: 'waiting' | 'failed';
  readonly events: number;
  readonly missed: number;
  readonly attempts: number;
  readonly problem: string | null;
  readonly created_at: string;
  readonly attempted_at: string | null;
  readonly due_at: string | null;
}

/** A stream of security events of a client. */
export interface EventStream {
  readonly id: string;
  readonly client_id: string;
  readonly issuer: string;
  readonly status: 'enabled' | 'paused' | 'disabled';
  readonly reason: string | null;
  readonly method: 'push' | 'poll';
  readonly endpoint_url: string | null;
  readonly description: string | null;
  readonly events: readonly string[];
  readonly held: number;
  readonly held_max: number;
  readonly delivered: number;
  readonly delivered_at: string | null;
  readonly attempts: number;
  readonly attempted_at: string | null;
  readonly problem: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A security event that failed. Its content is not shown. */
export interface HeldSecurityEvent {
  readonly id: string;
  readonly type: string;
  readonly state: 'waiting' | 'failed';
  readonly at: string | null;
  readonly attempted_at: string | null;
  readonly problem: string | null;
}

/** How many events were concerned. */
export interface EventCount {
  readonly events: number;
}

/** OpenID Shared Signals Framework 1.0 §7.1. */
export interface TransmitterConfiguration {
  readonly spec_version: '1_0';
  readonly issuer: string;
  readonly jwks_uri: string;
  readonly delivery_methods_supported: readonly string[];
  readonly configuration_endpoint: string;
  readonly status_endpoint: string;
  readonly add_subject_endpoint: string;
  readonly remove_subject_endpoint: string;
  readonly verification_endpoint: string;
  readonly authorization_schemes: readonly ({ readonly spec_urn: string })[];
  readonly default_subjects: 'ALL';
}

/** A stream of security events. */
export interface SecurityEventStream {
  readonly stream_id: string;
  readonly iss: string;
  readonly aud: string;
  readonly events_supported: readonly string[];
  readonly events_requested?: readonly string[];
  readonly events_delivered: readonly string[];
  readonly delivery: { readonly method: 'urn:ietf:rfc:8935' | 'urn:ietf:rfc:8936'; readonly endpoint_url: string; readonly authorization_header?: string };
  readonly min_verification_interval: number;
  readonly description?: string;
}

/** One stream, or all streams of the client. */
export type SecurityEventStreams = { readonly stream_id: string; readonly iss: string; readonly aud: string; readonly events_supported: readonly string[]; readonly events_requested?: readonly string[]; readonly events_delivered: readonly string[]; readonly delivery: { readonly method: 'urn:ietf:rfc:8935' | 'urn:ietf:rfc:8936'; readonly endpoint_url: string; readonly authorization_header?: string }; readonly min_verification_interval: number; readonly description?: string } | readonly ({ readonly stream_id: string; readonly iss: string; readonly aud: string; readonly events_supported: readonly string[]; readonly events_requested?: readonly string[]; readonly events_delivered: readonly string[]; readonly delivery: { readonly method: 'urn:ietf:rfc:8935' | 'urn:ietf:rfc:8936'; readonly endpoint_url: string; readonly authorization_header?: string }; readonly min_verification_interval: number; readonly description?: string })[];

/** A new stream. */
export interface StreamRequest {
  readonly events_requested?: readonly string[];
  readonly delivery?: { readonly method: string; readonly endpoint_url?: string; readonly authorization_header?: string };
  readonly description?: string;
}

/** Members of a stream to change. */
export interface StreamUpdate {
  readonly stream_id: string;
  readonly events_requested?: readonly string[];
  readonly delivery?: { readonly method: string; readonly endpoint_url?: string; readonly authorization_header?: string };
  readonly description?: string;
}

/** Everything that the client sets of a stream: members that are absent go. */
export interface StreamReplacement {
  readonly stream_id: string;
  readonly events_requested?: readonly string[];
  readonly delivery?: { readonly method: string; readonly endpoint_url?: string; readonly authorization_header?: string };
  readonly description?: string;
}

/** The status of a stream. */
export interface StreamStatus {
  readonly stream_id: string;
  readonly status: 'enabled' | 'paused' | 'disabled';
  readonly reason?: string;
}

/** A new status. */
export interface StreamStatusRequest {
  readonly stream_id: string;
  readonly status: 'enabled' | 'paused' | 'disabled';
  readonly reason?: string;
}

/** A subject of a stream. */
export interface StreamSubject {
  readonly stream_id: string;
  readonly subject: Readonly<Record<string, unknown>>;
  readonly verified?: boolean;
}

/** A wish for a verification event. */
export interface StreamVerification {
  readonly stream_id: string;
  readonly state?: string;
}

/** The person whose sessions, grants and tokens end. */
export interface GlobalTokenRevocation {
  readonly sub_id: Readonly<Record<string, unknown>>;
}

/** A wish for events, with the answers to earlier ones (RFC 8936 §2.2, §2.4). */
export interface PollRequest {
  readonly maxEvents?: number;
  readonly returnImmediately?: boolean;
  readonly ack?: readonly string[];
  readonly setErrs?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Security event tokens by their `jti`, the oldest first (RFC 8936 §2.3). */
export interface PollAnswer {
  readonly sets: Readonly<Record<string, string>>;
  readonly moreAvailable: boolean;
}

/** RFC 6749 §5.1. */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer' | 'DPoP' | 'N_A';
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token?: string;
  readonly refresh_token_expires_in?: number;
  readonly id_token?: string;
  readonly issued_token_type?: string;
  readonly authorization_details?: readonly ({ readonly type: string })[];
}

export interface BackchannelAuthentication {
  readonly auth_req_id: string;
  readonly expires_in: number;
  readonly interval?: number;
}

export interface DeviceAuthorization {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

/** RFC 7662 §2.2. An inactive token has `active` alone. An exchanged token also has the claims that `assertion-grants.issuers` maps. */
export interface TokenIntrospection {
  readonly active: boolean;
  readonly scope?: string;
  readonly client_id?: string;
  readonly username?: string;
  readonly token_type?: 'Bearer' | 'DPoP';
  readonly exp?: number;
  readonly iat?: number;
  readonly sub?: string;
  readonly aud?: readonly string[];
  readonly iss?: string;
  readonly jti?: string;
  readonly cnf?: { readonly 'x5t#S256'?: string; readonly jkt?: string };
  readonly acr?: string;
  readonly amr?: readonly string[];
  readonly auth_time?: number;
  readonly act?: Readonly<Record<string, unknown>>;
  readonly may_act?: Readonly<Record<string, unknown>>;
  readonly authorization_details?: readonly ({ readonly type: string })[];
  readonly clm?: readonly string[];
  readonly cld?: Readonly<Record<string, unknown>>;
  readonly dat?: Readonly<Record<string, unknown>>;
}

export interface DirectAuthorization {
  readonly sub?: string;
  readonly username?: string;
  readonly client_id?: string;
  readonly scope: readonly string[] | string;
  readonly claims?: readonly string[] | string;
  readonly claims_data?: Readonly<Record<string, unknown>>;
  readonly audience?: readonly string[] | string;
  readonly resources?: readonly string[] | string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly label?: string;
  readonly redirect_hosts?: readonly string[] | string | null;
  readonly lifetime?: number;
  readonly long_lived?: boolean;
  readonly access_token?: { readonly lifetime?: number; readonly encoding?: 'IDENTIFIER' | 'SELF_CONTAINED'; readonly audience?: readonly string[] | string };
  readonly refresh_token?: { readonly issue: boolean; readonly lifetime?: number; readonly max_idle?: number; readonly rotate?: boolean };
  readonly id_token?: { readonly issue: boolean; readonly lifetime?: number };
}

export interface PushedAuthorization {
  readonly request_uri: string;
  readonly expires_in: number;
}

/** Claims about the end-user (OpenID Connect Core 1.0 §5.3.2). */
export interface Userinfo {
  readonly sub: string;
}

export interface JwkSet {
  readonly keys: readonly ({ readonly kty: 'RSA' | 'EC' | 'OKP'; readonly kid: string; readonly use?: 'sig' | 'enc'; readonly alg?: string; readonly n?: string; readonly e?: string; readonly crv?: string; readonly x?: string; readonly y?: string })[];
}

export interface ProviderMetadata {
  readonly issuer: string;
  readonly registration_endpoint?: string;
  readonly token_endpoint: string;
  readonly authorization_endpoint?: string;
  readonly pushed_authorization_request_endpoint?: string;
  readonly userinfo_endpoint?: string;
  readonly introspection_endpoint?: string;
  readonly revocation_endpoint?: string;
  readonly global_token_revocation_endpoint?: string;
  readonly device_authorization_endpoint?: string;
  readonly backchannel_authentication_endpoint?: string;
  readonly jwks_uri: string;
  readonly signed_jwks_uri?: string;
  readonly federation_registration_endpoint?: string;
  readonly end_session_endpoint?: string;
  readonly chancery_revocation_feed_endpoint?: string;
  readonly response_types_supported?: readonly string[];
  readonly response_modes_supported?: readonly string[];
  readonly scopes_supported?: readonly string[];
  readonly claims_supported?: readonly string[];
  readonly claim_types_supported?: readonly string[];
  readonly acr_values_supported?: readonly string[];
  readonly prompt_values_supported?: readonly string[];
  readonly ui_locales_supported?: readonly string[];
  readonly grant_types_supported: readonly string[];
  readonly token_endpoint_auth_methods_supported?: readonly string[];
  readonly token_endpoint_auth_signing_alg_values_supported?: readonly string[];
  readonly revocation_endpoint_auth_methods_supported?: readonly string[];
  readonly revocation_endpoint_auth_signing_alg_values_supported?: readonly string[];
  readonly introspection_endpoint_auth_methods_supported?: readonly string[];
  readonly introspection_endpoint_auth_signing_alg_values_supported?: readonly string[];
  readonly subject_types_supported?: readonly string[];
  readonly id_token_signing_alg_values_supported?: readonly string[];
  readonly id_token_encryption_alg_values_supported?: readonly string[];
  readonly id_token_encryption_enc_values_supported?: readonly string[];
  readonly userinfo_signing_alg_values_supported?: readonly string[];
  readonly userinfo_encryption_alg_values_supported?: readonly string[];
  readonly userinfo_encryption_enc_values_supported?: readonly string[];
  readonly request_object_signing_alg_values_supported?: readonly string[];
  readonly request_object_encryption_alg_values_supported?: readonly string[];
  readonly request_object_encryption_enc_values_supported?: readonly string[];
  readonly authorization_signing_alg_values_supported?: readonly string[];
  readonly authorization_encryption_alg_values_supported?: readonly string[];
  readonly authorization_encryption_enc_values_supported?: readonly string[];
  readonly introspection_signing_alg_values_supported?: readonly string[];
  readonly introspection_encryption_alg_values_supported?: readonly string[];
  readonly introspection_encryption_enc_values_supported?: readonly string[];
  readonly code_challenge_methods_supported?: readonly string[];
  readonly dpop_signing_alg_values_supported?: readonly string[];
  readonly identity_chaining_requested_token_types_supported?: readonly string[];
  readonly authorization_grant_profiles_supported?: readonly string[];
  readonly authorization_details_types_supported?: readonly string[];
  readonly backchannel_token_delivery_modes_supported?: readonly string[];
  readonly backchannel_authentication_request_signing_alg_values_supported?: readonly string[];
  readonly client_registration_types_supported?: readonly string[];
  readonly claims_parameter_supported?: boolean;
  readonly request_parameter_supported?: boolean;
  readonly request_uri_parameter_supported?: boolean;
  readonly require_request_uri_registration?: boolean;
  readonly require_pushed_authorization_requests?: boolean;
  readonly require_signed_request_object?: boolean;
  readonly authorization_response_iss_parameter_supported?: boolean;
  readonly client_id_metadata_document_supported?: boolean;
  readonly backchannel_user_code_parameter_supported?: boolean;
  readonly backchannel_logout_supported?: boolean;
  readonly backchannel_logout_session_supported?: boolean;
  readonly frontchannel_logout_supported?: boolean;
  readonly frontchannel_logout_session_supported?: boolean;
  readonly tls_client_certificate_bound_access_tokens?: boolean;
  readonly organization_name?: string;
  readonly mtls_endpoint_aliases?: Readonly<Record<string, string>>;
}

export interface SignInRequest {
  readonly client: Readonly<Record<string, unknown>>;
  readonly scope: readonly string[];
  readonly claims?: readonly string[];
  readonly resource?: readonly string[];
  readonly authorization_details?: readonly ({ readonly type: string })[];
  readonly prompt?: readonly string[];
  readonly acr_values?: readonly string[];
  readonly acr?: unknown;
  readonly max_age?: number;
  readonly login_hint?: string;
  readonly ui_locales?: string;
  readonly expires_at: number;
}

export type SignInOutcome = { readonly subject: string; readonly acr?: string | null; readonly amr?: readonly string[]; readonly claims?: Readonly<Record<string, unknown>>; readonly auth_time?: number; readonly consent?: { readonly scope: readonly string[]; readonly claims?: readonly string[]; readonly authorization_details?: readonly ({ readonly type: string })[] } } | { readonly error: string; readonly error_description?: string };

export interface BackchannelRequests {
  readonly requests: readonly ({ readonly id: string; readonly client: Readonly<Record<string, unknown>>; readonly binding_message?: string; readonly address: string; readonly scope: readonly string[]; readonly resource?: readonly string[]; readonly acr_values?: readonly string[]; readonly authorization_details?: readonly ({ readonly type: string })[]; readonly requested_at: number; readonly expires_at: number })[];
}

export type BackchannelOutcome = SignInOutcome | { readonly error: 'access_denied'; readonly block: boolean };

export interface BackchannelDecision {
  readonly state: 'allowed' | 'denied';
}

export interface SignInRedirection {
  readonly redirect_to: string;
}
