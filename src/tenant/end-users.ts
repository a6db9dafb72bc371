import { type NetworkLimits, networkLimits } from '../clients/rate-limits.ts';
import type { Settings } from '../config/settings.ts';
import type { AccountDirectory } from '../ports/account-directory.ts';
import type { Log } from '../ports/log.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { TenantStorage } from '../ports/storage.ts';
import type { SessionNeeds } from '../sessions/browser-session.ts';
import type { InteractionNeeds } from '../sessions/interaction.ts';
import type { AccountNeeds } from '../sessions/manage-account.ts';
import { ownAccounts } from '../sessions/own-accounts.ts';
import type { PasswordSignInNeeds } from '../sessions/password-sign-in.ts';
import { signInLimits } from '../sessions/sign-in-limits.ts';
import { BoundedMap } from '../spec/bounded-map.ts';
import { systemClock } from '../system/clock.ts';
import { argon2PasswordHasher } from '../system/password-hasher.ts';
import { systemRandom } from '../system/random.ts';

/** What endpoints and commands need to sign the end-users of one tenant in, and to remember it. */
export interface EndUsers {
  readonly accounts: AccountNeeds;
  readonly directory: AccountDirectory;
  readonly passwordSignIn: PasswordSignInNeeds;
  readonly sessions: SessionNeeds;
  readonly interactions: InteractionNeeds;
  /** For what somebody begins who is not signed in. */
  readonly interactionLimits: NetworkLimits;
}

/** One for a process: its threads and its memory are what is bounded. */
export function openPasswords(settings: Settings): PasswordHasher {
  return argon2PasswordHasher(
    {
      parameters: {
        memoryKib: settings['password.memory'],
        passes: settings['password.passes'],
        lanes: settings['password.lanes'],
      },
      concurrency: settings['password.concurrency'],
      waitingMax: settings['password.waiting-max'],
    },
    systemRandom,
  );
}

/** Accounts. */
const ATTACKED_MAX = 10_000;

export function openEndUsers(
  settings: Settings,
  parts: { readonly storage: TenantStorage; readonly passwords: PasswordHasher; readonly log: Log },
): EndUsers {
  const { storage, passwords, log } = parts;
  const time = { clock: systemClock, random: systemRandom };
  const directory = ownAccounts({ accounts: storage.accounts, passwords, clock: systemClock, log });
  const counting = { store: storage.rates, clock: systemClock, log };
  const rates = {
    perAccountAndNetwork: settings['sign-in.attempts-per-account-and-network'],
    perAccount: settings['sign-in.attempts-per-account'],
    perNetwork: settings['sign-in.attempts-per-network'],
  };
  const limits = signInLimits(rates, counting);
  return {
    accounts: { accounts: storage.accounts, passwords, ...time },
    directory,
    passwordSignIn: {
      directory,
      browsers: storage.accounts,
      limits,
      clock: systemClock,
      log,
      audit: storage.audit,
      attacked: new BoundedMap(ATTACKED_MAX),
    },
    sessions: {
      sessions: storage.sessions,
      browsers: storage.accounts,
      ...time,
      limits: {
        idleLifetime: settings['session.idle-lifetime'],
        lifetime: settings['session.lifetime'],
        perAccount: settings['session.per-account-max'],
        browserLifetime: settings['sign-in.browser-lifetime'],
      },
    },
    interactions: {
      interactions: storage.interactions,
      ...time,
      interactionLifetime: settings['interaction.lifetime'],
    },
    interactionLimits: networkLimits(
      {
        kind: 'interaction',
        perNetwork: settings['interaction.rate-per-network'],
        overall: settings['interaction.rate'],
      },
      counting,
    ),
  };
}
