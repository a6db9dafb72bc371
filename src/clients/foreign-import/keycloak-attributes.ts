import type { JsonValue } from '../../spec/json.ts';

type Attributes = { readonly [name: string]: JsonValue };

/** Returns the members that an attribute of a client stands for. */
type Rule = (value: string, attributes: Attributes) => { readonly [member: string]: JsonValue };

const text =
  (member: string): Rule =>
  (value) => ({ [member]: value });

const flag =
  (member: string): Rule =>
  (value) => ({ [member]: value === 'true' });

const NOTHING: Rule = () => ({});

/** The attributes that have a counterpart here. */
const ATTRIBUTES: ReadonlyMap<string, Rule> = new Map(
  Object.entries<Rule>({
    'access.token.lifespan': (value) =>
      /^[1-9]\d{0,8}$/u.test(value) ? { chancery_access_token_lifetime: Number(value) } : {},
    'backchannel.logout.session.required': (value, attributes) =>
      (attributes['backchannel.logout.url'] ?? '') === ''
        ? {}
        : { backchannel_logout_session_required: value === 'true' },
    'backchannel.logout.url': text('backchannel_logout_uri'),
    'default.acr.values': (value) => ({ default_acr_values: value.split('##') }),
    'default.max.age': (value) => (/^\d{1,9}$/u.test(value) ? { default_max_age: Number(value) } : {}),
    'frontchannel.logout.session.required': (value, attributes) =>
      (attributes['frontchannel.logout.url'] ?? '') === ''
        ? {}
        : { frontchannel_logout_session_required: value === 'true' },
    'frontchannel.logout.url': text('frontchannel_logout_uri'),
    'dpop.bound.access.tokens': flag('dpop_bound_access_tokens'),
    'id.token.encrypted.response.alg': text('id_token_encrypted_response_alg'),
    'id.token.encrypted.response.enc': text('id_token_encrypted_response_enc'),
    'id.token.signed.response.alg': text('id_token_signed_response_alg'),
    'jwks.string': (value, attributes) => keysOf(value, attributes['use.jwks.string']),
    'jwks.url': (value, attributes) => (attributes['use.jwks.url'] === 'true' ? { jwks_uri: value } : {}),
    logoUri: text('logo_uri'),
    'pkce.code.challenge.method': text('code_challenge_method'),
    policyUri: text('policy_uri'),
    'post.logout.redirect.uris': NOTHING,
    'request.object.encryption.alg': (value) =>
      value === 'any' ? {} : { request_object_encryption_alg: value },
    'request.object.encryption.enc': (value) =>
      value === 'any' ? {} : { request_object_encryption_enc: value },
    'request.object.required': (value) =>
      value === 'not required' ? {} : { require_signed_request_object: true },
    'request.object.signature.alg': (value) =>
      value === 'any' || value === 'none' ? {} : { request_object_signing_alg: value },
    'require.pushed.authorization.requests': flag('require_pushed_authorization_requests'),
    'tls.client.certificate.bound.access.tokens': flag('tls_client_certificate_bound_access_tokens'),
    'token.endpoint.auth.signing.alg': text('token_endpoint_auth_signing_alg'),
    tosUri: text('tos_uri'),
    'use.jwks.string': NOTHING,
    'use.jwks.url': NOTHING,
    'use.refresh.tokens': NOTHING,
    'oauth2.device.authorization.grant.enabled': NOTHING,
    'oidc.ciba.grant.enabled': NOTHING,
    'standard.token.exchange.enabled': NOTHING,
    'user.info.encrypted.response.alg': text('userinfo_encrypted_response_alg'),
    'user.info.encrypted.response.enc': text('userinfo_encrypted_response_enc'),
    'user.info.response.signature.alg': text('userinfo_signed_response_alg'),
    'x509.subjectdn': text('tls_client_auth_subject_dn'),
  }),
);

/** Returns the rule of an attribute that has a counterpart here. */
export const ruleOf = (name: string): Rule | undefined => ATTRIBUTES.get(name);

function keysOf(value: string, isUsed: JsonValue | undefined): { readonly [member: string]: JsonValue } {
  if (isUsed !== 'true') return {};
  try {
    return { jwks: JSON.parse(value) as JsonValue };
  } catch {
    return {};
  }
}

/** Attributes of the database, of SAML, and of pages of Keycloak alone. */
const WITHOUT_EFFECT =
  /^(?:saml[._]|client\.secret\.|realm_client$|exclude\.session\.state|exclude\.issuer|display\.on\.consent|consent\.screen|login_theme$|oidc\.ciba|backchannel\.logout\.revoke|tls\.|request\.uris$|client\.introspection|client\.use\.lightweight|use\.jwks|client_credentials\.use_refresh|access\.token\.header|dpop|jwt\.credential|logout\.confirmation|token\.response\.type|frontchannel\.logout\.session)/u;

/** Values that every export has, and that say "as usual". */
const USUAL: ReadonlySet<string> = new Set(['', 'false', '{}', '[]', 'any', 'not required', '0', '-1']);

/** Says whether an attribute changes nothing about how a client is served. */
export function isInert(name: string, value: string): boolean {
  return USUAL.has(value) || (!ATTRIBUTES.has(name) && WITHOUT_EFFECT.test(name));
}
