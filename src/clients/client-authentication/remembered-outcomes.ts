import { hash, randomBytes } from 'node:crypto';
import type { StoredClient, StoredSecret } from '../../ports/client-store.ts';
import { BoundedMap } from '../../spec/bounded-map.ts';

/** That this header was this client's, with this secret, while its record had this version. Does not hold the record itself. */
export interface RememberedOutcome extends Pick<StoredClient, 'client_id' | 'instance' | 'version'> {
  readonly secret: StoredSecret;
}

export const rememberedOutcome = (
  { client_id, instance, version }: StoredClient,
  secret: StoredSecret,
): RememberedOutcome => ({ client_id, instance, version, secret });

/** Whether the client's record is still the one that the outcome was about. */
export const isStillAbout = (
  { instance, version }: RememberedOutcome,
  stored: StoredClient | undefined,
): stored is StoredClient => stored?.instance === instance && stored.version === version;

/** Successful authentications by their `Authorization` header, so that its decoding and hashing are done once. */
export interface RememberedOutcomes {
  get(header: string): RememberedOutcome | undefined;
  set(header: string, outcome: RememberedOutcome): void;
}

const OUTCOMES_MAX = 100_000;

/**
 * Keeps digests of headers, made with a key of this process: memory that somebody reads holds no credentials. An
 * outcome is a hint: whoever uses it compares its record with the one that the store gives now.
 */
export function rememberedOutcomes(): RememberedOutcomes {
  const key = randomBytes(32).toString('base64url');
  const outcomes = new BoundedMap<string, RememberedOutcome>(OUTCOMES_MAX);
  const nameOf = (header: string): string => hash('sha256', key + header, 'base64url');
  return {
    get: (header) => outcomes.get(nameOf(header)),
    set: (header, outcome) => outcomes.set(nameOf(header), outcome),
  };
}
