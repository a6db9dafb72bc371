import { type Counted, type RateLimitNeeds, rateLimits } from '../clients/rate-limits.ts';
import type { Settings } from '../config/settings.ts';
import type { Digest, Subject } from '../spec/identifiers.ts';
import { networkOf } from '../spec/ip-address.ts';

export interface SignInAttempt {
  /** The typed name in the form in which names are compared, whether or not the account exists. */
  readonly name: string;
  readonly remoteAddress: string;
  /** The account and browser, if the browser has signed in as this account before. */
  readonly knownBrowser: { readonly sub: Subject; readonly browser: Digest } | undefined;
}

export type Admission =
  /** Allows the attempt. `release` takes it back from the counters, if it did not fail. */
  { readonly admitted: true; release(): void } | { readonly admitted: false; readonly retry_after: number };

export interface SignInLimits {
  admit(attempt: SignInAttempt): Promise<Admission>;
}

const MINUTES = 60;

/**
 * Counts each attempt before its password is checked, so that parallel attempts count too. A known browser
 * has a counter of its own: an attacker elsewhere exhausts the counters of strangers and locks out no known
 * browser. All processes share the counters (`src/ports/rate-store.ts`).
 */
export function signInLimits(settings: Settings, needs: RateLimitNeeds): SignInLimits {
  const limits = rateLimits(needs);
  const perAccountAndNetwork = settings['sign-in.attempts-per-account-and-network'];
  const counted = (capacity: number, ...what: readonly string[]): readonly Counted[] =>
    capacity === 0 ? [] : [{ what: ['sign-in', ...what], capacity, perMinute: capacity / MINUTES }];

  const concerned = ({ name, remoteAddress, knownBrowser }: SignInAttempt): readonly Counted[] => {
    if (knownBrowser !== undefined) {
      return counted(perAccountAndNetwork, 'browser', knownBrowser.sub, knownBrowser.browser);
    }
    const network = networkOf(remoteAddress);
    return [
      ...counted(perAccountAndNetwork, 'account and network', name, network),
      ...counted(settings['sign-in.attempts-per-account'], 'account', name),
      ...counted(settings['sign-in.attempts-per-network'], 'network', network),
    ];
  };

  return {
    async admit(attempt) {
      const taken = concerned(attempt);
      const wait = await limits.take(taken);
      if (wait > 0) return { admitted: false, retry_after: wait };
      return { admitted: true, release: () => void limits.giveBack(taken) };
    },
  };
}
