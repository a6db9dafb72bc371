import { type StreamNeeds, streamOf } from '../../events/signals/manage-stream.ts';
import {
  acknowledge,
  POLLED_MAX,
  type Polled,
  type PollNeeds,
  type PollRequest,
  polled,
} from '../../events/signals/poll.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { Streams } from '../../ports/streams.ts';
import type { JsonLimits } from '../../spec/json.ts';
import { notFound } from '../../spec/problems.ts';
import { named } from '../../spec/schemas.ts';
import { UNCACHED } from '../answer.ts';
import type { Endpoint } from '../contract.ts';
import { readBody } from '../json-body.ts';
import { type ReceiverNeeds, receiverOf } from '../stream-receiver.ts';
import { contract } from './contract.ts';

export interface EventStreamPollNeeds extends ReceiverNeeds, PollNeeds, Pick<StreamNeeds, 'issuer'> {
  readonly json: JsonLimits;
  readonly streams: Streams;
  /** Resolves after these seconds. */
  readonly sleep: (seconds: number) => Promise<void>;
}

const HEADERS = Object.freeze({ 'content-type': 'application/json', ...UNCACHED });

export function eventStreamPoll(needs: EventStreamPollNeeds): Endpoint {
  return {
    contract,
    async handle(request) {
      const client = await receiverOf(needs, contract, request);
      const body = readBody(contract, named('PollRequest'), request, needs.json);
      const wanted: PollRequest = {
        maxEvents: POLLED_MAX,
        returnImmediately: false,
        ack: [],
        setErrs: {},
        ...body,
      };
      const id = request.segments['stream_id'] ?? '';
      const stream = await streamOf(needs, client, id);
      if (stream.method !== 'poll') throw notFound('stream that is polled');
      await acknowledge(needs, stream, wanted);
      const answer = await awaited(needs, client, id, wanted);
      return { status: 200, headers: HEADERS, body: JSON.stringify(answer) };
    },
  };
}

/** Seconds between two looks at the outbox. */
const LOOK_SECONDS = 1;

/** Waits for an event as long as the client and the settings permit it (RFC 8936 §2.2). */
async function awaited(
  needs: EventStreamPollNeeds,
  client: StoredClient,
  id: string,
  { maxEvents, returnImmediately }: PollRequest,
): Promise<Polled> {
  const { clock, settings, streams, sleep } = needs;
  const look = async (): Promise<Polled> =>
    await polled(needs, await streamOf(needs, client, id), client, maxEvents);
  const isEmpty = ({ sets, moreAvailable }: Polled): boolean =>
    Object.keys(sets).length === 0 && !moreAvailable;
  let answer = await look();
  const until = clock.now() + settings['signals.poll-wait'];
  if (!isEmpty(answer) || returnImmediately || maxEvents === 0 || clock.now() >= until) return answer;
  // Without a place among the streams the client polls again.
  const leave = streams.enter(`client:${client.client_id}`);
  if (leave === undefined) return answer;
  try {
    while (isEmpty(answer) && clock.now() < until && !streams.stopping.aborted) {
      await sleep(LOOK_SECONDS);
      answer = await look();
    }
  } finally {
    leave();
  }
  return answer;
}
