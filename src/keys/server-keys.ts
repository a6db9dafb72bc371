import { createSecretKey, type KeyObject } from 'node:crypto';
import type { JwtSigner } from '../ports/jwt-signer.ts';
import type { Random } from '../ports/random.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { ServerKeyStore, StoredServerKey } from '../ports/server-key-store.ts';
import { type Awaitable, whenKnown } from '../spec/awaitable.ts';
import { type SignatureAlgorithm, suits } from '../spec/jose-algorithms.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import { keyPlace, type MakingNeeds, makeFirstKeys, makeSecret } from './make-server-keys.ts';
import { keyState, type ServerKey } from './server-key.ts';

export interface ServerKeyNeeds extends MakingNeeds {
  readonly store: ServerKeyStore;
  readonly random: Random;
  readonly signer: JwtSigner;
  /** Replaces generated `sig` and `enc` keys (decision 29). */
  readonly configured: readonly ServerKey[] | undefined;
}

/** The header of a JWT that this server signs, without `kid`. */
export interface SigningHeader {
  readonly alg: SignatureAlgorithm;
  /** RFC 8725 §3.11: a type of its own for each use. */
  readonly typ: string;
}

/** A signature that the thread pool is making. */
export interface BegunSignature {
  readonly jwt: Promise<string>;
}

/** RFC 7517 §5. It is the same object as long as nothing changes. */
export interface JwkSet {
  readonly keys: readonly JsonWebKey[];
  /** When the next announced key takes over, in seconds since the epoch; undefined if none is announced. */
  readonly activation_at?: number;
}

/** The keys of one tenant, as of each call: a process sees the changes of the others. */
export interface ServerKeys {
  /** Returns the server JWK set (RFC 7517 §5), with public members only. */
  jwks(): Promise<JwkSet>;
  /** Signs a compact JWS with the active key for the algorithm; the header has its `kid`. Rejects if there is none. */
  sign(claims: Readonly<Record<string, unknown>>, header: SigningHeader): Promise<string>;
  /**
   * Begins the same for a request that has looked its client up, with the keys as of that look-up: another reading of the journal
   * would cost a turn of the event loop. Resolves when only the signature is left.
   */
  beginToSign(claims: Readonly<Record<string, unknown>>, header: SigningHeader): Promise<BegunSignature>;
  /** Signs what `octets` makes of the identifier of the active key for the algorithm. Rejects if there is none. */
  signOctets(alg: SignatureAlgorithm, octets: (kid: string) => Uint8Array): Promise<Uint8Array>;
  /** Tells whether a key for this algorithm exists. */
  canSign(alg: SignatureAlgorithm): boolean;
  /** Returns the public keys of all signatures of this server that may still be valid. */
  verificationKeys(): Awaitable<readonly JsonWebKey[]>;
  /** Returns the private keys that decrypt, the newest first. */
  decryptionKeys(): Promise<readonly JsonWebKey[]>;
  /** The separate keys of OpenID Federation. No other key signs for it (decision 28). */
  readonly federation: {
    /** Signs with RS256 (interface, Signed server JWK set). */
    sign(claims: Readonly<Record<string, unknown>>, header: { readonly typ?: string }): Promise<string>;
    jwks(): Promise<JwkSet>;
  };
  /** Authenticates the identifiers of access tokens. */
  readonly accessTokenMac: KeyObject;
  /** Derives pairwise subjects. It never changes: a new one would change every pairwise subject. */
  readonly pairwiseSecret: KeyObject;
}

/** Returns keys that sign with these algorithms alone. Documents of a federation keep theirs. */
export function signingOnlyWith(keys: ServerKeys, algorithms: readonly string[]): ServerKeys {
  return { ...keys, canSign: (alg) => algorithms.includes(alg) && keys.canSign(alg) };
}

/** Loads the tenant's keys, and makes them at the first start. */
export async function loadServerKeys(needs: ServerKeyNeeds): Promise<ServerKeys> {
  const present = await presentKeys(needs);
  const accessTokenMac = openedSecret(needs, present, 'mac');
  const pairwiseSecret = openedSecret(needs, present, 'pairwise');
  const ring = followedKeys(needs);
  await ring.current();
  const signWith = (
    keys: readonly ServerKey[],
    claims: Readonly<Record<string, unknown>>,
    use: ServerKey['use'],
    header: { readonly alg: SignatureAlgorithm; readonly typ?: string },
  ): Promise<string> => {
    const key = signingKey(keys, use, header.alg, needs.clock.now());
    if (key === undefined) throw new Error(`no server key signs with ${header.alg}`);
    return needs.signer.sign(claims, { ...header, kid: String(key['kid']) }, key);
  };
  const published = publishedSet('sig', 'enc');
  const verifying = keptFor((keys) => keys.filter(isSig).map(publicOf));
  const publishedForFederation = publishedSet('federation');
  return {
    jwks: async () => published(await ring.current(), needs.clock.now()),
    sign: async (claims, { alg, typ }) => await signWith(await ring.current(), claims, 'sig', { alg, typ }),
    async beginToSign(claims, { alg, typ }) {
      const jwt = signWith(await ring.asLookedUp(), claims, 'sig', { alg, typ });
      // A caller that ends earlier with an error of its own does not wait for it.
      jwt.catch(() => undefined);
      return { jwt };
    },
    async signOctets(alg, octets) {
      const key = signingKey(await ring.current(), 'sig', alg, needs.clock.now());
      if (key === undefined) throw new Error(`no server key signs with ${alg}`);
      return await needs.signer.signOctets(octets(String(key['kid'])), alg, key);
    },
    canSign: (alg) => signingKey(ring.last(), 'sig', alg, needs.clock.now()) !== undefined,
    verificationKeys: () => whenKnown(ring.current(), verifying),
    decryptionKeys: async () => (await ring.current()).filter(isEnc).flatMap(privateOf).reverse(),
    federation: {
      sign: async (claims, header) =>
        await signWith(await ring.current(), claims, 'federation', { ...header, alg: 'RS256' }),
      jwks: async () => publishedForFederation(await ring.current(), needs.clock.now()),
    },
    accessTokenMac,
    pairwiseSecret,
  };
}

const isSig = ({ use }: ServerKey): boolean => use === 'sig';
const isEnc = ({ use }: ServerKey): boolean => use === 'enc';
const publicOf = ({ publicJwk }: ServerKey): JsonWebKey => publicJwk;
const privateOf = ({ privateJwk }: ServerKey): readonly JsonWebKey[] =>
  privateJwk === undefined ? [] : [privateJwk];

/** Returns all stored keys. Makes those of each use that the tenant lacks. */
async function presentKeys(needs: ServerKeyNeeds): Promise<readonly StoredServerKey[]> {
  const uses: readonly StoredServerKey['use'][] =
    needs.configured === undefined ? ['sig', 'enc', 'federation'] : ['federation'];
  let stored = await needs.store.all();
  if (stored.length === 0) {
    const made = await Promise.all([
      makeFirstKeys(needs, uses),
      makeSecret(needs, 'mac'),
      makeSecret(needs, 'pairwise'),
    ]);
    stored = await needs.store.addFirst(made.flat());
  }
  // An older database may have no federation keys; and all keys may have been configured until now.
  for (const use of uses) {
    if (!stored.some((key) => key.use === use))
      stored = await needs.store.addFirstOf(use, await makeFirstKeys(needs, [use]));
  }
  // An older database may have no secret for pairwise subjects.
  if (!stored.some((key) => key.use === 'pairwise'))
    stored = await needs.store.addFirstOf('pairwise', [await makeSecret(needs, 'pairwise')]);
  return stored;
}

const SECRETS = { mac: 'access tokens', pairwise: 'pairwise subjects' } as const;

function openedSecret(
  { sealer }: ServerKeyNeeds,
  stored: readonly StoredServerKey[],
  use: keyof typeof SECRETS,
): KeyObject {
  const key = stored.find((candidate) => candidate.use === use);
  if (key === undefined) throw new Error(`the store holds server keys but not the one for ${SECRETS[use]}`);
  const jwk = openedJwk(sealer, key);
  if (jwk === undefined) throw new Error(`the key for ${SECRETS[use]} has no secret`);
  return createSecretKey(Buffer.from(String(jwk['k']), 'base64url'));
}

function openedJwk(sealer: Sealer, { kid, sealed_jwk }: StoredServerKey): JsonWebKey | undefined {
  return sealed_jwk === null ? undefined : (JSON.parse(sealer.open(sealed_jwk, keyPlace(kid))) as JsonWebKey);
}

/** Caches a value that depends on the keys only, as long as they are the same. */
function keptFor<T>(find: (keys: readonly ServerKey[]) => T): (keys: readonly ServerKey[]) => T {
  let kept: { readonly of: readonly ServerKey[]; readonly value: T } | undefined;
  return (keys) => {
    if (kept?.of !== keys) kept = { of: keys, value: find(keys) };
    return kept.value;
  };
}

interface FollowedKeys {
  current(): Awaitable<readonly ServerKey[]>;
  /** The keys as of the last look-up, by any request. */
  asLookedUp(): Awaitable<readonly ServerKey[]>;
  /** The keys of the last call of either. */
  last(): readonly ServerKey[];
}

/** Opens the stored keys whenever they have changed. The store notices a change before each answer. */
function followedKeys({ store, sealer, configured }: ServerKeyNeeds): FollowedKeys {
  let rows: readonly StoredServerKey[] | undefined;
  let keys: readonly ServerKey[] = [];
  const privateJwks = new Map<string, JsonWebKey | undefined>();
  const opened = (row: StoredServerKey): readonly ServerKey[] => {
    const { kid, use, active_at, retired_at, public_jwk } = row;
    if (use === 'mac' || use === 'pairwise' || public_jwk === null) return [];
    if (configured !== undefined && use !== 'federation') return [];
    // The same object as before, so that signer and decrypter do not import it again.
    const privateJwk = privateJwks.has(kid) ? privateJwks.get(kid) : openedJwk(sealer, row);
    privateJwks.set(kid, privateJwk);
    return [{ use, active_at, retired_at, publicJwk: JSON.parse(public_jwk) as JsonWebKey, privateJwk }];
  };
  const learn = (found: readonly StoredServerKey[]): readonly ServerKey[] => {
    if (found === rows) return keys;
    keys = [...(configured ?? []), ...found.flatMap(opened)];
    rows = found;
    const kids = new Set<string>(found.map(({ kid }) => kid));
    for (const kid of privateJwks.keys()) if (!kids.has(kid)) privateJwks.delete(kid);
    return keys;
  };
  return {
    current: () => whenKnown(store.all(), learn),
    asLookedUp: () => whenKnown(store.all('last-reading'), learn),
    last: () => keys,
  };
}

/**
 * Chooses the signing key: the first active key for the algorithm (decision 29). If all keys become active in the future,
 * this clock is behind the clock that made them (of another server, or its own before it was set back). Then the earliest
 * key signs.
 */
function signingKey(
  keys: readonly ServerKey[],
  use: ServerKey['use'],
  alg: SignatureAlgorithm,
  now: number,
): JsonWebKey | undefined {
  const able = keys.filter(
    ({ use: own, privateJwk }) => own === use && privateJwk !== undefined && suits(privateJwk, alg, 'sign'),
  );
  const active = able.find((candidate) => keyState(candidate, now) === 'active');
  return (active ?? firstToCome(able, now))?.privateJwk;
}

function firstToCome(keys: readonly ServerKey[], now: number): ServerKey | undefined {
  return keys
    .filter((key) => keyState(key, now) === 'announced')
    .reduce<ServerKey | undefined>(
      (first, key) => (first === undefined || key.active_at < first.active_at ? key : first),
      undefined,
    );
}

/** Returns a function that makes the JWK set of these uses. It makes a new set only when a key is added, removed or changes its state. */
function publishedSet(
  ...uses: readonly ServerKey['use'][]
): (keys: readonly ServerKey[], now: number) => JwkSet {
  let made: { readonly of: readonly ServerKey[]; readonly until: number; readonly set: JwkSet } | undefined;
  return (keys, now) => {
    if (made?.of === keys && now < made.until) return made.set;
    const own = keys.filter((key) => uses.includes(key.use));
    const published = own.filter((key) => isPublished(key, now)).map(publicOf);
    const changes = own.flatMap(({ active_at, retired_at }) => [active_at, retired_at ?? 0]);
    const announced = own.map(({ active_at }) => active_at).filter((at) => at > now);
    const set = {
      keys: published,
      ...(announced.length === 0 ? {} : { activation_at: Math.min(...announced) }),
    };
    made = { of: keys, until: Math.min(...changes.filter((at) => at > now), Infinity), set };
    return set;
  };
}

/**
 * Tells whether a key is in the JWK set. A retired signature key stays, because its signatures are still valid. A retired
 * encryption key leaves, so that clients stop using it, and still decrypts while it is kept (OpenID Connect Core 1.0 §10.2.1).
 * An encryption key is never announced, except by a server whose clock is ahead.
 */
function isPublished(key: ServerKey, now: number): boolean {
  return key.use !== 'enc' || key.privateJwk === undefined || keyState(key, now) !== 'retired';
}
