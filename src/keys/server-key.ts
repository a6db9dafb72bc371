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

/** Decision 27. A removed key is none any more. */
export type KeyState = 'announced' | 'active' | 'retired';

/** The times are kept, not the state: every process moves on at the same moment, and none has to do it. */
export function keyState(
  { active_at, retired_at }: Pick<StoredServerKey, 'active_at' | 'retired_at'>,
  now: number,
): KeyState {
  if (retired_at !== null && retired_at <= now) return 'retired';
  return active_at <= now ? 'active' : 'announced';
}

/** `RSA`, or the curve: keys of one use and kind take over from each other. */
export function kindOf({ kty, crv }: JsonWebKey): string {
  return String(kty === 'RSA' ? kty : crv);
}
