import { hash, randomBytes } from 'node:crypto';
import type { StoredClient, StoredSecret } from '../../ports/client-store.ts';
import { BoundedMap } from '../../spec/bounded-map.ts';

/** That this header was this client's, with this secret, while the client's record was this one. */
export interface RememberedOutcome {
  readonly stored: StoredClient;
  readonly secret: StoredSecret;
}

/** Successful authentications by their `Authorization` header, so that its decoding and hashing are done once. */
export interface RememberedOutcomes {
  get(header: string): RememberedOutcome | undefined;
  set(header: string, outcome: RememberedOutcome): void;
}

const OUTCOMES_MAX = 10_000;

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
