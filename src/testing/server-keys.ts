import { joseJwtSigner } from '../jose/jwt-signer.ts';
import { joseJwtVerifier } from '../jose/jwt-verifier.ts';
import { keyMaker } from '../jose/key-maker.ts';
import { loadServerKeys, type ServerKeys } from '../keys/server-keys.ts';
import type { Clock } from '../ports/clock.ts';
import { BoundedMap } from '../spec/bounded-map.ts';
import { systemClock } from '../system/clock.ts';
import { systemRandom } from '../system/random.ts';
import { sealerWith } from '../system/sealer.ts';
import type { SelfContainedTokenNeeds } from '../tokens/self-contained-token.ts';
import { emptyTenantStorage } from './storage.ts';

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
    configured: undefined,
  });
  return await made;
}

/** Signs with those keys, which are made when a test first asks for a self-contained token. */
export function selfContainedTokens(issuer: string, clock: Clock): SelfContainedTokenNeeds {
  return {
    keys: {
      sign: async (claims, header) => await (await publishedKeys()).sign(claims, header),
      verificationKeys: async () => await (await publishedKeys()).verificationKeys(),
    },
    verifier: joseJwtVerifier(clock),
    algorithm: 'ES256',
    defaultAudience: [issuer],
    genuine: new BoundedMap(1000),
  };
}
