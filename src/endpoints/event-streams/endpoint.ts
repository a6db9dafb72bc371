import { logEvent } from '../../clients/person-event.ts';
import {
  makeStream,
  replaceStream,
  type StreamNeeds,
  type StreamRequest,
  streamOf,
  streamsOf,
  updateStream,
} from '../../events/signals/manage-stream.ts';
import { streamItem } from '../../events/signals/stream.ts';
import type { StoredStream } from '../../ports/event-stream-store.ts';
import type { Log } from '../../ports/log.ts';
import type { JsonLimits, JsonValue } from '../../spec/json.ts';
import { type Mistaken, notFound, Problem } from '../../spec/problems.ts';
import { named } from '../../spec/schemas.ts';
import { canonical } from '../../spec/subject-identifier.ts';
import { UNCACHED } from '../answer.ts';
import type { Contract, Endpoint, EndpointResponse } from '../contract.ts';
import { type JsonMembers, readBody } from '../json-body.ts';
import {
  type ReceiverNeeds,
  receiverEvents,
  receiverOf,
  requiredStreamId,
  streamIdIn,
} from '../stream-receiver.ts';
import { streamCreate, streamDelete, streamRead, streamReplace, streamUpdate } from './contract.ts';

export interface EventStreamEndpointNeeds extends ReceiverNeeds, StreamNeeds {
  readonly settings: ReceiverNeeds['settings'];
  readonly json: JsonLimits;
  readonly log: Log;
}

const HEADERS = Object.freeze({ 'content-type': 'application/json', ...UNCACHED });

export function eventStreamCreate(needs: EventStreamEndpointNeeds): Endpoint {
  return {
    contract: streamCreate,
    async handle(request) {
      const client = await receiverOf(needs, streamCreate, request);
      const body = readBody(streamCreate, named('StreamRequest'), request, needs.json);
      const events = receiverEvents(needs, client, request);
      const stream = await makeStream(needs, client, wishesOf(body), logged(needs, events));
      return answered(needs, 201, stream);
    },
  };
}

export function eventStreamRead(needs: EventStreamEndpointNeeds): Endpoint {
  return {
    contract: streamRead,
    async handle(request) {
      const client = await receiverOf(needs, streamRead, request);
      const id = streamIdIn(request.query);
      if (id !== undefined) return answered(needs, 200, await streamOf(needs, client, id));
      const items = (await streamsOf(needs, client)).map((stream) => itemOf(needs, stream));
      return { status: 200, headers: HEADERS, body: JSON.stringify(items) };
    },
  };
}

export function eventStreamUpdate(needs: EventStreamEndpointNeeds): Endpoint {
  return changing(needs, streamUpdate, 'StreamUpdate', updateStream);
}

export function eventStreamReplace(needs: EventStreamEndpointNeeds): Endpoint {
  return changing(needs, streamReplace, 'StreamReplacement', replaceStream);
}

export function eventStreamDelete(needs: EventStreamEndpointNeeds): Endpoint {
  return {
    contract: streamDelete,
    async handle(request) {
      const client = await receiverOf(needs, streamDelete, request);
      const { id } = await streamOf(needs, client, requiredStreamId(request.query));
      const event = logged(needs, receiverEvents(needs, client, request))('stream.delete', id);
      if (!(await needs.eventStreams.delete(id, event))) throw notFound('stream of this client');
      return { status: 204, headers: UNCACHED };
    },
  };
}

function changing(
  needs: EventStreamEndpointNeeds,
  contract: Contract,
  schema: 'StreamUpdate' | 'StreamReplacement',
  change: typeof updateStream,
): Endpoint {
  return {
    contract,
    async handle(request) {
      const client = await receiverOf(needs, contract, request);
      const body = readBody(contract, named(schema), request, needs.json);
      const id = body['stream_id'];
      if (typeof id !== 'string') throw wrong([{ pointer: '/stream_id', detail: 'is missing' }]);
      const stream = await streamOf(needs, client, id);
      refuseOtherValues(needs, stream, body);
      const events = logged(needs, receiverEvents(needs, client, request));
      return answered(needs, 200, await change(needs, stream, wishesOf(body), events));
    },
  };
}

const logged =
  (needs: Pick<EventStreamEndpointNeeds, 'log'>, events: ReturnType<typeof receiverEvents>): typeof events =>
  (action, detail) => {
    const event = events(action, detail);
    logEvent(needs, event);
    return event;
  };

/** Takes from a body what the client sets. */
function wishesOf({ events_requested, description, delivery }: JsonMembers): StreamRequest {
  return Object.fromEntries(
    Object.entries({ events_requested, description, delivery }).filter(([, value]) => value !== undefined),
  );
}

/** The members that only the server sets: a client may send them as it read them (OpenID Shared Signals Framework 1.0 §8.1.1.3). */
const TRANSMITTER_SUPPLIED = [
  'iss',
  'aud',
  'events_supported',
  'events_delivered',
  'min_verification_interval',
  'inactivity_timeout',
];

/** @throws Problem invalid_body with every member that differs */
function refuseOtherValues(needs: EventStreamEndpointNeeds, stream: StoredStream, body: JsonMembers): void {
  const item = itemOf(needs, stream) as Readonly<Record<string, JsonValue>>;
  const errors = TRANSMITTER_SUPPLIED.flatMap((name) => {
    const sent = body[name];
    if (sent === undefined || canonical(sent) === canonical(item[name] ?? null)) return [];
    return [
      {
        pointer: `/${name}`,
        detail: `is set by the server: it must be absent, or ${JSON.stringify(item[name] ?? null)}`,
      },
    ];
  });
  if (errors.length > 0) throw wrong(errors);
}

const wrong = (errors: readonly Mistaken[]): Problem =>
  new Problem('invalid_body', errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; '), {
    errors,
  });

const itemOf = (
  { sealer, settings }: EventStreamEndpointNeeds,
  stream: StoredStream,
): Readonly<Record<string, unknown>> =>
  streamItem({ sealer, interval: settings['signals.verification-interval'] }, stream);

const answered = (
  needs: EventStreamEndpointNeeds,
  status: number,
  stream: StoredStream,
): EndpointResponse => ({ status, headers: HEADERS, body: JSON.stringify(itemOf(needs, stream)) });
