import type { StoredServerKey } from '../ports/server-key-store.ts';
import type { JsonWebKey } from '../spec/jwk.ts';

/** A server key ready for use. Its times are those of `StoredServerKey`. */
export interface ServerKey {
  readonly use: 'sig' | 'enc' | 'federation';
  readonly active_at: number;
  readonly retired_at: number | null;
  readonly publicJwk: JsonWebKey;
  /** Undefined for a key that is published and never used. */
  readonly privateJwk: JsonWebKey | undefined;
}

/** The state of a key (decision 27). A removed key has none. */
export type KeyState = 'announced' | 'active' | 'retired';

/** Computes the state from the stored times. So all processes change it at the same moment, without a write. */
export function keyState(
  { active_at, retired_at }: Pick<StoredServerKey, 'active_at' | 'retired_at'>,
  now: number,
): KeyState {
  if (retired_at !== null && retired_at <= now) return 'retired';
  return active_at <= now ? 'active' : 'announced';
}

/** Returns `RSA` or the curve. A successor has the use and kind of its predecessor. */
export function kindOf({ kty, crv }: JsonWebKey): string {
  return String(kty === 'RSA' ? kty : crv);
}
