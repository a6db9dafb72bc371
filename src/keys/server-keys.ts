import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Clock } from '../ports/clock.ts';
import type { JwtSigner } from '../ports/jwt-signer.ts';
import type { KeyKind, KeyMaker } from '../ports/key-maker.ts';
import type { Random } from '../ports/random.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { ServerKeyStore, StoredServerKey } from '../ports/server-key-store.ts';
import type { Awaitable } from '../spec/awaitable.ts';
import type { KeyId } from '../spec/identifiers.ts';
import { type SignatureAlgorithm, suits } from '../spec/jose-algorithms.ts';
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
  readonly signer: JwtSigner;
}

/** What a JWT of this server says of itself, besides the key that signed it. */
export interface SigningHeader {
  readonly alg: SignatureAlgorithm;
  /** RFC 8725 §3.11: a type of its own for each use. */
  readonly typ: string;
}

/** The keys of one tenant, as they are at the time of the call: every process follows what another one changes. */
export interface ServerKeys {
  /** The server JWK set (RFC 7517 §5): public members only. */
  jwks(): Awaitable<JwkSet>;
  /** A compact JWS with the active key for the algorithm, which the header names by its `kid`. Throws where there is none. */
  sign(claims: Readonly<Record<string, unknown>>, header: SigningHeader): Promise<string>;
  /** Whether there is a key for this algorithm. */
  canSign(alg: SignatureAlgorithm): boolean;
  /** Public keys of everything that this server signed and that may still live; for what comes back to it. */
  verificationKeys(): Awaitable<readonly JsonWebKey[]>;
  /** Private keys for what is encrypted to this server. */
  decryptionKeys(): Awaitable<readonly JsonWebKey[]>;
  /** Authenticates the identifiers of access tokens. */
  readonly accessTokenMac: KeyObject;
}

/** RFC 7517 §5. */
export interface JwkSet {
  readonly keys: readonly JsonWebKey[];
}

const keyPlace = (kid: string): string => `server key ${kid}`;

/** Loads the tenant's keys; at the first start makes them. */
export async function loadServerKeys(needs: ServerKeyNeeds): Promise<ServerKeys> {
  let stored = await needs.store.all();
  if (stored.length === 0) stored = await needs.store.addFirst(await makeFirstKeys(needs));
  const mac = stored.find((key) => key.use === 'mac');
  if (mac === undefined) throw new Error('the store holds server keys but not the one for access tokens');
  const jwk = openedJwk(needs.sealer, mac);
  const pairs = stored.filter((key) => key.use !== 'mac');
  const published = pairs.flatMap((key) =>
    key.public_jwk === null ? [] : [JSON.parse(key.public_jwk) as JsonWebKey],
  );
  const privateJwks = pairs.map((key) => openedJwk(needs.sealer, key));
  const signing = (alg: SignatureAlgorithm): JsonWebKey | undefined =>
    privateJwks.find((key) => suits(key, alg, 'sign'));
  return {
    jwks: () => ({ keys: published }),
    async sign(claims, { alg, typ }) {
      const key = signing(alg);
      if (key === undefined) throw new Error(`no server key signs with ${alg}`);
      return await needs.signer.sign(claims, { alg, kid: String(key['kid']), typ }, key);
    },
    canSign: (alg) => signing(alg) !== undefined,
    verificationKeys: () => published.filter((key) => key['use'] === 'sig'),
    decryptionKeys: () => privateJwks.filter((key) => key['use'] === 'enc'),
    accessTokenMac: createSecretKey(Buffer.from(String(jwk['k']), 'base64url')),
  };
}

function openedJwk(sealer: Sealer, { kid, sealed_jwk }: StoredServerKey): JsonWebKey {
  return JSON.parse(sealer.open(sealed_jwk, keyPlace(kid))) as JsonWebKey;
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
