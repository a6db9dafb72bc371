import { createHash } from 'node:crypto';
import { logEvent } from '../clients/person-event.ts';
import type { AccountStore, StoredAccount } from '../ports/account-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { LoginName, Subject } from '../spec/identifiers.ts';
import { loginName } from '../spec/login-name.ts';
import { claimsFault } from './account-claims.ts';
import { accountSignals } from './account-signals.ts';
import { type AccountActor, AccountRefused, accountEvent } from './manage-account.ts';

export interface ExternalAccountNeeds {
  readonly accounts: AccountStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** An end-user that the sign-in page of the operator has authenticated. */
export interface ExternalSubject {
  readonly sub: Subject;
  /** Claims (OpenID Connect Core 1.0 §5.1); undefined keeps those of the account. */
  readonly claims: Readonly<Record<string, unknown>> | undefined;
}

/** Attempts. After a lost race the change is applied to the current record. */
const ATTEMPTS = 3;

/**
 * Returns the account of an end-user who signs in elsewhere. Creates it at the first sign-in, so that tokens,
 * UserInfo and `chancery accounts` treat it like every other account. It has no password. An existing account
 * with this `sub` is used.
 * @throws AccountRefused for invalid claims, a name that is taken, a disabled account, and after lost races
 */
export async function externalAccount(
  needs: ExternalAccountNeeds,
  subject: ExternalSubject,
  actor: AccountActor,
): Promise<StoredAccount> {
  const fault = claimsFault(subject.claims ?? {});
  if (fault !== undefined) throw new AccountRefused(fault);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const known = await needs.accounts.find(subject.sub);
    const account =
      known === undefined
        ? await created(needs, subject, actor)
        : await renewed(needs, known, subject, actor);
    if (account !== undefined) return account;
  }
  throw new AccountRefused('another request changed the account; try again');
}

async function created(
  { accounts, clock, log }: ExternalAccountNeeds,
  { sub, claims = {} }: ExternalSubject,
  actor: AccountActor,
): Promise<StoredAccount | undefined> {
  const now = clock.now();
  const account: StoredAccount = {
    sub,
    version: 1,
    login_name: nameOf(sub),
    username: shownName(sub, claims),
    password_hash: null,
    claims: JSON.stringify(claims),
    created_at: now,
    updated_at: now,
    disabled_at: null,
    admin_role: null,
  };
  const event = accountEvent({ clock }, 'account.create', account, actor, 'signed in elsewhere');
  const outcome = await accounts.create(account, event);
  if (outcome === 'login_name_taken')
    throw new AccountRefused(`another account has the name ${JSON.stringify(account.login_name)}`);
  if (outcome !== 'created') return undefined;
  logEvent({ log }, event);
  return account;
}

async function renewed(
  { accounts, clock, log }: ExternalAccountNeeds,
  known: StoredAccount,
  { sub, claims }: ExternalSubject,
  actor: AccountActor,
): Promise<StoredAccount | undefined> {
  if (known.disabled_at !== null) throw new AccountRefused('the account is disabled');
  const text = JSON.stringify(claims);
  if (claims === undefined || text === known.claims) return known;
  // Accounts with a password keep the name that the end-user types.
  const username = known.password_hash === null ? shownName(sub, claims) : known.username;
  const changed = { ...known, claims: text, username, version: known.version + 1, updated_at: clock.now() };
  const event = accountEvent({ clock }, 'account.update', known, actor, 'claims from elsewhere');
  const signals = accountSignals(known, changed);
  const replacement = { expectedVersion: known.version, endAll: false, event, signals };
  if ((await accounts.replace(changed, replacement)) !== 'done') return undefined;
  logEvent({ log }, event);
  return changed;
}

function shownName(sub: Subject, { preferred_username }: Readonly<Record<string, unknown>>): string {
  return typeof preferred_username === 'string' && preferred_username !== '' ? preferred_username : sub;
}

/**
 * Returns the login name by which `chancery accounts` finds the account. It is a digest if the subject
 * contains characters or upper case that login names do not preserve.
 */
function nameOf(sub: Subject): LoginName {
  const name = loginName(`external:${sub}`);
  if (name === `external:${sub}`) return name;
  return `external:${createHash('sha256').update(sub).digest('hex')}` as LoginName;
}
