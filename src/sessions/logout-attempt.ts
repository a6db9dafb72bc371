import { type LogoutTokenNeeds, makeLogoutToken } from '../clients/issued-jwt/logout-token.ts';
import { metadataOf } from '../clients/registered-client.ts';
import type { ClientStore } from '../ports/client-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { LogoutAttempt, TakenLogoutNotification } from '../ports/logout-notification-store.ts';
import type { OutboundFailure, OutboundForms, Posted } from '../ports/outbound-http.ts';
import type { Random } from '../ports/random.ts';
import { IDENTIFIER_LENGTHS } from '../spec/identifiers.ts';

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

/** Tells one client that a session has ended (Back-Channel Logout §2.5); answers what is to be kept of it. */
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
