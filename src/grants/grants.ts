import { clientCredentials } from './client-credentials.ts';
import type { Grant, OfferNeeds } from './grant.ts';
import { jwtBearer } from './jwt-bearer.ts';
import { refreshToken } from './refresh-token.ts';
import { saml2Bearer } from './saml2-bearer.ts';

/** Every grant the token endpoint knows. */
export const GRANTS: readonly Grant[] = [clientCredentials, refreshToken, jwtBearer, saml2Bearer];

/** The grants this server is set up for. The token endpoint takes these, and discovery names them. */
export function offeredGrants(needs: OfferNeeds): readonly Grant[] {
  return GRANTS.filter((grant) => grant.isOffered?.(needs) !== false);
}
