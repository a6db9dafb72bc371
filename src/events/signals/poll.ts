import type { ServerKeys } from '../../keys/server-keys.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EventStreamStore, StoredSecurityEvent, StoredStream } from '../../ports/event-stream-store.ts';
import type { JsonValue } from '../../spec/json.ts';
import { isObject } from '../../spec/subject-identifier.ts';
import { mayDeliver } from './deliver.ts';
import { eventId, securityEventToken, sequenceOf } from './security-event.ts';
import { eyeOf, type SeeingNeeds } from './seen-event.ts';

export interface PollNeeds extends Omit<SeeingNeeds, 'eventStreams'> {
  readonly eventStreams: EventStreamStore;
  readonly keys: Pick<ServerKeys, 'canSign' | 'sign'>;
  readonly clock: Clock;
  readonly count: (outcome: 'acknowledged' | 'refused' | 'unneeded', events: number) => void;
}

/** A request for events (RFC 8936 §2.2), with the answers to earlier ones. */
export interface PollRequest {
  readonly maxEvents: number;
  readonly returnImmediately: boolean;
  /** Identifiers of events that the client took. */
  readonly ack: readonly string[];
  /** Identifiers of events that the client refused, with its reasons (§2.4). */
  readonly setErrs: Readonly<Record<string, JsonValue>>;
}

/** The events of an answer (RFC 8936 §2.3), by their identifiers. */
export interface Polled {
  readonly sets: Readonly<Record<string, string>>;
  readonly moreAvailable: boolean;
}

/** Events that one answer has at most: each costs a signature. */
export const POLLED_MAX = 100;

/** Characters of the reason of a client that are kept. */
const PROBLEM_LENGTH_MAX = 500;

/** Records the answers to earlier events. Those of other streams, and those that are answered already, change nothing. */
export async function acknowledge(
  needs: PollNeeds,
  stream: StoredStream,
  { ack, setErrs }: PollRequest,
): Promise<void> {
  const accepted = ack.flatMap((jti) => sequenceOf(jti, stream) ?? []);
  const refused = Object.entries(setErrs).flatMap(([jti, error]) => {
    const sequence = sequenceOf(jti, stream);
    return sequence === undefined ? [] : [{ sequence, problem: problemOf(error) }];
  });
  if (accepted.length === 0 && refused.length === 0) return;
  const at = needs.clock.now();
  const removed = await needs.eventStreams.acknowledge(stream.id, { accepted, refused, at });
  needs.count('acknowledged', removed);
  needs.count('refused', refused.length);
}

/** RFC 8935 §2.3: an error has a code and may have a description. */
function problemOf(error: JsonValue): string {
  const { err, description } = isObject(error) ? error : { err: error, description: undefined };
  const words = [err, description].filter((word) => typeof word === 'string').join(': ');
  return (words === '' ? 'refused' : words).slice(0, PROBLEM_LENGTH_MAX);
}

/** Returns the oldest events that wait, in their order. Removes those that the client need not have. */
export async function polled(
  needs: PollNeeds,
  stream: StoredStream,
  client: StoredClient,
  max: number,
): Promise<Polled> {
  const limit = Math.min(max, POLLED_MAX);
  const see = await eyeOf(needs, stream, client);
  const unneeded: number[] = [];
  const sets: [jti: string, set: string][] = [];
  const now = needs.clock.now();
  let [moreAvailable, looked] = [false, 0];
  for await (const event of waitingEvents(needs, stream)) {
    const seen = await see(event);
    looked += 1;
    if (seen === undefined) unneeded.push(event.sequence);
    else if (sets.length === limit) {
      moreAvailable = true;
      break;
    } else sets.push([eventId(event), await securityEventToken(needs.keys, stream, seen, now)]);
  }
  if (unneeded.length > 0) {
    await needs.eventStreams.acknowledge(stream.id, { accepted: [], refused: [], unneeded, at: now });
    needs.count('unneeded', unneeded.length);
  }
  return { sets: Object.fromEntries(sets), moreAvailable: moreAvailable || looked >= LOOKED_AT_MAX };
}

const PAGE = POLLED_MAX + 1;
/** Events that one poll looks at: the next poll goes on behind them. */
const LOOKED_AT_MAX = 5 * PAGE;

async function* waitingEvents(
  { eventStreams }: PollNeeds,
  stream: StoredStream,
): AsyncGenerator<StoredSecurityEvent> {
  let [after, seen] = [0, 0];
  while (seen < LOOKED_AT_MAX) {
    const page = await eventStreams.events(stream.id, 'waiting', after, PAGE);
    for (const event of page) {
      if (!mayDeliver(stream, event)) return;
      yield event;
      after = event.sequence;
    }
    seen += page.length;
    if (page.length < PAGE) return;
  }
}
