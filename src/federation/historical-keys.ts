import type { RemovedServerKey } from '../ports/server-key-store.ts';
import type { JsonWebKey } from '../spec/jwk.ts';

/**
 * A federation key of the past (§8.7.2): `exp` is when it signed last, or would have; `revoked` is there where it was ended
 * because others may have it, so that nothing that it signed is to be believed.
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
