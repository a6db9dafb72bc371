import { PROMPTS, RESPONSE_MODES } from '../../grants/authorization/authorization-request.ts';
import { OPENID_SCOPE } from '../../grants/end-user-scope.ts';
import { SCOPE_CLAIMS } from '../../sessions/account-claims.ts';
import { PASSWORD_ACR } from '../../sessions/password-sign-in.ts';
import { RESPONSE_TYPES } from '../../spec/grant-types.ts';

/** Claims about the sign-in itself (OpenID Connect Core 1.0 §2 and OpenID Connect Back-Channel Logout 1.0 §2.1). */
const PROTOCOL_CLAIMS = ['sub', 'iss', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'sid'];

/**
 * Returns the metadata members about the authorisation endpoint (OpenID Connect Discovery 1.0 §3, RFC 8414 §2, RFC 9207 §3 and
 * Initiating User Registration via OpenID Connect 1.0 §4 for `prompt_values_supported`).
 * @param languages the languages of the pages
 */
export function authorizationMetadata(languages: readonly string[]): Readonly<Record<string, unknown>> {
  const claims = [...SCOPE_CLAIMS.values()].flat();
  return {
    response_types_supported: Object.keys(RESPONSE_TYPES),
    response_modes_supported: RESPONSE_MODES,
    scopes_supported: OPENID_SCOPE,
    claims_supported: [...PROTOCOL_CLAIMS, ...claims],
    claim_types_supported: ['normal'],
    claims_parameter_supported: true,
    acr_values_supported: [PASSWORD_ACR],
    prompt_values_supported: PROMPTS,
    ui_locales_supported: languages,
    request_parameter_supported: true,
    authorization_response_iss_parameter_supported: true,
  };
}
