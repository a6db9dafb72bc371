import { hash, randomBytes } from 'node:crypto';
import type { StoredClient, StoredSecret } from '../../ports/client-store.ts';
import { type Caches, SLOT_BYTES } from '../../spec/caches.ts';
import { DigestMap } from '../../spec/digest-map.ts';

/**
 * A successful authentication: the client, its secret and the version of its record at that time. Does not
 * keep the record alive.
 */
export interface RememberedOutcome extends Pick<StoredClient, 'client_id' | 'instance' | 'version'> {
  readonly secret: StoredSecret;
}

export const rememberedOutcome = (
  { client_id, instance, version }: StoredClient,
  secret: StoredSecret,
): RememberedOutcome => ({ client_id, instance, version, secret });

/** Says whether the client's record is still the version that the outcome was about. */
export const isStillAbout = (
  { instance, version }: RememberedOutcome,
  stored: StoredClient | undefined,
): stored is StoredClient => stored?.instance === instance && stored.version === version;

/** A cache of successful authentications by their `Authorization` header. It saves decoding and hashing. */
export interface RememberedOutcomes {
  get(header: string): RememberedOutcome | undefined;
  set(header: string, outcome: RememberedOutcome): void;
}

interface NamedOutcome extends RememberedOutcome {
  readonly name: string;
}

/** A digest, an outcome, and the secret and identifiers that it keeps alive. */
const OUTCOME_BYTES = SLOT_BYTES + 560;

/**
 * Opens a bounded cache. Its keys are digests of headers under a random key of this process, so a memory dump
 * holds no credentials. An entry is a hint: compare it with the current record (`isStillAbout`).
 */
export function rememberedOutcomes(caches: Caches): RememberedOutcomes {
  const key = randomBytes(32).toString('base64url');
  const outcomes = new DigestMap(
    caches.open<number, NamedOutcome>('authentications', { weigh: () => OUTCOME_BYTES }),
    ({ name }) => name,
  );
  const nameOf = (header: string): string => hash('sha256', key + header, 'base64url');
  return {
    get: (header) => outcomes.get(nameOf(header)),
    set(header, outcome) {
      const name = nameOf(header);
      outcomes.set(name, { ...outcome, name });
    },
  };
}
