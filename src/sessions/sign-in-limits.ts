import type { Digest, Subject } from '../spec/identifiers.ts';
import { networkOf } from '../spec/ip-address.ts';
import { retryAfterSeconds, TokenBuckets } from '../spec/token-buckets.ts';

/** Failed attempts per hour, as many at once; 0 = no limit. */
export interface SignInRates {
  /** At one name, from one network or from one browser that its owner has used before. */
  readonly perAccountAndNetwork: number;
  /** At one name, from all networks together. */
  readonly perAccount: number;
  /** From one network, at all names together. */
  readonly perNetwork: number;
}

export interface SignInAttempt {
  /** What was typed, in the form in which names are compared, whether or not there is such an account. */
  readonly name: string;
  readonly remoteAddress: string;
  /** The account and browser, where the browser has signed in as this account before. */
  readonly knownBrowser: { readonly sub: Subject; readonly browser: Digest } | undefined;
}

export type Admission =
  /** `release`: the attempt was no failure, or none that counts. */
  { readonly admitted: true; release(): void } | { readonly admitted: false; readonly retry_after: number };

export interface SignInLimits {
  admit(attempt: SignInAttempt): Admission;
}

const MINUTES = 60;
const BUCKETS_MAX = 100_000;

/**
 * Counts attempts, each before its password is checked, so that attempts at once count too. A browser that its owner has
 * used before is counted by itself: whoever guesses elsewhere uses up what is left for strangers, and locks nobody out.
 * Counted in the memory of each process: a restart forgets, and a guess costs no write.
 *
 * @param milliseconds a monotonic clock
 */
export function signInLimits(rates: SignInRates, milliseconds: () => number): SignInLimits {
  const perHour = (capacity: number): TokenBuckets | undefined =>
    capacity === 0
      ? undefined
      : new TokenBuckets({ capacity, perMinute: capacity / MINUTES }, milliseconds, BUCKETS_MAX);
  const pairs = perHour(rates.perAccountAndNetwork);
  const accounts = perHour(rates.perAccount);
  const networks = perHour(rates.perNetwork);

  const concerned = ({ name, remoteAddress, knownBrowser }: SignInAttempt): readonly Counter[] => {
    if (knownBrowser !== undefined) {
      return counters([pairs, JSON.stringify(['browser', knownBrowser.sub, knownBrowser.browser])]);
    }
    const network = networkOf(remoteAddress);
    return counters(
      [pairs, JSON.stringify(['network', name, network])],
      [accounts, name],
      [networks, network],
    );
  };

  return {
    admit(attempt) {
      const counted = concerned(attempt);
      const waitMs = Math.max(0, ...counted.map(({ buckets, name }) => buckets.waitMs(name)));
      if (waitMs > 0) return { admitted: false, retry_after: retryAfterSeconds(waitMs) };
      for (const { buckets, name } of counted) buckets.take(name);
      return {
        admitted: true,
        release() {
          for (const { buckets, name } of counted) buckets.giveBack(name);
        },
      };
    },
  };
}

interface Counter {
  readonly buckets: TokenBuckets;
  readonly name: string;
}

function counters(...pairs: readonly (readonly [TokenBuckets | undefined, string])[]): readonly Counter[] {
  return pairs.flatMap(([buckets, name]) => (buckets === undefined ? [] : [{ buckets, name }]));
}
