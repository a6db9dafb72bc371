import type { AdminRole } from '../spec/admin-scopes.ts';
import type { Digest, LoginName, Subject } from '../spec/identifiers.ts';
import type { AuditEvent } from './audit-log.ts';
import type { ChangeOutcome } from './client-store.ts';
import type { AccountSignal } from './event-stream-store.ts';
import type { Listing, ListRange } from './listing.ts';

/** A stored account of an end-user. Storage does not read the JSON text in it. */
export interface StoredAccount {
  readonly sub: Subject;
  /** Grows by one with every change. Conditional writes compare it. */
  readonly version: number;
  /** Unique among the accounts of a tenant. */
  readonly login_name: LoginName;
  /** The user name in its owner's spelling. */
  readonly username: string;
  /** PHC string format; null for an account without a password. */
  readonly password_hash: string | null;
  /** JSON text of an object of claims (OpenID Connect Core 1.0 §5.1). */
  readonly claims: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly disabled_at: number | null;
  /** The role in the administration of the server; null: none. */
  readonly admin_role: AdminRole | null;
}

export type AccountCreateOutcome = 'created' | 'login_name_taken' | 'sub_taken';
/** `last_administrator`: no other enabled account has that role. */
export type AccountRemovalOutcome = ChangeOutcome | 'last_administrator';
export type AccountReplaceOutcome = AccountRemovalOutcome | 'login_name_taken';

/** The conditions and effects of replacing an account. */
export interface AccountReplacement {
  readonly expectedVersion: number;
  /** Whether to end every session and grant of the account, and to forget its browsers, in the same transaction. */
  readonly endAll: boolean;
  /** Whether an enabled administrator must remain. Two changes at once cannot both take the last one. */
  readonly keepsAdministrator?: boolean;
  /** Recorded in the same transaction. Absent for maintenance without a visible effect. */
  readonly event?: AuditEvent;
  /** Events for clients with sessions or grants of the account, in the same transaction, before these end. */
  readonly signals?: readonly AccountSignal[];
}

/** The accounts that a list has, and its order: by login name, or the latest first. */
export interface AccountFilter {
  readonly sort: 'name' | 'recent';
  /** The beginning of the login name. */
  readonly prefix?: string | undefined;
  /** A part of the login name. */
  readonly contains?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly role?: AdminRole | undefined;
}

export interface AccountStore {
  find(sub: Subject): Promise<StoredAccount | undefined>;
  findByLoginName(login_name: LoginName): Promise<StoredAccount | undefined>;
  /** Returns at most `limit` accounts with a login name greater than `after`, in code-point order of the login name. */
  page(after: LoginName | undefined, limit: number): Promise<readonly StoredAccount[]>;
  /** Returns a page of the accounts of a filter. */
  list(filter: AccountFilter, range: ListRange): Promise<Listing<StoredAccount>>;
  /** Stores an account. In a race for one login name, exactly one caller gets `created`, and nothing is stored for the others. */
  create(account: StoredAccount, event: AuditEvent): Promise<AccountCreateOutcome>;
  /** Stores `account`, whose version is already raised, if the stored version is still the expected one. */
  replace(account: StoredAccount, replacement: AccountReplacement): Promise<AccountReplaceOutcome>;
  /**
   * Deletes the account with its sessions, grants, consents and known browsers, if the stored version is still that of `account`.
   * @param keepsAdministrator as for a replacement
   */
  delete(
    account: Pick<StoredAccount, 'sub' | 'version'>,
    event: AuditEvent,
    keepsAdministrator?: boolean,
  ): Promise<AccountRemovalOutcome>;
  /** Returns whether the server still remembers that this browser has signed in as `sub`. */
  knowsBrowser(sub: Subject, browser: Digest, now: number): Promise<boolean>;
  /**
   * Remembers until `expires_at` that this browser signed in as `sub`. Beyond `browsersMax` browsers, it forgets those
   * that expire first.
   */
  rememberBrowser(sub: Subject, browser: Digest, expires_at: number, browsersMax: number): Promise<void>;
  /** Deletes at most `limit` browsers that expired before `now` and returns their number. */
  sweepExpired(now: number, limit: number): Promise<number>;
}
