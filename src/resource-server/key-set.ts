import { isSignedBy, type PublicKey, publicKeyOf, type UnverifiedJwt } from './jws.ts';

/** The keys of the server. */
export interface KeySet {
  /** Verifies a JWT of the server, and returns the `kid` of its key; undefined if it is not genuine. @throws if the keys cannot be fetched */
  verify(jwt: UnverifiedJwt): Promise<string | undefined>;
  /** Whether everything that this key has signed is still good, as far as is known. */
  isGood(kid: string): boolean;
  /** Learns that the keys changed. @param revoked a key that was revoked */
  changed(revoked?: string): void;
}

/** A token with an unknown `kid` fetches the keys at most this often. */
const REFETCH_MS = 10_000;
/** Without news of a change. */
const AGE_MS_MAX = 600_000;

/** @param fetchKeys returns the members `keys` of the JWK set */
export function openKeySet(
  fetchKeys: () => Promise<readonly Readonly<Record<string, unknown>>[]>,
  now: () => number,
): KeySet {
  const revoked = new Set<string>();
  let keys = new Map<string, PublicKey>();
  let fetchedAt = -Infinity;
  let isStale = true;
  let fetching: Promise<void> | undefined;

  const fetchAnew = async (): Promise<void> => {
    isStale = false;
    const begun = now();
    try {
      const found = await fetchKeys();
      keys = new Map(
        found.flatMap((jwk) => {
          const key = publicKeyOf(jwk);
          const { kid } = jwk;
          return key === undefined || typeof kid !== 'string' || revoked.has(kid)
            ? []
            : [[kid, key] as const];
        }),
      );
      fetchedAt = begun;
    } catch (failure) {
      isStale = true;
      throw failure;
    }
  };
  /** Shares one request among callers. */
  const refresh = async (): Promise<void> => {
    fetching ??= fetchAnew().finally(() => {
      fetching = undefined;
    });
    await fetching;
  };

  return {
    async verify(jwt) {
      const { kid } = jwt.header;
      if (typeof kid !== 'string') return undefined;
      const isUnknown = !keys.has(kid) && now() - fetchedAt >= REFETCH_MS;
      if (isStale || isUnknown || now() - fetchedAt >= AGE_MS_MAX) await refresh();
      const key = keys.get(kid);
      return key !== undefined && isSignedBy(jwt, key) ? kid : undefined;
    },
    isGood: (kid) => keys.has(kid),
    changed(kid) {
      isStale = true;
      if (kid === undefined) return;
      revoked.add(kid);
      keys.delete(kid);
    },
  };
}
