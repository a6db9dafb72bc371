import type { Log } from '../ports/log.ts';
import type {
  LogoutAttempt,
  LogoutNotificationStore,
  TakenLogoutNotification,
} from '../ports/logout-notification-store.ts';
import type { ClientId, SessionId } from '../spec/identifiers.ts';
import { attemptLogout, type LogoutAttemptNeeds } from './logout-attempt.ts';

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
