import type { AdminRole } from '../spec/admin-scopes.ts';
import type { Subject } from '../spec/identifiers.ts';

/** An end-user, as sign-in and claims need it. */
export interface Account {
  readonly sub: Subject;
  readonly username: string;
  /** OpenID Connect Core 1.0 §5.1; without `sub`. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** Whether sign-in and issuing are refused. */
  readonly disabled: boolean;
  /** The version of the stored record; undefined for an account of an external directory. */
  readonly version: number | undefined;
  /** The role in the administration of the server; null for everyone else, and for each account of an external directory. */
  readonly admin_role: AdminRole | null;
}

/** The end-users who may sign in: the server's own accounts, or an external directory. */
export interface AccountDirectory {
  find(sub: Subject): Promise<Account | undefined>;
  /** @param username as the end-user typed it, of any length */
  findByLoginName(username: string): Promise<Account | undefined>;
  /**
   * Returns the current account, disabled or not, if the password is right, and undefined otherwise. Takes the same time
   * without an account, so that callers cannot find out which accounts exist.
   * @throws TooManyRequests when more passwords wait than can be checked
   */
  verifyPassword(account: Account | undefined, password: string): Promise<Account | undefined>;
}
