import { joseJwtSigner } from '../jose/jwt-signer.ts';
import { keyMaker } from '../jose/key-maker.ts';
import { loadServerKeys, type ServerKeys } from '../keys/server-keys.ts';
import { systemClock } from '../system/clock.ts';
import { systemRandom } from '../system/random.ts';
import { sealerWith } from '../system/sealer.ts';
import { emptyTenantStorage } from './test-storage.ts';

let made: Promise<ServerKeys> | undefined;

/** Server keys as a first start makes them; made once for all tests of a process, since RSA keys take their time. */
export async function publishedKeys(): Promise<ServerKeys> {
  made ??= loadServerKeys({
    store: emptyTenantStorage().serverKeys,
    sealer: sealerWith([systemRandom.bytes(32)]),
    keyMaker,
    signer: joseJwtSigner(),
    clock: systemClock,
    random: systemRandom,
  });
  return await made;
}
