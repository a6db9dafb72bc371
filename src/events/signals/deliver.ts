import type { Settings } from '../../config/settings.ts';
import type { ServerKeys } from '../../keys/server-keys.ts';
import type { ClientStore } from '../../ports/client-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  EventStreamStore,
  StoredSecurityEvent,
  StoredStream,
  StreamOutcome,
  TakenStream,
} from '../../ports/event-stream-store.ts';
import type { Log } from '../../ports/log.ts';
import type { OutboundForms } from '../../ports/outbound-http.ts';
import type { Random } from '../../ports/random.ts';
import type { Sealer } from '../../ports/sealer.ts';
import { type DeliveryLoop, deliveryLoop, LEASE_MARGIN } from '../delivery-loop.ts';
import { problemOf } from '../posted-problem.ts';
import { retryDelay } from '../retry-delay.ts';
import { type SeenEvent, securityEventToken } from './security-event.ts';
import { eyeOf, type SeeingNeeds } from './seen-event.ts';
import { configurationOf, openSecrets } from './stream.ts';

export interface PushNeeds extends Omit<SeeingNeeds, 'eventStreams'> {
  readonly eventStreams: EventStreamStore;
  readonly clients: Pick<ClientStore, 'find'>;
  readonly keys: Pick<ServerKeys, 'canSign' | 'sign'>;
  readonly sealer: Sealer;
  readonly outbound: Pick<OutboundForms, 'postBody'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: Settings;
  readonly log: Log;
  readonly count: (outcome: 'delivered' | 'postponed' | 'failed' | 'unneeded') => void;
}

/**
 * Pushes the events of a tenant (RFC 8935). A stream is leased by one process, which sends its oldest event. So the events of a
 * stream come in their order, and an attempt without an outcome is made again.
 */
export function signalDelivery(needs: PushNeeds): DeliveryLoop {
  const { eventStreams, clock, settings, log } = needs;
  return deliveryLoop<TakenStream>({
    log,
    failure: 'security events could not be pushed',
    plan: async () => false,
    async take(limit) {
      const now = clock.now();
      const until = now + settings['outbound.timeout'] + LEASE_MARGIN;
      return await eventStreams.take({ now, until, limit });
    },
    attempt: async (taken) => await attemptAndSettle(needs, taken),
  });
}

/** Never rejects: without an outcome the lease expires, and the stream is due again. */
async function attemptAndSettle(needs: PushNeeds, taken: TakenStream): Promise<void> {
  const { id: stream, attempts } = taken;
  try {
    const outcome = await attempt(needs, taken);
    await needs.eventStreams.settle(taken, outcome, needs.clock.now());
    if (outcome.outcome === 'idle') return;
    needs.count(outcome.outcome);
    if (outcome.outcome === 'delivered' || outcome.outcome === 'unneeded') return;
    const { problem } = outcome;
    needs.log.warn(
      { stream, attempts, outcome: outcome.outcome, problem },
      'a security event was not delivered',
    );
  } catch (cause) {
    needs.log.error({ stream, cause }, 'a push of a security event failed');
  }
}

async function attempt(needs: PushNeeds, { id, attempts }: TakenStream): Promise<StreamOutcome> {
  const stream = await needs.eventStreams.find(id);
  if (stream === undefined || stream.method !== 'push') return { outcome: 'idle' };
  const [event] = await needs.eventStreams.events(id, 'waiting', 0, 1);
  if (event === undefined || !mayDeliver(stream, event)) return { outcome: 'idle' };
  const { sequence } = event;
  const client = await needs.clients.find(stream.client_id);
  // The client may be deleted, or replaced by one with the same identifier. The sweep removes the stream.
  if (client?.instance !== stream.instance) return { outcome: 'unneeded', sequence };
  const seen = await (await eyeOf(needs, stream, client))(event);
  if (seen === undefined) return { outcome: 'unneeded', sequence };
  const problem = await push(needs, stream, seen);
  const now = needs.clock.now();
  if (problem === undefined) return { outcome: 'delivered', sequence, at: now };
  const { settings, random } = needs;
  const attemptsMax = problem === REFUSED ? REFUSALS_MAX : settings['signals.attempts-max'];
  if (attempts >= Math.min(attemptsMax, settings['signals.attempts-max']))
    return { outcome: 'failed', sequence, problem };
  return {
    outcome: 'postponed',
    problem,
    due_at: now + retryDelay(settings['signals.retry-delay'], attempts, random),
  };
}

/** Says whether an event may be delivered in the present state of its stream. */
export const mayDeliver = (
  { status, drains_to }: Pick<StoredStream, 'status' | 'drains_to'>,
  { sequence }: Pick<StoredSecurityEvent, 'sequence'>,
): boolean => status === 'enabled' || sequence <= drains_to;

/**
 * RFC 8935 §2.3: the receiver read the event, and refuses it. It may refuse a signature because it has an old copy of the keys, so
 * that a few retries make sense. More would only hold up the events behind it.
 */
const REFUSED = 'status 400';
const REFUSALS_MAX = 4;

/** Returns why the receiver did not take the event; undefined if it did. */
async function push(needs: PushNeeds, stream: StoredStream, seen: SeenEvent): Promise<string | undefined> {
  const { endpoint_url } = configurationOf(stream);
  const { query, authorization_header } = openSecrets(needs.sealer, stream);
  const body = await securityEventToken(needs.keys, stream, seen, needs.clock.now());
  const headers = {
    'content-type': 'application/secevent+jwt',
    accept: 'application/json',
    ...(authorization_header === null ? {} : { authorization: authorization_header }),
  };
  const cause = { purpose: 'signals', remoteAddress: undefined, party: stream.client_id } as const;
  const url = `${endpoint_url ?? ''}${query}`;
  return problemOf(await needs.outbound.postBody(url, { headers, body }, cause));
}
