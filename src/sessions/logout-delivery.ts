import { type LogoutTokenNeeds, makeLogoutToken } from '../clients/issued-jwt/logout-token.ts';
import { metadataOf } from '../clients/registered-client.ts';
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
  /** Seconds that one attempt may take: after them another process takes over. */
  readonly attemptTime: number;
  readonly count: (outcome: LogoutAttempt['outcome']) => void;
}

/** Tells clients of sessions that have ended. What one process takes no other one delivers. */
export interface LogoutDelivery {
  /** Everything that is due now, whoever ended the sessions. A failure is logged: the next round finds the same to do. */
  deliverDue(): Promise<void>;
  /**
   * The clients of one session, at once. Resolves when `first` is told, or could not be, or is not among them; the others
   * are told meanwhile.
   */
  deliver(sid: SessionId, first: ClientId | undefined): Promise<void>;
  /** Waits for what is under way. */
  close(): Promise<void>;
}

/** Taken at a time; each takes a connection. */
const BATCH = 32;

export function logoutDelivery(needs: LogoutDeliveryNeeds): LogoutDelivery {
  const { notifications, clock, attemptTime, log } = needs;
  const underWay = new Set<Promise<void>>();
  const closing = new AbortController();

  const take = async (sids?: readonly SessionId[]): Promise<readonly TakenLogoutNotification[]> => {
    const now = clock.now();
    const chosen = sids === undefined ? {} : { sids };
    return await notifications.take({ now, until: now + attemptTime, limit: BATCH, ...chosen });
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
        log.error({ cause }, 'clients could not be told that sessions have ended');
      }
    },
    async deliver(sid, first) {
      const taken = await take([sid]);
      const attempts = taken.map((each) => ({ client_id: each.client_id, done: begin(each) }));
      await attempts.find(({ client_id }) => client_id === first)?.done;
    },
    async close() {
      closing.abort();
      await Promise.all(underWay);
    },
  };
}

/** Never rejects: what is not settled is due again after a while. */
async function attemptAndSettle(needs: LogoutDeliveryNeeds, taken: TakenLogoutNotification): Promise<void> {
  const { sid, client_id, attempts } = taken;
  try {
    const attempt = await attemptLogout(needs, taken);
    await needs.notifications.settle(taken, attempt);
    needs.count(attempt.outcome);
    if (attempt.outcome !== 'postponed' && attempt.outcome !== 'failed') return;
    const { outcome, problem } = attempt;
    needs.log.warn({ client_id, sid, attempts, outcome, problem }, 'a client was not told of a logout');
  } catch (cause) {
    needs.log.error({ client_id, sid, cause }, 'a client could not be told of a logout');
  }
}

export interface LogoutAttemptNeeds {
  readonly clients: Pick<ClientStore, 'find'>;
  readonly tokens: LogoutTokenNeeds;
  readonly outbound: OutboundForms;
  readonly clock: Clock;
  readonly random: Random;
  /** How often a client is told before it is given up. */
  readonly attemptsMax: number;
  /** Seconds after the first failed attempt; each further wait is twice as long. */
  readonly retryDelay: number;
}

/** Seconds. */
const RETRY_DELAY_MAX = 3600;

/** Statuses that say that the same request may be answered otherwise later (RFC 9110 §15.5.9, §15.6; RFC 6585 §4; RFC 8470 §5.2). */
const RECOVERABLE_STATUSES = new Set([408, 425, 429]);

/** What a client's operator, or the network, may mend; what our own rules forbid stays forbidden. */
const RECOVERABLE_FAILURES: ReadonlySet<OutboundFailure> = new Set([
  'busy',
  'connection',
  'timeout',
  'tls',
  'too-large',
  'unresolvable',
]);

/** Tells one client that a session has ended (OpenID Connect Back-Channel Logout 1.0 §2.5); answers what is to be kept of it. */
export async function attemptLogout(
  needs: LogoutAttemptNeeds,
  taken: TakenLogoutNotification,
): Promise<LogoutAttempt> {
  const client = await needs.clients.find(taken.client_id);
  // It may be gone, or another one under the same name.
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
  return judged(needs, taken, await needs.outbound.postForm(uri, { logout_token: made.jwt }));
}

/**
 * §2.8: 200 is done, and 204 is meant as that. §2.5: "The OP SHOULD NOT retransmit a Logout Token unless the OP suspects
 * that previous transmissions may have failed due to potentially recoverable errors".
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
  { attemptsMax, retryDelay, clock, random }: LogoutAttemptNeeds,
  { attempts }: TakenLogoutNotification,
  problem: string,
): LogoutAttempt {
  if (attempts >= attemptsMax) return { outcome: 'failed', problem };
  const wait = Math.min(retryDelay * 2 ** (attempts - 1), RETRY_DELAY_MAX);
  return { outcome: 'postponed', problem, due_at: clock.now() + spread(wait, random) };
}

/** Half as long again at most: who could not be told of many sessions at once is not told of all of them at once either. */
function spread(wait: number, random: Random): number {
  const [high = 0, low = 0] = random.bytes(2);
  return Math.floor(wait * (1 + (high * 256 + low) / 131_072));
}
