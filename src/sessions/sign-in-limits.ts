import { type Counted, type RateLimitNeeds, rateLimits } from '../clients/rate-limits.ts';
import type { Digest, Subject } from '../spec/identifiers.ts';
import { networkOf } from '../spec/ip-address.ts';

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
  admit(attempt: SignInAttempt): Promise<Admission>;
}

const MINUTES = 60;

/**
 * Counts attempts, each before its password is checked, so that attempts at once count too. A browser that its owner has
 * used before is counted by itself: whoever guesses elsewhere uses up what is left for strangers, and locks nobody out.
 * Counted for all processes together (`rate-store.ts`).
 */
export function signInLimits(rates: SignInRates, needs: RateLimitNeeds): SignInLimits {
  const limits = rateLimits(needs);
  const counted = (capacity: number, ...what: readonly string[]): readonly Counted[] =>
    capacity === 0 ? [] : [{ what: ['sign-in', ...what], capacity, perMinute: capacity / MINUTES }];

  const concerned = ({ name, remoteAddress, knownBrowser }: SignInAttempt): readonly Counted[] => {
    if (knownBrowser !== undefined) {
      return counted(rates.perAccountAndNetwork, 'browser', knownBrowser.sub, knownBrowser.browser);
    }
    const network = networkOf(remoteAddress);
    return [
      ...counted(rates.perAccountAndNetwork, 'account and network', name, network),
      ...counted(rates.perAccount, 'account', name),
      ...counted(rates.perNetwork, 'network', network),
    ];
  };

  return {
    async admit(attempt) {
      const taken = concerned(attempt);
      const wait = await limits.take(taken);
      if (wait > 0) return { admitted: false, retry_after: wait };
      return { admitted: true, release: () => limits.giveBack(taken) };
    },
  };
}
