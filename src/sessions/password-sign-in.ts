import { record } from '../clients/audit-trail.ts';
import { type PersonEventNeeds, personEvent, type RequestOrigin } from '../clients/person-event.ts';
import { digestOf } from '../keys/digest.ts';
import type { Account, AccountDirectory } from '../ports/account-directory.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { AuditLog } from '../ports/audit-log.ts';
import type { Log } from '../ports/log.ts';
import type { Counting } from '../ports/metrics.ts';
import type { BoundedMap } from '../spec/bounded-map.ts';
import { TooManyRequests } from '../spec/errors.ts';
import type { Digest, Subject } from '../spec/identifiers.ts';
import { loginName } from '../spec/login-name.ts';
import type { RefusalReason } from '../spec/refusal-reasons.ts';
import type { Admission, SignInLimits } from './sign-in-limits.ts';

export interface PasswordSignInNeeds extends PersonEventNeeds {
  readonly directory: AccountDirectory;
  /** Browsers that have signed in before, also for accounts of another store. */
  readonly browsers: Pick<AccountStore, 'knowsBrowser'>;
  readonly limits: SignInLimits;
  readonly log: Log;
  readonly metrics: Pick<Counting, 'count'>;
  readonly audit: AuditLog;
  /**
   * Accounts under attack and when that state ends, so that an attack causes one audit event an hour instead
   * of one per attempt.
   */
  readonly attacked: BoundedMap<Subject, number>;
}

export interface PasswordAttempt extends RequestOrigin {
  /** The sign-in page, or the password grant. */
  readonly method: 'password' | 'password-grant';
  /** The texts that the end-user typed, of any length. */
  readonly username: string;
  readonly password: string;
  /** The cookie of an earlier sign-in in this browser; undefined if there is none, and for a grant. */
  readonly browser: string | undefined;
  /** The client that the end-user signs in for, for the log; null without one. */
  readonly client_id: string | null;
}

export type PasswordOutcome =
  | { readonly outcome: 'authenticated'; readonly account: Account }
  /** Means an unknown name, a wrong password or a disabled account; only the log has the reason. */
  | { readonly outcome: 'refused' }
  | { readonly outcome: 'too_many_attempts'; readonly retry_after: number };

/**
 * SAML 2.0 Authentication Context §3.4.9, the source of the examples in OpenID Connect Core 1.0 §2; RFC 8176 §2.
 */
export const PASSWORD_ACR = 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport';
export const PASSWORD_AMR = ['pwd'] as const;

/** Counted in place of a name that no account can have. */
const NO_NAME = '';

/**
 * Authenticates an end-user by name and password, within the limits against guessing. The sign-in page and
 * the password grant use it.
 */
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
  needs: PasswordSignInNeeds,
  attempt: PasswordAttempt,
  account: Account | undefined,
  admission: Extract<Admission, { readonly admitted: true }>,
): Promise<PasswordOutcome> {
  const { directory, log } = needs;
  try {
    const verified = await directory.verifyPassword(account, attempt.password);
    if (verified !== undefined) admission.release();
    if (verified !== undefined && !verified.disabled) return { outcome: 'authenticated', account: verified };
    log.info(refusedSignIn(needs, attempt, refusalReason(account, verified), account), 'sign-in refused');
    return { outcome: 'refused' };
  } catch (failure) {
    // The password was not checked, so the attempt does not count.
    admission.release();
    if (!(failure instanceof TooManyRequests)) throw failure;
    log.warn(
      refusedSignIn(needs, attempt, 'sign-ins-wait', account),
      'sign-in refused: too many passwords wait to be checked',
    );
    return { outcome: 'too_many_attempts', retry_after: failure.retryAfterSeconds };
  }
}

function refusalReason(account: Account | undefined, verified: Account | undefined): RefusalReason {
  if (account === undefined) return 'unknown-user';
  return verified === undefined ? 'wrong-password' : 'disabled-account';
}

/** Counts a refused sign-in. Returns what the log says about it: never the typed texts. */
const refusedSignIn = (
  needs: PasswordSignInNeeds,
  attempt: PasswordAttempt,
  reason: RefusalReason,
  account: Account | undefined,
): Readonly<Record<string, unknown>> => {
  const { client_id, method } = attempt;
  needs.metrics.count('chancery_sign_ins_total', { method, outcome: reason });
  // A caller that no password has authenticated.
  const about = {
    sub: account?.sub,
    client_id,
    actor: 'unknown',
    outcome: 'refused',
    detail: reason,
  } as const;
  return { ...personEvent(needs, 'sign-in.refuse', about, attempt), reason };
};

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
  attempt: PasswordAttempt,
  retry_after: number,
  account: Account | undefined,
): PasswordOutcome {
  const { log } = needs;
  if (account !== undefined) noteAttack(needs, account.sub, attempt);
  const about = { ...refusedSignIn(needs, attempt, 'too-many-sign-ins', account), retry_after };
  log.warn(about, 'sign-in refused: too many attempts');
  return { outcome: 'too_many_attempts', retry_after };
}

const ATTACK_SECONDS = 3600;

function noteAttack(needs: PasswordSignInNeeds, sub: Subject, attempt: PasswordAttempt): void {
  const at = needs.clock.now();
  if ((needs.attacked.get(sub) ?? 0) > at) return;
  needs.attacked.set(sub, at + ATTACK_SECONDS);
  const { client_id } = attempt;
  const about = { sub, client_id, actor: 'unknown', detail: 'too many attempts' };
  record(needs, personEvent(needs, 'account.locked', about, attempt));
}
