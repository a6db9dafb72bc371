import type { Clock } from '../ports/clock.ts';
import type { KeyKind, KeyMaker } from '../ports/key-maker.ts';
import type { Random } from '../ports/random.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { StoredServerKey } from '../ports/server-key-store.ts';
import type { KeyId } from '../spec/identifiers.ts';
import { type JsonWebKey, publicJwk } from '../spec/jwk.ts';

/** The key pairs of a new tenant (decision 28). */
const FIRST_KEYS: readonly { readonly use: 'sig' | 'enc' | 'federation'; readonly kind: KeyKind }[] = [
  { use: 'sig', kind: 'RSA-2048' },
  { use: 'sig', kind: 'P-256' },
  { use: 'sig', kind: 'P-384' },
  { use: 'sig', kind: 'P-521' },
  { use: 'sig', kind: 'Ed25519' },
  { use: 'enc', kind: 'RSA-2048' },
  { use: 'enc', kind: 'P-256' },
  { use: 'federation', kind: 'RSA-2048' },
];

const SECRET_BYTES = 32;

export interface MakingNeeds {
  readonly sealer: Sealer;
  readonly keyMaker: KeyMaker;
  readonly clock: Clock;
}

/** Returns the place that a key is sealed for. It opens nowhere else (decision 16). */
export const keyPlace = (kid: string): string => `server key ${kid}`;

/** Makes the key pairs of the default set that have one of these uses. They are active at once: no other key is known yet. */
export async function makeFirstKeys(
  needs: MakingNeeds,
  uses: readonly StoredServerKey['use'][],
): Promise<readonly StoredServerKey[]> {
  const wanted = FIRST_KEYS.filter(({ use }) => uses.includes(use));
  return await Promise.all(wanted.map(async ({ use, kind }) => await makeKeyPair(needs, use, kind)));
}

/** Makes a key pair. It is active from now on unless `life` sets another time. */
export async function makeKeyPair(
  needs: MakingNeeds,
  use: 'sig' | 'enc' | 'federation',
  kind: KeyKind,
  life: Partial<Pick<StoredServerKey, 'active_at' | 'succeeds'>> & { readonly alg?: string } = {},
): Promise<StoredServerKey> {
  const { alg = use === 'federation' ? 'RS256' : undefined, ...times } = life;
  const made = await needs.keyMaker.makePrivateKey(kind);
  const kid = (await needs.keyMaker.thumbprint(made)) as KeyId;
  return { ...storedKey(needs, use, { ...made, kid, ...(alg === undefined ? {} : { alg }) }), ...times };
}

/** Converts a private key with a `kid` to the form in which it is stored, sealed. */
export function storedKey(
  { sealer, clock }: Pick<MakingNeeds, 'sealer' | 'clock'>,
  use: 'sig' | 'enc' | 'federation',
  jwk: JsonWebKey,
): StoredServerKey {
  const kid = jwk['kid'] as KeyId;
  const now = clock.now();
  const published = publishedJwk(jwk, use);
  return {
    kid,
    use,
    created_at: now,
    active_at: now,
    retired_at: null,
    succeeds: null,
    public_jwk: JSON.stringify(published),
    sealed_jwk: sealer.seal(JSON.stringify({ ...jwk, ...published }), keyPlace(kid)),
  };
}

/** Returns the public members of a key by an allow-list. `x5c`, `key_ops` and all others are dropped. */
export function publishedJwk(jwk: JsonWebKey, use: 'sig' | 'enc' | 'federation'): JsonWebKey {
  const { kid, alg } = jwk;
  const naming = { use: use === 'enc' ? 'enc' : 'sig', kid };
  return { ...publicJwk(jwk), ...naming, ...(alg === undefined ? {} : { alg }) };
}

/** Makes a symmetric secret of the tenant. */
export async function makeSecret(
  needs: MakingNeeds & { readonly random: Random },
  use: 'mac' | 'pairwise',
): Promise<StoredServerKey> {
  const jwk = { kty: 'oct', k: Buffer.from(needs.random.bytes(SECRET_BYTES)).toString('base64url') };
  const kid = (await needs.keyMaker.thumbprint(jwk)) as KeyId;
  const now = needs.clock.now();
  return {
    kid,
    use,
    created_at: now,
    active_at: now,
    retired_at: null,
    succeeds: null,
    public_jwk: null,
    sealed_jwk: needs.sealer.seal(JSON.stringify(jwk), keyPlace(kid)),
  };
}
