import type { Awaitable } from '../spec/awaitable.ts';
import type { Digest, LoginName, Subject } from '../spec/identifiers.ts';
import type { AuditEvent } from './audit-log.ts';
import type { ChangeOutcome } from './client-store.ts';

/** An end-user's account as it is kept. The storage floor does not read the JSON text in it. */
export interface StoredAccount {
  readonly sub: Subject;
  /** Grows by one with every change; the ticket of every conditional write. */
  readonly version: number;
  /** Unique among the accounts of a tenant. */
  readonly login_name: LoginName;
  /** The name as its owner writes it. */
  readonly username: string;
  /** PHC string format; null for an account that no password opens. */
  readonly password_hash: string | null;
  /** JSON text of an object of claims (OpenID Connect Core 1.0 §5.1). */
  readonly claims: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly disabled_at: number | null;
}

export type AccountCreateOutcome = 'created' | 'login_name_taken' | 'sub_taken';
export type AccountReplaceOutcome = ChangeOutcome | 'login_name_taken';

/** What an account's new state means for what its owner has open. */
export interface AccountReplacement {
  readonly expectedVersion: number;
  /** Ends every session and grant of the account, and forgets its browsers, in the same transaction. */
  readonly endAll: boolean;
  /** Recorded in the same transaction; without one: maintenance that changes nothing anybody sees. */
  readonly event?: AuditEvent;
}

export interface AccountStore {
  find(sub: Subject): Awaitable<StoredAccount | undefined>;
  findByLoginName(login_name: LoginName): Awaitable<StoredAccount | undefined>;
  /** At most `limit` accounts with a login name greater than `after`, in code-point order of the login name. */
  page(after: LoginName | undefined, limit: number): Awaitable<readonly StoredAccount[]>;
  /** In a race for one login name exactly one caller gets `created`; nothing is stored for the others. */
  create(account: StoredAccount, event: AuditEvent): Promise<AccountCreateOutcome>;
  /** Stores `account` (its version already raised) if the stored version is still the expected one. */
  replace(account: StoredAccount, replacement: AccountReplacement): Promise<AccountReplaceOutcome>;
  /** Removes the account with its sessions, grants, consents and known browsers, if its stored version is still that of `account`. */
  delete(account: Pick<StoredAccount, 'sub' | 'version'>, event: AuditEvent): Promise<ChangeOutcome>;
  /** Whether this browser has signed in as `sub` before, and neither has it expired nor was it forgotten since. */
  knowsBrowser(sub: Subject, browser: Digest, now: number): Awaitable<boolean>;
  /**
   * Remembers that this browser signed in as `sub`, until `expires_at`. Of more than `browsersMax` the ones that expire
   * first are forgotten.
   */
  rememberBrowser(sub: Subject, browser: Digest, expires_at: number, browsersMax: number): Promise<void>;
  /** Forgets at most `limit` browsers that expired before `now`; answers how many. */
  sweepExpired(now: number, limit: number): Promise<number>;
}
