import type { KeyKind, KeyMaker } from '../ports/key-maker.ts';
import type { ServerKeyStore, StoredServerKey } from '../ports/server-key-store.ts';
import type { ProcessPlatform } from '../process/platform.ts';
import type { JsonWebKey } from '../spec/jwk.ts';

/**
 * Returns a platform on which a tenant without keys has some that are not stored. A plan opens tenants that serve nothing yet, or that it
 * only means to create: it must not write, and new keys for each of thousands take minutes. Clients are checked against the algorithms
 * of the keys, which are those that a server makes, and nothing is signed.
 */
export function withStandInKeys(platform: ProcessPlatform): ProcessPlatform {
  const { storage, jose } = platform;
  return {
    ...platform,
    storage: keepingNoKeys(storage),
    jose: { ...jose, keyMaker: makingOneOfAKind(jose.keyMaker) },
  };
}

function keepingNoKeys(storage: ProcessPlatform['storage']): ProcessPlatform['storage'] {
  return {
    ...storage,
    forTenant(id) {
      const stores = storage.forTenant(id);
      return { ...stores, serverKeys: unstored(stores.serverKeys) };
    },
  };
}

function unstored(store: ServerKeyStore): ServerKeyStore {
  let made: readonly StoredServerKey[] = [];
  return {
    ...store,
    all: async () => (made.length === 0 ? await store.all() : made),
    addFirst: async (keys) => {
      made = keys;
      return await Promise.resolve(made);
    },
    addFirstOf: async (_, keys) => {
      made = [...(made.length === 0 ? await store.all() : made), ...keys];
      return made;
    },
  };
}

/** Makes one key pair of each kind, for all tenants. */
function makingOneOfAKind(maker: KeyMaker): KeyMaker {
  const made = new Map<KeyKind, Promise<JsonWebKey>>();
  return {
    ...maker,
    makePrivateKey: async (kind) =>
      await made.getOrInsertComputed(kind, async () => await maker.makePrivateKey(kind)),
  };
}
