import type { Account, AccountDirectory } from '../ports/account-directory.ts';
import type { AccountStore, StoredAccount } from '../ports/account-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import { TooManyRequests } from '../spec/errors.ts';
import { loginName } from '../spec/login-name.ts';
import { preparedPassword } from './password-rules.ts';

export interface OwnAccountsNeeds {
  readonly accounts: AccountStore;
  readonly passwords: PasswordHasher;
  readonly clock: Clock;
  readonly log: Log;
}

/** Hashed if a password is invalid, so that this refusal takes as long as any other. */
const NO_PASSWORD = '';

/** Presents the accounts of our own store as a directory. */
export function ownAccounts(needs: OwnAccountsNeeds): AccountDirectory {
  const { accounts, passwords } = needs;
  return {
    async find(sub) {
      return known(await accounts.find(sub));
    },
    async findByLoginName(username) {
      const login_name = loginName(username);
      return login_name === undefined ? undefined : known(await accounts.findByLoginName(login_name));
    },
    async verifyPassword(account, password) {
      const stored = account === undefined ? undefined : await accounts.find(account.sub);
      const prepared = preparedPassword(password);
      const hash = prepared === undefined ? null : (stored?.password_hash ?? null);
      const verified = await passwords.verify(prepared ?? NO_PASSWORD, hash);
      if (!verified || stored === undefined || prepared === undefined) return undefined;
      return known(await withCurrentHash(needs, stored, prepared));
    },
  };
}

function known(stored: StoredAccount | undefined): Account | undefined {
  if (stored === undefined) return undefined;
  const { sub, username, disabled_at, version, updated_at, admin_role } = stored;
  const claims = { ...(JSON.parse(stored.claims) as Account['claims']), updated_at };
  return { sub, username, claims, disabled: disabled_at !== null, version, admin_role };
}

/**
 * Renews the hash with the current settings, because only now is the password known. A failure does not
 * affect the sign-in.
 */
async function withCurrentHash(
  { accounts, passwords, clock, log }: OwnAccountsNeeds,
  stored: StoredAccount,
  password: string,
): Promise<StoredAccount> {
  if (stored.password_hash === null || !passwords.isOutdated(stored.password_hash)) return stored;
  try {
    const password_hash = await passwords.hash(password);
    const version = stored.version + 1;
    const renewed = { ...stored, version, password_hash, updated_at: clock.now() };
    const expectedVersion = stored.version;
    const outcome = await accounts.replace(renewed, { expectedVersion, endAll: false });
    return outcome === 'done' ? renewed : stored;
  } catch (cause) {
    if (!(cause instanceof TooManyRequests)) {
      log.error({ cause, sub: stored.sub }, 'password hash could not be renewed');
    }
    return stored;
  }
}
