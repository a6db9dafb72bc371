import type { AccountReplaceOutcome, AccountStore, StoredAccount } from '../ports/account-store.ts';
import type { AuditEvent } from '../ports/audit-log.ts';
import type { Clock } from '../ports/clock.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { Random } from '../ports/random.ts';
import { type AdminRole, permitsRole, scopeOfRole } from '../spec/admin-scopes.ts';
import { IDENTIFIER_LENGTHS, type Subject } from '../spec/identifiers.ts';
import { loginName } from '../spec/login-name.ts';
import { claimsFault } from './account-claims.ts';
import { accountSignals } from './account-signals.ts';
import { newPassword } from './password-rules.ts';

export interface AccountNeeds {
  readonly accounts: AccountStore;
  readonly passwords: PasswordHasher;
  readonly clock: Clock;
  readonly random: Random;
}

/** The party that makes the change, for the audit log. */
export type AccountActor = Pick<AuditEvent, 'actor' | 'request_id' | 'address' | 'user_agent'>;

/** Refuses a change of an account. The message is for the party that manages accounts. */
export class AccountRefused extends Error {
  override readonly name = 'AccountRefused';
  /** Undefined for a value that no account can have. */
  readonly because: AccountReplaceOutcome | undefined;

  constructor(message: string, because?: AccountReplaceOutcome) {
    super(message);
    this.because = because;
  }
}

export interface NewAccount {
  readonly username: string;
  readonly password: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** The role in the administration of the server; absent: none. */
  readonly admin_role?: AdminRole | null;
}

/**
 * Creates an account with a new subject.
 * @throws AccountRefused
 */
export async function addAccount(
  needs: AccountNeeds,
  { username, password, claims, admin_role = null }: NewAccount,
  actor: AccountActor,
): Promise<StoredAccount> {
  const login_name = loginName(username);
  if (login_name === undefined) {
    throw new AccountRefused(
      `${JSON.stringify(username)} is not a valid account name: use letters and digits of one script and ASCII punctuation, without spaces (RFC 8265)`,
    );
  }
  const fault = claimsFault(claims);
  if (fault !== undefined) throw new AccountRefused(fault);
  const now = needs.clock.now();
  const account: StoredAccount = {
    sub: needs.random.alphanumeric(IDENTIFIER_LENGTHS.sub) as Subject,
    version: 1,
    login_name,
    username: username.normalize('NFC'),
    password_hash: await hashOf(needs, password, login_name),
    claims: JSON.stringify(claims),
    created_at: now,
    updated_at: now,
    disabled_at: null,
    admin_role,
  };
  const outcome = await needs.accounts.create(account, accountEvent(needs, 'account.create', account, actor));
  if (outcome === 'created') return account;
  throw new AccountRefused(`the account ${JSON.stringify(login_name)} already exists`, 'login_name_taken');
}

/** Whether an enabled administrator must remain after a change. */
export interface LastAdministrator {
  readonly keepsAdministrator?: boolean;
}

/**
 * Sets a password, and ends all sessions and grants of the account.
 * @throws AccountRefused
 */
export async function setPassword(
  needs: AccountNeeds,
  account: StoredAccount,
  password: string,
  actor: AccountActor,
): Promise<StoredAccount> {
  const password_hash = await hashOf(needs, password, account.login_name);
  return await replace(needs, account, {
    changes: { password_hash },
    detail: 'password',
    endAll: true,
    actor,
  });
}

/**
 * Disables or enables an account. Disabling ends its sessions and grants, and it can no longer sign in.
 * @throws AccountRefused
 */
export async function setDisabled(
  needs: AccountNeeds,
  account: StoredAccount,
  disabled: boolean,
  actor: AccountActor,
  condition: LastAdministrator = {},
): Promise<StoredAccount> {
  const disabled_at = disabled ? (account.disabled_at ?? needs.clock.now()) : null;
  const detail = disabled ? 'disabled' : 'enabled';
  return await replace(needs, account, {
    ...condition,
    changes: { disabled_at },
    detail,
    endAll: disabled,
    actor,
  });
}

/** The members of an account that change together; an absent one stays. */
export interface AccountChanges {
  readonly claims?: NewAccount['claims'];
  readonly admin_role?: AdminRole | null;
}

/**
 * Changes claims and role. A role that permits less ends the sessions and grants of the account, so that no token keeps scope that
 * the account lost.
 * @throws AccountRefused
 */
export async function changeAccount(
  needs: AccountNeeds,
  account: StoredAccount,
  changes: AccountChanges,
  actor: AccountActor,
  condition: LastAdministrator = {},
): Promise<StoredAccount> {
  const { stored, detail, endAll } = changedAccount(account, changes);
  return await replace(needs, account, { ...condition, changes: stored, detail, endAll, actor });
}

/**
 * Returns what a change means for the stored account, without making it.
 * @throws AccountRefused
 */
export function changedAccount(
  account: StoredAccount,
  { claims, admin_role = account.admin_role }: AccountChanges,
): { readonly stored: Partial<StoredAccount>; readonly detail: string; readonly endAll: boolean } {
  const fault = claims === undefined ? undefined : claimsFault(claims);
  if (fault !== undefined) throw new AccountRefused(fault);
  const { admin_role: before } = account;
  const named = [
    ...(claims === undefined ? [] : ['claims']),
    ...(admin_role === before ? [] : [`admin_role ${before ?? 'none'} to ${admin_role ?? 'none'}`]),
  ];
  return {
    stored: { admin_role, ...(claims === undefined ? {} : { claims: JSON.stringify(claims) }) },
    detail: named.join(', '),
    endAll: !permitsRole(scopeOfRole(admin_role), before),
  };
}

/**
 * Deletes an account with its sessions and grants.
 * @throws AccountRefused
 */
export async function deleteAccount(
  needs: AccountNeeds,
  account: StoredAccount,
  actor: AccountActor,
  { keepsAdministrator = false }: LastAdministrator = {},
): Promise<void> {
  const deleted = accountEvent(needs, 'account.delete', account, actor);
  requireDone(await needs.accounts.delete(account, deleted, keepsAdministrator), account);
}

interface Replacing extends LastAdministrator {
  readonly changes: Partial<StoredAccount>;
  readonly detail: string;
  readonly endAll: boolean;
  readonly actor: AccountActor;
}

async function replace(
  needs: AccountNeeds,
  account: StoredAccount,
  { changes, detail, endAll, actor, keepsAdministrator = false }: Replacing,
): Promise<StoredAccount> {
  const version = account.version + 1;
  const changed = { ...account, ...changes, version, updated_at: needs.clock.now() };
  const event = accountEvent(needs, 'account.update', account, actor, detail);
  const signals = accountSignals(account, changed);
  const replacement = { expectedVersion: account.version, endAll, event, keepsAdministrator, signals };
  requireDone(await needs.accounts.replace(changed, replacement), account);
  return changed;
}

async function hashOf(
  { passwords }: AccountNeeds,
  text: string,
  login_name: StoredAccount['login_name'],
): Promise<string> {
  const password = newPassword(text, login_name);
  if ('refused' in password) throw new AccountRefused(password.refused);
  return await passwords.hash(password.password);
}

/** Makes the audit event of a change to an account. */
export function accountEvent(
  { clock }: Pick<AccountNeeds, 'clock'>,
  action: AuditEvent['action'],
  { sub }: StoredAccount,
  actor: AccountActor,
  what?: string,
): AuditEvent {
  const detail = what ?? null;
  return { at: clock.now(), action, outcome: 'done', client_id: null, sub, detail, ...actor };
}

const REFUSALS: Readonly<Record<Exclude<AccountReplaceOutcome, 'done'>, string>> = {
  absent: 'no longer exists',
  changed_meanwhile: 'was changed by another request; try again',
  login_name_taken: 'has a name that another account has',
  last_administrator: 'is the last enabled administrator',
};

function requireDone(outcome: AccountReplaceOutcome, { username }: StoredAccount): void {
  if (outcome === 'done') return;
  throw new AccountRefused(`the account ${JSON.stringify(username)} ${REFUSALS[outcome]}`, outcome);
}
