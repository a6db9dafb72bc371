import { authorizationCode } from './authorization-code.ts';
import { clientCredentials } from './client-credentials.ts';
import type { Grant, OfferNeeds } from './grant.ts';
import { jwtBearer } from './jwt-bearer.ts';
import { password } from './password.ts';
import { refreshToken } from './refresh-token.ts';
import { saml2Bearer } from './saml2-bearer.ts';

/** Every grant the token endpoint knows. */
export const GRANTS: readonly Grant[] = [
  authorizationCode,
  clientCredentials,
  refreshToken,
  password,
  jwtBearer,
  saml2Bearer,
];

/** The grants this server is set up for. The token endpoint takes these, and discovery names them. */
export function offeredGrants(needs: OfferNeeds): readonly Grant[] {
  return GRANTS.filter((grant) => grant.isOffered?.(needs) !== false);
}
