import type { Clock } from '../ports/clock.ts';
import type { KeyKind, KeyMaker } from '../ports/key-maker.ts';
import type { Random } from '../ports/random.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { StoredServerKey } from '../ports/server-key-store.ts';
import type { KeyId } from '../spec/identifiers.ts';
import { type JsonWebKey, publicJwk } from '../spec/jwk.ts';

/** Decision 28. */
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

/** What a key is sealed for: it opens as this one only (decision 16). */
export const keyPlace = (kid: string): string => `server key ${kid}`;

/** The key pairs of the default set that have one of these uses; active at once, since nobody knows any other. */
export async function makeFirstKeys(
  needs: MakingNeeds,
  uses: readonly StoredServerKey['use'][],
): Promise<readonly StoredServerKey[]> {
  const wanted = FIRST_KEYS.filter(({ use }) => uses.includes(use));
  return await Promise.all(wanted.map(async ({ use, kind }) => await makeKeyPair(needs, use, kind)));
}

/** A new key pair, active from now on unless `times` says otherwise. */
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

/** A private key that has its `kid`, as it is kept. */
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

/** The public key and how it is named, by an allow-list: `x5c`, `key_ops` and whatever else there is stay behind. */
export function publishedJwk(jwk: JsonWebKey, use: 'sig' | 'enc' | 'federation'): JsonWebKey {
  const { kid, alg } = jwk;
  const naming = { use: use === 'enc' ? 'enc' : 'sig', kid };
  return { ...publicJwk(jwk), ...naming, ...(alg === undefined ? {} : { alg }) };
}

/** A secret of the tenant that is no key pair. */
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
