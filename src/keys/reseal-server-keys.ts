import type { Sealer } from '../ports/sealer.ts';
import type { ServerKeyStore } from '../ports/server-key-store.ts';
import { keyPlace } from './make-server-keys.ts';

/** Seals again, with the ring's first key, what was sealed with an older one. @returns how many keys were resealed. */
export async function resealServerKeys(store: ServerKeyStore, sealer: Sealer): Promise<number> {
  let resealed = 0;
  for (const { kid, sealed_jwk } of await store.all()) {
    if (sealed_jwk === null || sealer.isCurrent(sealed_jwk)) continue;
    const place = keyPlace(kid);
    await store.reseal(kid, sealer.seal(sealer.open(sealed_jwk, place), place));
    resealed += 1;
  }
  return resealed;
}
