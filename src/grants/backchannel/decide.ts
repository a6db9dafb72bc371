import { logEvent, personEvent, type RequestOrigin } from '../../clients/person-event.ts';
import type { Settings } from '../../config/settings.ts';
import { digestOf } from '../../keys/digest.ts';
import type {
  BackchannelRequestStore,
  StoredBackchannelRequest,
} from '../../ports/backchannel-request-store.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Counting } from '../../ports/metrics.ts';
import type { StoredSession } from '../../ports/session-store.ts';
import { type Digest, IDENTIFIER_LENGTHS, type Subject } from '../../spec/identifiers.ts';
import { AuthorizationError } from '../authorization/authorization-request.ts';
import type { AuthorizedResponseNeeds } from '../authorization/authorized-response.ts';
import { codeContent } from '../authorization/code-content.ts';
import { accountInUse } from '../end-users.ts';
import { type BackchannelAuthorization, contentOf, openRequest } from './backchannel-request.ts';

export interface BackchannelDecisionNeeds {
  readonly backchannelRequests: BackchannelRequestStore;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly log: Log;
  readonly metrics: Pick<Counting, 'count'>;
}

/** Seconds after its own end in which a client may still fetch tokens that its person allowed at the last moment. */
const LATE = 60;

/** The person who decides. */
export interface Decider {
  readonly origin: RequestOrigin;
  /** In the audit; the default is the end-user. */
  readonly actor?: string;
}

/**
 * Lets a client get its tokens: stores what an authorisation code has, then the decision with the name of that code. A crash in between
 * leaves a code that has no name.
 * @returns false if the request is answered or has expired
 * @throws AuthorizationError if the account or the session has ended in the meantime
 */
export async function allowBackchannel(
  needs: BackchannelDecisionNeeds & Pick<AuthorizedResponseNeeds, 'endUsers' | 'uses' | 'random'>,
  stored: StoredClient,
  request: BackchannelAuthorization,
  { session, origin, actor = 'end-user' }: Decider & { readonly session: StoredSession },
): Promise<boolean> {
  const { endUsers, uses, random, clock, backchannelRequests, metrics } = needs;
  const now = clock.now();
  const { id } = request.backchannel;
  const open = await openRequest(needs, id, now);
  // Only the person who was asked may answer.
  if (open?.sub !== session.sub) return false;
  const { client_id, instance: client_instance } = stored;
  const { idTokens, sessions, codes } = endUsers;
  const account = await accountInUse(endUsers, session.sub);
  const taking = { client_id, instance: client_instance, issuer: idTokens.issuer };
  if (account === undefined || !(await sessions.addClient(session.sid, taking, now)))
    throw new AuthorizationError(request, 'login_required', 'the end-user has signed out');
  const key: Digest = digestOf(random.alphanumeric(IDENTIFIER_LENGTHS.authorization_code));
  await codes.issue({
    key,
    client_id,
    client_instance,
    content: JSON.stringify(codeContent(idTokens.issuer, request, session)),
    expires_at: open.expires_at + LATE,
    kept_until: open.kept_until,
  });
  const about = { sub: session.sub, client_id, actor, detail: contentOf(open).mode };
  const event = personEvent(needs, 'backchannel.allow', about, origin);
  const decided = { id, sub: session.sub, now };
  if (!(await backchannelRequests.decide(decided, { state: 'allowed', code: key }, event))) return false;
  uses.note(stored, undefined);
  logEvent(needs, event);
  metrics.count('chancery_backchannel_requests_total', { outcome: 'allowed' });
  return true;
}

/**
 * Refuses a request. Returns false if it is answered or has expired, or if this is not the person who was asked.
 * @param sub undefined for an administrator
 */
export async function denyBackchannel(
  needs: BackchannelDecisionNeeds,
  request: Pick<StoredBackchannelRequest, 'id' | 'client_id'>,
  sub: Subject | undefined,
  { origin, actor = 'end-user' }: Decider,
): Promise<boolean> {
  const { backchannelRequests, clock, metrics } = needs;
  const { id, client_id } = request;
  const event = personEvent(needs, 'backchannel.deny', { sub, client_id, actor }, origin);
  if (!(await backchannelRequests.decide({ id, sub, now: clock.now() }, { state: 'denied' }, event)))
    return false;
  logEvent(needs, event);
  metrics.count('chancery_backchannel_requests_total', { outcome: 'denied' });
  return true;
}

/** Refuses what is open of a client for a person, and hides what comes later from that person. The client is not told. */
export async function blockBackchannel(
  needs: BackchannelDecisionNeeds,
  { client_id, client_instance }: Pick<StoredBackchannelRequest, 'client_id' | 'client_instance'>,
  sub: Subject,
  { origin, actor = 'end-user' }: Decider,
): Promise<void> {
  const { backchannelRequests, clock, settings, metrics } = needs;
  const blocked_at = clock.now();
  const event = personEvent(needs, 'backchannel.block', { sub, client_id, actor }, origin);
  const expires_at = blocked_at + settings['ciba.block-lifetime'];
  const block = { sub, client_id, client_instance, blocked_at, expires_at };
  const denied = await backchannelRequests.block(block, event);
  logEvent(needs, event);
  metrics.count('chancery_backchannel_requests_total', { outcome: 'denied' }, denied);
}

/** Lets a client ask the person again. Returns whether it was blocked. */
export async function unblockBackchannel(
  needs: BackchannelDecisionNeeds,
  { client_id, client_instance }: Pick<StoredBackchannelRequest, 'client_id' | 'client_instance'>,
  sub: Subject,
  { origin, actor = 'end-user' }: Decider,
): Promise<boolean> {
  const event = personEvent(needs, 'backchannel.unblock', { sub, client_id, actor }, origin);
  const place = { sub, client_id, client_instance };
  if (!(await needs.backchannelRequests.unblock(place, event))) return false;
  logEvent(needs, event);
  return true;
}
