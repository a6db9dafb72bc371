import { type NetworkLimits, networkLimits } from '../clients/rate-limits.ts';
import type { Settings } from '../config/settings.ts';
import type { AccountDirectory } from '../ports/account-directory.ts';
import type { TenantStorage } from '../ports/storage.ts';
import type { SessionNeeds } from '../sessions/browser-session.ts';
import type { InteractionNeeds } from '../sessions/interaction.ts';
import type { AccountNeeds } from '../sessions/manage-account.ts';
import { ownAccounts } from '../sessions/own-accounts.ts';
import type { PasswordSignInNeeds } from '../sessions/password-sign-in.ts';
import { signInLimits } from '../sessions/sign-in-limits.ts';
import { BoundedMap } from '../spec/bounded-map.ts';
import type { Platform } from './platform.ts';

/** Signs the end-users of one tenant in, and remembers it: for endpoints and commands. */
export interface EndUsers {
  readonly accounts: AccountNeeds;
  readonly directory: AccountDirectory;
  readonly passwordSignIn: PasswordSignInNeeds;
  readonly sessions: SessionNeeds;
  readonly interactions: InteractionNeeds;
  /** For interactions that begin without a session. */
  readonly interactionLimits: NetworkLimits;
}

/** Counts accounts under attack whose state is kept in memory. */
const ATTACKED_MAX = 10_000;

/** Opens the sign-in of end-users: one for a tenant, whatever its names. */
export function openEndUsers(
  settings: Settings,
  { clock, random, passwords, log }: Pick<Platform, 'clock' | 'random' | 'passwords' | 'log'>,
  storage: TenantStorage,
): EndUsers {
  const time = { clock, random };
  const directory = ownAccounts({ accounts: storage.accounts, passwords, clock, log });
  const counting = { store: storage.rates, clock, log };
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
      clock,
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
