import { createHash } from 'node:crypto';
import type { AccountStore, StoredAccount } from '../ports/account-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { LoginName, Subject } from '../spec/identifiers.ts';
import { loginName } from '../spec/login-name.ts';
import { claimsFault } from './account-claims.ts';
import { type AccountActor, AccountRefused, accountEvent } from './manage-account.ts';

export interface ExternalAccountNeeds {
  readonly accounts: AccountStore;
  readonly clock: Clock;
}

/** Somebody whom the operator's own page has signed in. */
export interface ExternalSubject {
  readonly sub: Subject;
  /** OpenID Connect Core 1.0 §5.1; undefined: as they are known already. */
  readonly claims: Readonly<Record<string, unknown>> | undefined;
}

/** A change that somebody else was faster with is tried again on what they left. */
const ATTEMPTS = 3;

/**
 * The account of somebody who signs in elsewhere: made when they first come, so that tokens, UserInfo and `chancery accounts`
 * know them like everybody else. No password opens it. A `sub` of an account that is there already means that account.
 * @throws AccountRefused for claims that no account can have, and for an account that is disabled
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
  throw new AccountRefused('the account was changed meanwhile: try again');
}

async function created(
  { accounts, clock }: ExternalAccountNeeds,
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
  };
  const event = accountEvent({ clock }, 'account.create', account, actor, 'signed in elsewhere');
  const outcome = await accounts.create(account, event);
  if (outcome === 'login_name_taken')
    throw new AccountRefused(`another account has the name ${JSON.stringify(account.login_name)}`);
  return outcome === 'created' ? account : undefined;
}

async function renewed(
  { accounts, clock }: ExternalAccountNeeds,
  known: StoredAccount,
  { sub, claims }: ExternalSubject,
  actor: AccountActor,
): Promise<StoredAccount | undefined> {
  if (known.disabled_at !== null) throw new AccountRefused('the account is disabled');
  const text = JSON.stringify(claims);
  if (claims === undefined || text === known.claims) return known;
  // Who signs in here keeps the name that opens the account.
  const username = known.password_hash === null ? shownName(sub, claims) : known.username;
  const changed = { ...known, claims: text, username, version: known.version + 1, updated_at: clock.now() };
  const event = accountEvent({ clock }, 'account.update', known, actor, 'claims from elsewhere');
  const replacement = { expectedVersion: known.version, endAll: false, event };
  return (await accounts.replace(changed, replacement)) === 'done' ? changed : undefined;
}

function shownName(sub: Subject, { preferred_username }: Readonly<Record<string, unknown>>): string {
  return typeof preferred_username === 'string' && preferred_username !== '' ? preferred_username : sub;
}

/** By which `chancery accounts` finds it. Two subjects may differ in what names do not: case, or signs that no name has. */
function nameOf(sub: Subject): LoginName {
  const name = loginName(`external:${sub}`);
  if (name === `external:${sub}`) return name;
  return `external:${createHash('sha256').update(sub).digest('hex')}` as LoginName;
}
