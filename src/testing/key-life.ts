import assert from 'node:assert/strict';
import type { KeyEvent, KeyLifeNeeds } from '../keys/server-key-life.ts';
import { loadServerKeys, type ServerKeyNeeds, type ServerKeys } from '../keys/server-keys.ts';
import type { KeyMaker } from '../ports/key-maker.ts';
import type { TenantStorage } from '../ports/storage.ts';
import { withRecordCache } from '../storage/record-cache.ts';
import { systemRandom } from '../system/random.ts';
import { sealerWith } from '../system/sealer.ts';
import { ampleCaches } from './caches.ts';
import { cheapKeyMaker } from './key-maker.ts';
import { emptyTenantStorage } from './storage.ts';

export const START = 1_800_000_000;
export const BY = { actor: 'cli', request_id: 'r1' } as const;

const DEFAULTS: KeyLifeNeeds['settings'] = {
  configured: false,
  announcement: 1000,
  rotationInterval: 0,
  retention: 5000,
};

/** One of several processes that share a database and, in a test, a clock. */
export interface KeyProcess {
  readonly keys: ServerKeys;
  readonly life: KeyLifeNeeds;
  readonly events: readonly (readonly [KeyEvent, string])[];
}

export interface KeyScene {
  readonly storage: TenantStorage;
  /** Seconds since the epoch; moved by the test. */
  now: number;
  open(settings?: Partial<KeyLifeNeeds['settings']>, needs?: Partial<ServerKeyNeeds>): Promise<KeyProcess>;
}

/** A database of its own, on which processes are opened that see each other's changes as servers do. */
export function keyScene(keyMaker: KeyMaker = cheapKeyMaker()): KeyScene {
  const storage = emptyTenantStorage();
  const scene: KeyScene = {
    storage,
    now: START,
    async open(settings = {}, needs = {}) {
      const store = withRecordCache(storage, { clients: 10, accessTokens: 10 }, ampleCaches()).serverKeys;
      const clock = { now: () => scene.now, milliseconds: () => scene.now * 1000 };
      const made = { store, sealer: sealerWith([new Uint8Array(32)]), keyMaker, clock };
      const keys = await loadServerKeys({
        ...made,
        configured: undefined,
        random: { alphanumeric: () => assert.fail('not used'), bytes: (count) => systemRandom.bytes(count) },
        signer: {
          sign: (_claims, { kid }) => Promise.resolve(kid),
          signOctets: (octets) => Promise.resolve(octets),
        },
        ...needs,
      });
      const events: (readonly [KeyEvent, string])[] = [];
      const report: KeyLifeNeeds['report'] = (event, { kid }) => void events.push([event, kid]);
      return { keys, events, life: { ...made, report, settings: { ...DEFAULTS, ...settings } } };
    },
  };
  return scene;
}

/** The kid of the key that signs with RS256; the signer of these scenes answers with it. */
export async function signer({ keys }: KeyProcess, alg: 'RS256' | 'ES256' = 'RS256'): Promise<string> {
  return await keys.sign({}, { alg, typ: 'JWT' });
}

export async function publishedKids({ keys }: KeyProcess): Promise<readonly unknown[]> {
  return (await keys.jwks()).keys.map(({ kid }) => kid);
}

export async function verifyingKids({ keys }: KeyProcess): Promise<readonly unknown[]> {
  return (await keys.verificationKeys()).map(({ kid }) => kid);
}
