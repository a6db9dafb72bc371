import type { RemovedServerKey } from '../ports/server-key-store.ts';
import type { JsonWebKey } from '../spec/jwk.ts';

/**
 * Returns a past federation key as §8.7.2 publishes it. `exp` is the end of its use for signing. A compromised key has
 * `revoked`: verifiers must not trust anything that it signed.
 */
export function historicalKey({
  public_jwk,
  created_at,
  retired_at,
  removed_at,
  reason,
}: RemovedServerKey): JsonWebKey {
  return {
    ...(JSON.parse(public_jwk ?? '{}') as JsonWebKey),
    iat: created_at,
    exp: Math.min(retired_at ?? removed_at, removed_at),
    ...(reason === 'compromised' ? { revoked: { revoked_at: removed_at, reason } } : {}),
  };
}
