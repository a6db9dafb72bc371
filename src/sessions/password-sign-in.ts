import { record } from '../clients/audit-trail.ts';
import { digestOf } from '../keys/digest.ts';
import type { Account, AccountDirectory } from '../ports/account-directory.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { AuditLog } from '../ports/audit-log.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { BoundedMap } from '../spec/bounded-map.ts';
import { TooManyRequests } from '../spec/errors.ts';
import type { Digest, Subject } from '../spec/identifiers.ts';
import { loginName } from '../spec/login-name.ts';
import type { Admission, SignInLimits } from './sign-in-limits.ts';

export interface PasswordSignInNeeds {
  readonly directory: AccountDirectory;
  /** Of the browsers that have signed in before; of accounts that are kept elsewhere too. */
  readonly browsers: Pick<AccountStore, 'knowsBrowser'>;
  readonly limits: SignInLimits;
  readonly clock: Clock;
  readonly log: Log;
  readonly audit: AuditLog;
  /** Until when an account is known to be under attack, by its subject: an attack is one event an hour, not one an attempt. */
  readonly attacked: BoundedMap<Subject, number>;
}

export interface PasswordAttempt {
  /** As they were typed, of any length. */
  readonly username: string;
  readonly password: string;
  readonly remoteAddress: string;
  /** The cookie of an earlier sign-in in this browser; undefined where there is none, and for a grant. */
  readonly browser: string | undefined;
  /** Names the request in the log. */
  readonly request_id: string;
}

export type PasswordOutcome =
  | { readonly outcome: 'authenticated'; readonly account: Account }
  /** One answer for an unknown name, a wrong password and a disabled account; the reason is in the log only. */
  | { readonly outcome: 'refused' }
  | { readonly outcome: 'too_many_attempts'; readonly retry_after: number };

/** SAML 2.0 Authentication Context §3.4.9, the one that OpenID Connect Core 1.0 §2 takes its examples from; RFC 8176 §2. */
export const PASSWORD_ACR = 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport';
export const PASSWORD_AMR = ['pwd'] as const;

/** What is counted for a name that no account can have. */
const NO_NAME = '';

/** Whether this name and password belong together, within the limits for guessing. For the sign-in page and for the password grant. */
export async function authenticateWithPassword(
  needs: PasswordSignInNeeds,
  attempt: PasswordAttempt,
): Promise<PasswordOutcome> {
  const account = await needs.directory.findByLoginName(attempt.username);
  const admission = await needs.limits.admit({
    name: loginName(attempt.username) ?? NO_NAME,
    remoteAddress: attempt.remoteAddress,
    knownBrowser: await knownBrowser(needs, account, attempt),
  });
  if (!admission.admitted) return tooMany(needs, attempt, admission.retry_after, account);
  return await admitted(needs, attempt, account, admission);
}

async function admitted(
  { directory, log }: PasswordSignInNeeds,
  attempt: PasswordAttempt,
  account: Account | undefined,
  admission: Extract<Admission, { readonly admitted: true }>,
): Promise<PasswordOutcome> {
  try {
    const verified = await directory.verifyPassword(account, attempt.password);
    if (verified !== undefined) admission.release();
    if (verified !== undefined && !verified.disabled) return { outcome: 'authenticated', account: verified };
    const { request_id } = attempt;
    log.info({ request_id, sub: account?.sub, reason: refusalReason(account, verified) }, 'sign-in refused');
    return { outcome: 'refused' };
  } catch (failure) {
    // Nothing was checked, so nothing was guessed.
    admission.release();
    if (!(failure instanceof TooManyRequests)) throw failure;
    log.warn({ request_id: attempt.request_id }, 'more passwords wait than can be checked');
    return { outcome: 'too_many_attempts', retry_after: failure.retryAfterSeconds };
  }
}

function refusalReason(account: Account | undefined, verified: Account | undefined): string {
  if (account === undefined) return 'unknown name';
  return verified === undefined ? 'wrong password' : 'disabled account';
}

async function knownBrowser(
  { browsers, clock }: PasswordSignInNeeds,
  account: Account | undefined,
  { browser }: PasswordAttempt,
): Promise<{ sub: Account['sub']; browser: Digest } | undefined> {
  if (account === undefined || browser === undefined) return undefined;
  const digest = digestOf(browser);
  const known = await browsers.knowsBrowser(account.sub, digest, clock.now());
  return known ? { sub: account.sub, browser: digest } : undefined;
}

function tooMany(
  needs: PasswordSignInNeeds,
  { request_id }: PasswordAttempt,
  retry_after: number,
  account: Account | undefined,
): PasswordOutcome {
  const { log } = needs;
  if (account !== undefined) noteAttack(needs, account.sub, request_id);
  log.warn({ request_id, sub: account?.sub, retry_after }, 'sign-in refused: too many attempts');
  return { outcome: 'too_many_attempts', retry_after };
}

const ATTACK_SECONDS = 3600;

function noteAttack(needs: PasswordSignInNeeds, sub: Subject, request_id: string): void {
  const at = needs.clock.now();
  if ((needs.attacked.get(sub) ?? 0) > at) return;
  needs.attacked.set(sub, at + ATTACK_SECONDS);
  const detail = `sub ${sub}: too many attempts`;
  const who = { actor: 'unknown', client_id: null, request_id };
  record(needs, { at, action: 'account.locked', outcome: 'done', detail, ...who });
}
