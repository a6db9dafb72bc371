import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { TenantStorage } from '../ports/storage.ts';
import type { SessionNeeds } from '../sessions/browser-session.ts';
import type { InteractionNeeds } from '../sessions/interaction.ts';
import type { AccountNeeds } from '../sessions/manage-account.ts';
import { ownAccounts } from '../sessions/own-accounts.ts';
import type { PasswordSignInNeeds } from '../sessions/password-sign-in.ts';
import { type SignInRates, signInLimits } from '../sessions/sign-in-limits.ts';
import { BoundedMap } from '../spec/bounded-map.ts';
import { argon2PasswordHasher } from '../system/password-hasher.ts';
import { systemRandom } from '../system/random.ts';
import { emptyTenantStorage } from './storage.ts';

export const START = 1_800_000_000;
export const ACTOR = { actor: 'cli', request_id: 'test' } as const;
export const ADA = { username: 'Ada', password: 'correct horse', claims: { email: 'ada@example.com' } };

/** As little work as Argon2 allows. */
export const QUICK = { memoryKib: 8, passes: 1, lanes: 1 };

export interface Line {
  readonly message: string;
  readonly members: Readonly<Record<string, unknown>>;
}

/** Everything of the floor on an empty storage, with a clock that the test moves. */
export interface TestEndUsers {
  readonly storage: TenantStorage;
  readonly lines: Line[];
  readonly accounts: AccountNeeds;
  readonly signIn: PasswordSignInNeeds;
  readonly sessions: SessionNeeds;
  readonly interactions: InteractionNeeds;
  /** Seconds pass. */
  pass(seconds: number): void;
}

export interface TestOptions {
  readonly rates?: Partial<SignInRates>;
  readonly passwords?: PasswordHasher;
}

export function testEndUsers(options: TestOptions = {}): TestEndUsers {
  const storage = emptyTenantStorage();
  const store = storage.accounts;
  const passwords =
    options.passwords ??
    argon2PasswordHasher({ parameters: QUICK, concurrency: 2, waitingMax: 100 }, systemRandom);
  let now = START;
  const clock: Clock = { now: () => now, milliseconds: () => now * 1000 };
  const lines: Line[] = [];
  const note: Log['info'] = (members, message) => void lines.push({ members, message });
  const log: Log = { info: note, warn: note, error: note };
  const rates = { perAccountAndNetwork: 3, perAccount: 6, perNetwork: 100, ...options.rates };
  return {
    storage,
    lines,
    accounts: { accounts: store, passwords, clock, random: systemRandom },
    signIn: {
      directory: ownAccounts({ accounts: store, passwords, clock, log }),
      browsers: store,
      limits: signInLimits(rates, { store: storage.rates, clock, log }),
      clock,
      log,
      audit: storage.audit,
      attacked: new BoundedMap(100),
    },
    sessions: {
      sessions: storage.sessions,
      browsers: store,
      clock,
      random: systemRandom,
      limits: { idleLifetime: 3600, lifetime: 86_400, perAccount: 3, browserLifetime: 864_000 },
    },
    interactions: {
      interactions: storage.interactions,
      clock,
      random: systemRandom,
      interactionLifetime: 900,
    },
    pass(seconds) {
      now += seconds;
    },
  };
}
