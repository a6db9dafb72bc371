import { closed, FLAG, type Schema, TEXT, TEXTS, WEB_ADDRESS } from './json-schema.ts';

const withForm = (schema: Schema, names: string): Readonly<Record<string, Schema>> =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, schema]),
  );

/** Provider metadata (OpenID Connect Discovery 1.0 §3, RFC 8414 §2): every member that this server can publish. */
export const PROVIDER_METADATA: Schema = closed(
  {
    issuer: WEB_ADDRESS,
    ...withForm(
      WEB_ADDRESS,
      `registration_endpoint token_endpoint authorization_endpoint pushed_authorization_request_endpoint userinfo_endpoint
       introspection_endpoint revocation_endpoint global_token_revocation_endpoint device_authorization_endpoint backchannel_authentication_endpoint jwks_uri signed_jwks_uri federation_registration_endpoint end_session_endpoint
       chancery_revocation_feed_endpoint`,
    ),
    ...withForm(
      TEXTS,
      `response_types_supported response_modes_supported scopes_supported claims_supported claim_types_supported
       acr_values_supported prompt_values_supported ui_locales_supported grant_types_supported
       token_endpoint_auth_methods_supported token_endpoint_auth_signing_alg_values_supported
       revocation_endpoint_auth_methods_supported revocation_endpoint_auth_signing_alg_values_supported
       introspection_endpoint_auth_methods_supported introspection_endpoint_auth_signing_alg_values_supported
       subject_types_supported id_token_signing_alg_values_supported id_token_encryption_alg_values_supported
       id_token_encryption_enc_values_supported userinfo_signing_alg_values_supported
       userinfo_encryption_alg_values_supported userinfo_encryption_enc_values_supported
       request_object_signing_alg_values_supported request_object_encryption_alg_values_supported
       request_object_encryption_enc_values_supported authorization_signing_alg_values_supported
       authorization_encryption_alg_values_supported authorization_encryption_enc_values_supported
       introspection_signing_alg_values_supported introspection_encryption_alg_values_supported
       introspection_encryption_enc_values_supported code_challenge_methods_supported dpop_signing_alg_values_supported
       identity_chaining_requested_token_types_supported authorization_grant_profiles_supported authorization_details_types_supported
       backchannel_token_delivery_modes_supported backchannel_authentication_request_signing_alg_values_supported
       client_registration_types_supported`,
    ),
    ...withForm(
      FLAG,
      `claims_parameter_supported request_parameter_supported request_uri_parameter_supported require_request_uri_registration
       require_pushed_authorization_requests require_signed_request_object
       authorization_response_iss_parameter_supported client_id_metadata_document_supported
       backchannel_user_code_parameter_supported backchannel_logout_supported backchannel_logout_session_supported frontchannel_logout_supported
       frontchannel_logout_session_supported tls_client_certificate_bound_access_tokens`,
    ),
    organization_name: TEXT,
    mtls_endpoint_aliases: { type: 'object', additionalProperties: WEB_ADDRESS },
  },
  ['issuer', 'jwks_uri', 'token_endpoint', 'grant_types_supported'],
);
