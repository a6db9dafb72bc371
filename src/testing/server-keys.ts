import { joseJwtSigner } from '../jose/compact-jws.ts';
import { loadServerKeys, type ServerKeys } from '../keys/server-keys.ts';
import { systemClock } from '../system/clock.ts';
import { systemRandom } from '../system/random.ts';
import { sealerWith } from '../system/sealer.ts';
import { sharedKeys } from './platform.ts';
import { emptyTenantStorage } from './storage.ts';

let made: Promise<ServerKeys> | undefined;

/** Returns server keys as a first start makes them: the same keys that every tenant on a test platform has. */
export async function publishedKeys(): Promise<ServerKeys> {
  made ??= loadServerKeys({
    store: emptyTenantStorage().serverKeys,
    sealer: sealerWith([systemRandom.bytes(32)]),
    keyMaker: sharedKeys(),
    signer: joseJwtSigner(),
    clock: systemClock,
    random: systemRandom,
    configured: undefined,
  });
  return await made;
}
