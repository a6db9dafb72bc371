import type { Clock } from '../ports/clock.ts';
import type { ServerKeyStore } from '../ports/server-key-store.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import { type KeyState, keyState, kindOf, type ServerKey } from './server-key.ts';
import { isKeyPair, jwkOf } from './server-key-life.ts';

/** A server key as operators see it. Times are seconds since the Unix epoch. */
export interface ListedKey {
  readonly kid: string;
  readonly use: string;
  readonly kind: string;
  /** `configured` and `published` for keys of `keys.jwk-set`; `unused` for generated keys that these replace. */
  readonly state: KeyState | 'configured' | 'published' | 'unused';
  readonly active_at: number | null;
  readonly retired_at: number | null;
  /** The time of the removal under the present settings. */
  readonly removed_at: number | null;
  readonly jwk: JsonWebKey;
}

export interface KeyListNeeds {
  readonly store: ServerKeyStore;
  readonly clock: Clock;
  /** Seconds that a retired key stays published. */
  readonly retention: number;
  /** The keys of the setting; undefined where keys are generated. */
  readonly configured: readonly ServerKey[] | undefined;
}

/** Returns the configured keys, then the stored ones in order of addition. */
export async function listServerKeys({
  store,
  clock,
  retention,
  configured,
}: KeyListNeeds): Promise<readonly ListedKey[]> {
  const now = clock.now();
  const stored = (await store.all()).filter(isKeyPair).map((key): ListedKey => {
    const { kid, use, active_at, retired_at } = key;
    const jwk = jwkOf(key);
    const state = configured !== undefined && use !== 'federation' ? 'unused' : keyState(key, now);
    const removed_at = retired_at === null ? null : retired_at + retention;
    return { kid, use, kind: kindOf(jwk), state, active_at, retired_at, removed_at, jwk };
  });
  return [...(configured ?? []).map(configuredKey), ...stored];
}

function configuredKey({ use, publicJwk, privateJwk }: ServerKey): ListedKey {
  return {
    kid: String(publicJwk['kid']),
    use,
    kind: kindOf(publicJwk),
    state: privateJwk === undefined ? 'published' : 'configured',
    active_at: null,
    retired_at: null,
    removed_at: null,
    jwk: publicJwk,
  };
}
