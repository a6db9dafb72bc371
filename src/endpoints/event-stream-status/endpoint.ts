import { logEvent } from '../../clients/person-event.ts';
import { type StreamNeeds, setStatus, streamOf } from '../../events/signals/manage-stream.ts';
import type { StoredStream } from '../../ports/event-stream-store.ts';
import type { Log } from '../../ports/log.ts';
import type { JsonLimits } from '../../spec/json.ts';
import { named } from '../../spec/schemas.ts';
import type { StreamStatus } from '../../spec/security-events.ts';
import { UNCACHED } from '../answer.ts';
import type { Endpoint, EndpointResponse } from '../contract.ts';
import { readBody } from '../json-body.ts';
import { type ReceiverNeeds, receiverEvents, receiverOf, requiredStreamId } from '../stream-receiver.ts';
import { statusRead, statusUpdate } from './contract.ts';

export interface EventStreamStatusNeeds
  extends ReceiverNeeds,
    Pick<StreamNeeds, 'eventStreams' | 'clock' | 'issuer'> {
  readonly json: JsonLimits;
  readonly log: Log;
}

export function eventStreamStatus(needs: EventStreamStatusNeeds): Endpoint {
  return {
    contract: statusRead,
    async handle(request) {
      const client = await receiverOf(needs, statusRead, request);
      return answered(await streamOf(needs, client, requiredStreamId(request.query)));
    },
  };
}

export function eventStreamStatusUpdate(needs: EventStreamStatusNeeds): Endpoint {
  return {
    contract: statusUpdate,
    async handle(request) {
      const client = await receiverOf(needs, statusUpdate, request);
      const body = readBody(statusUpdate, named('StreamStatusRequest'), request, needs.json);
      const {
        stream_id,
        status,
        reason = null,
      } = body as {
        readonly stream_id: string;
        readonly status: StreamStatus;
        readonly reason?: string;
      };
      const stream = await streamOf(needs, client, stream_id);
      const events = receiverEvents(needs, client, request);
      // The client asked for it, so no event tells it.
      const change = { status, reason, tells: false };
      const after = await setStatus(needs, stream, change, (action, detail) => {
        const event = events(action, detail);
        logEvent(needs, event);
        return event;
      });
      return answered(after);
    },
  };
}

function answered({ id, status, status_reason: reason }: StoredStream): EndpointResponse {
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...UNCACHED },
    body: JSON.stringify({ stream_id: id, status, ...(reason === null ? {} : { reason }) }),
  };
}
