import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Clock } from '../ports/clock.ts';
import type { KeyKind, KeyMaker } from '../ports/key-maker.ts';
import type { Random } from '../ports/random.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { ServerKeyStore, StoredServerKey } from '../ports/server-key-store.ts';
import type { KeyId } from '../spec/identifiers.ts';
import { type JsonWebKey, publicJwk } from '../spec/jwk.ts';

/** Decision 28. */
const FIRST_KEYS: readonly { readonly use: 'sig' | 'enc'; readonly kind: KeyKind }[] = [
  { use: 'sig', kind: 'RSA-2048' },
  { use: 'sig', kind: 'P-256' },
  { use: 'sig', kind: 'P-384' },
  { use: 'sig', kind: 'P-521' },
  { use: 'sig', kind: 'Ed25519' },
  { use: 'enc', kind: 'RSA-2048' },
  { use: 'enc', kind: 'P-256' },
];

const MAC_KEY_BYTES = 32;

export interface ServerKeyNeeds {
  readonly store: ServerKeyStore;
  readonly sealer: Sealer;
  readonly keyMaker: KeyMaker;
  readonly clock: Clock;
  readonly random: Random;
}

export interface ServerKeys {
  /** The server JWK set (RFC 7517 §5): public members only. */
  readonly jwks: { readonly keys: readonly JsonWebKey[] };
  /** Authenticates the identifiers of access tokens. */
  readonly accessTokenMac: KeyObject;
}

const keyPlace = (kid: string): string => `server key ${kid}`;

/** Loads the tenant's keys; at the first start makes them. */
export async function loadServerKeys(needs: ServerKeyNeeds): Promise<ServerKeys> {
  let stored = await needs.store.all();
  if (stored.length === 0) stored = await needs.store.addFirst(await makeFirstKeys(needs));
  const keys = stored.flatMap((key) =>
    key.public_jwk === null ? [] : [JSON.parse(key.public_jwk) as JsonWebKey],
  );
  const mac = stored.find((key) => key.use === 'mac');
  if (mac === undefined) throw new Error('the store holds server keys but not the one for access tokens');
  const jwk = JSON.parse(needs.sealer.open(mac.sealed_jwk, keyPlace(mac.kid))) as { k: string };
  return { jwks: { keys }, accessTokenMac: createSecretKey(Buffer.from(jwk.k, 'base64url')) };
}

async function makeFirstKeys(needs: ServerKeyNeeds): Promise<readonly StoredServerKey[]> {
  const pairs = FIRST_KEYS.map(async ({ use, kind }) => await makeKeyPair(needs, use, kind));
  return await Promise.all([...pairs, makeMacKey(needs)]);
}

async function makeKeyPair(
  needs: ServerKeyNeeds,
  use: 'sig' | 'enc',
  kind: KeyKind,
): Promise<StoredServerKey> {
  const privateJwk = await needs.keyMaker.makePrivateKey(kind);
  const kid = (await needs.keyMaker.thumbprint(privateJwk)) as KeyId;
  const naming = { use, kid };
  return {
    kid,
    use,
    created_at: needs.clock.now(),
    public_jwk: JSON.stringify({ ...publicJwk(privateJwk), ...naming }),
    sealed_jwk: needs.sealer.seal(JSON.stringify({ ...privateJwk, ...naming }), keyPlace(kid)),
  };
}

async function makeMacKey(needs: ServerKeyNeeds): Promise<StoredServerKey> {
  const jwk = { kty: 'oct', k: Buffer.from(needs.random.bytes(MAC_KEY_BYTES)).toString('base64url') };
  const kid = (await needs.keyMaker.thumbprint(jwk)) as KeyId;
  return {
    kid,
    use: 'mac',
    created_at: needs.clock.now(),
    public_jwk: null,
    sealed_jwk: needs.sealer.seal(JSON.stringify(jwk), keyPlace(kid)),
  };
}

/** Seals again, with the ring's first key, what was sealed with an older one. @returns how many keys were resealed. */
export async function resealServerKeys(store: ServerKeyStore, sealer: Sealer): Promise<number> {
  let resealed = 0;
  for (const key of await store.all()) {
    if (sealer.isCurrent(key.sealed_jwk)) continue;
    const place = keyPlace(key.kid);
    await store.reseal(key.kid, sealer.seal(sealer.open(key.sealed_jwk, place), place));
    resealed += 1;
  }
  return resealed;
}
