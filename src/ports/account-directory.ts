import type { Subject } from '../spec/identifiers.ts';

/** An end-user as sign-in and claims see one. */
export interface Account {
  readonly sub: Subject;
  readonly username: string;
  /** OpenID Connect Core 1.0 §5.1; without `sub`. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** Nobody signs in, and nothing is issued. */
  readonly disabled: boolean;
  /** Of the record in our own store; undefined for an account that is kept elsewhere. */
  readonly version: number | undefined;
}

/** Who may sign in: our own accounts, or a directory of somebody else's. */
export interface AccountDirectory {
  find(sub: Subject): Promise<Account | undefined>;
  /** @param username as it was typed, of any length */
  findByLoginName(username: string): Promise<Account | undefined>;
  /**
   * The account as it is now if `password` opens it, disabled or not. Undefined otherwise, also without an account,
   * and after the same time, so that nobody learns who has one.
   * @throws TooManyRequests when more passwords wait than can be checked
   */
  verifyPassword(account: Account | undefined, password: string): Promise<Account | undefined>;
}
