import { type LogoutTokenNeeds, makeLogoutToken } from '../clients/issued-jwt/logout-token.ts';
import { metadataOf } from '../clients/registered-client.ts';
import type { Settings } from '../config/settings.ts';
import { retryDelay } from '../events/retry-delay.ts';
import type { ClientStore } from '../ports/client-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type {
  LogoutAttempt,
  LogoutNotificationStore,
  TakenLogoutNotification,
} from '../ports/logout-notification-store.ts';
import type { OutboundFailure, OutboundForms, Posted } from '../ports/outbound-http.ts';
import type { Random } from '../ports/random.ts';
import { type ClientId, IDENTIFIER_LENGTHS, type SessionId } from '../spec/identifiers.ts';

export interface LogoutDeliveryNeeds extends LogoutAttemptNeeds {
  readonly notifications: LogoutNotificationStore;
  readonly log: Log;
  readonly count: (outcome: LogoutAttempt['outcome']) => void;
}

/** Delivers back-channel logout notifications. A leased notification is delivered by one process only. */
export interface LogoutDelivery {
  /** Delivers all due notifications of all processes. A failure is logged; the next call finds them again. */
  deliverDue(): Promise<void>;
  /**
   * Delivers the notifications of one session immediately. Resolves when each client of `first` is notified, has failed
   * or is not among them; the others continue.
   */
  deliver(sid: SessionId, first: ReadonlySet<ClientId>): Promise<void>;
  /** Waits for the attempts under way. */
  close(): Promise<void>;
}

/** Notifications in a batch; each needs a connection. */
const BATCH = 32;

/** Allows for a fetch of the client's key set, which encrypts the token, and for the form. */
const FETCHES_PER_ATTEMPT = 2;

/** Allows for a slow disk, in seconds. */
const LEASE_MARGIN = 30;

/** Returns the lease of a notification in seconds. When it expires, another process may retry. */
function leaseOf(settings: Settings): number {
  return settings['outbound.timeout'] * FETCHES_PER_ATTEMPT + LEASE_MARGIN;
}

/** Opens the delivery of logout notifications in one process. */
export function logoutDelivery(needs: LogoutDeliveryNeeds): LogoutDelivery {
  const { notifications, clock, settings, log } = needs;
  const underWay = new Set<Promise<void>>();
  const closing = new AbortController();

  const take = async (sids?: readonly SessionId[]): Promise<readonly TakenLogoutNotification[]> => {
    const now = clock.now();
    const until = now + leaseOf(settings);
    const chosen = sids === undefined ? {} : { sids };
    return await notifications.take({ now, until, limit: BATCH, ...chosen });
  };
  const begin = (taken: TakenLogoutNotification): Promise<void> => {
    const attempt = attemptAndSettle(needs, taken).finally(() => underWay.delete(attempt));
    underWay.add(attempt);
    return attempt;
  };
  return {
    async deliverDue() {
      try {
        const due = await notifications.nextDue();
        if (due === undefined || due > clock.now()) return;
        while (!closing.signal.aborted) {
          const taken = await take();
          if (taken.length === 0) return;
          await Promise.all(taken.map(begin));
        }
      } catch (cause) {
        log.error({ cause }, 'logout notifications could not be delivered');
      }
    },
    async deliver(sid, first) {
      const taken = await take([sid]);
      const attempts = taken.map((each) => ({ client_id: each.client_id, done: begin(each) }));
      await Promise.all(attempts.filter(({ client_id }) => first.has(client_id)).map(({ done }) => done));
    },
    async close() {
      closing.abort();
      await Promise.all(underWay);
    },
  };
}

/**
 * Attempts one notification and stores the outcome. Never rejects: without an outcome the lease expires and
 * the notification is due again.
 */
async function attemptAndSettle(needs: LogoutDeliveryNeeds, taken: TakenLogoutNotification): Promise<void> {
  const { sid, client_id, attempts } = taken;
  try {
    const attempt = await attemptLogout(needs, taken);
    await needs.notifications.settle(taken, attempt);
    needs.count(attempt.outcome);
    if (attempt.outcome !== 'postponed' && attempt.outcome !== 'failed') return;
    const { outcome, problem } = attempt;
    needs.log.warn({ client_id, sid, attempts, outcome, problem }, 'logout notification was not delivered');
  } catch (cause) {
    needs.log.error({ client_id, sid, cause }, 'logout notification failed');
  }
}

export interface LogoutAttemptNeeds {
  readonly clients: Pick<ClientStore, 'find'>;
  readonly tokens: LogoutTokenNeeds;
  readonly outbound: OutboundForms;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: Settings;
}

/** Statuses after which a retry may succeed (RFC 9110 §15.5.9, §15.6; RFC 6585 §4; RFC 8470 §5.2). */
const RECOVERABLE_STATUSES = new Set([408, 425, 429]);

/**
 * Failures that the operator of a client or the network may fix. A request that our own rules forbid is not
 * retried.
 */
const RECOVERABLE_FAILURES: ReadonlySet<OutboundFailure> = new Set([
  'busy',
  'connection',
  'gave-way',
  'timeout',
  'tls',
  'too-large',
  'unresolvable',
]);

/**
 * Notifies one client that a session has ended (OpenID Connect Back-Channel Logout 1.0 §2.5) and returns the
 * outcome to store.
 */
async function attemptLogout(
  needs: LogoutAttemptNeeds,
  taken: TakenLogoutNotification,
): Promise<LogoutAttempt> {
  const client = await needs.clients.find(taken.client_id);
  // The client may be deleted, or replaced by one with the same identifier.
  if (client?.instance !== taken.instance) return { outcome: 'unneeded' };
  const metadata = metadataOf(client);
  const { backchannel_logout_uri: uri } = metadata;
  if (typeof uri !== 'string') return { outcome: 'unneeded' };
  const { client_id, sub, sid } = taken;
  const iat = needs.clock.now();
  const jti = needs.random.alphanumeric(IDENTIFIER_LENGTHS.sid);
  const tokens = taken.issuer === null ? needs.tokens : { ...needs.tokens, issuer: taken.issuer };
  const made = await makeLogoutToken(tokens, metadata, { client_id, sub, sid, iat, jti });
  if ('problem' in made) return later(needs, taken, made.problem);
  const cause = { purpose: 'logout', remoteAddress: undefined, party: client_id } as const;
  return judged(needs, taken, await needs.outbound.postForm(uri, { logout_token: made.jwt }, cause));
}

/**
 * Judges the response. §2.8: 200 means success, and 204 is accepted too. §2.5: "The OP SHOULD NOT retransmit
 * a Logout Token unless the OP suspects that previous transmissions may have failed due to potentially
 * recoverable errors".
 */
function judged(needs: LogoutAttemptNeeds, taken: TakenLogoutNotification, posted: Posted): LogoutAttempt {
  if (posted.status === 'failed') {
    const problem = `${posted.reason}: ${posted.detail}`;
    return RECOVERABLE_FAILURES.has(posted.reason)
      ? later(needs, taken, problem)
      : { outcome: 'failed', problem };
  }
  const { code } = posted;
  if (code >= 200 && code < 300) return { outcome: 'delivered' };
  const problem = `status ${code}`;
  return code >= 500 || RECOVERABLE_STATUSES.has(code)
    ? later(needs, taken, problem)
    : { outcome: 'failed', problem };
}

function later(
  { settings, clock, random }: LogoutAttemptNeeds,
  { attempts }: TakenLogoutNotification,
  problem: string,
): LogoutAttempt {
  if (attempts >= settings['logout.attempts-max']) return { outcome: 'failed', problem };
  return {
    outcome: 'postponed',
    problem,
    due_at: clock.now() + retryDelay(settings['logout.retry-delay'], attempts, random),
  };
}
