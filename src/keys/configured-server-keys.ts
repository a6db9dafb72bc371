import type { KeyMaker } from '../ports/key-maker.ts';
import { publishedJwk } from './make-server-keys.ts';
import { readServerJwkSet, requireSigningKey } from './server-jwk-set.ts';
import type { ServerKey } from './server-key.ts';

/**
 * Decision 29: a configured JWK set replaces the generated one. What of it has no private half is published and not
 * used. @throws ServerJwkSetRefused
 */
export async function configuredServerKeys(
  text: string,
  keyMaker: Pick<KeyMaker, 'thumbprint'>,
): Promise<readonly ServerKey[]> {
  const keys = await readServerJwkSet(text, keyMaker);
  requireSigningKey(keys);
  return keys.map(({ use, jwk, isPrivate }) => ({
    use,
    active_at: 0,
    retired_at: isPrivate ? null : 0,
    publicJwk: publishedJwk(jwk, use),
    privateJwk: isPrivate ? jwk : undefined,
  }));
}
