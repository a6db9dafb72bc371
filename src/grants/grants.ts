import { memberOf } from '../spec/scope.ts';
import { authorizationCode } from './authorization-code.ts';
import { ciba } from './backchannel/ciba.ts';
import { clientCredentials } from './client-credentials.ts';
import { deviceCode } from './device/device-code.ts';
import type { Grant, OfferNeeds } from './grant.ts';
import { jwtBearer } from './jwt-bearer.ts';
import { password } from './password.ts';
import { refreshToken } from './refresh-token.ts';
import { saml2Bearer } from './saml2-bearer.ts';
import { tokenExchange } from './token-exchange/token-exchange.ts';

/** All grants that the token endpoint implements. */
export const GRANTS: readonly Grant[] = [
  authorizationCode,
  clientCredentials,
  refreshToken,
  password,
  jwtBearer,
  saml2Bearer,
  deviceCode,
  ciba,
  tokenExchange,
];

/** Returns the grants that the settings of this server allow. The token endpoint accepts them, and discovery lists them. */
export function offeredGrants(needs: OfferNeeds): readonly Grant[] {
  const allowed = memberOf(needs.settings['authorization.grant-types']);
  return GRANTS.filter((grant) => allowed(grant.grant_type) && grant.isOffered?.(needs) !== false);
}
