import { type StreamNeeds, streamOf } from '../../events/signals/manage-stream.ts';
import { TooManyRequests } from '../../spec/errors.ts';
import type { JsonLimits } from '../../spec/json.ts';
import { Problem } from '../../spec/problems.ts';
import { named } from '../../spec/schemas.ts';
import { UNCACHED } from '../answer.ts';
import type { Endpoint } from '../contract.ts';
import { readBody } from '../json-body.ts';
import { type ReceiverNeeds, receiverOf } from '../stream-receiver.ts';
import { contract } from './contract.ts';

export interface EventStreamVerificationNeeds
  extends ReceiverNeeds,
    Pick<StreamNeeds, 'eventStreams' | 'issuer' | 'clock'> {
  readonly json: JsonLimits;
}

/** Appends a verification event to the outbox of a stream. A paused stream holds it with the others. */
export function eventStreamVerification(needs: EventStreamVerificationNeeds): Endpoint {
  return {
    contract,
    async handle(request) {
      const client = await receiverOf(needs, contract, request);
      const { stream_id, state } = readBody(contract, named('StreamVerification'), request, needs.json);
      const stream = await streamOf(needs, client, stream_id as string);
      const at = needs.clock.now();
      const content = JSON.stringify(state === undefined ? {} : { state });
      const interval = needs.settings['signals.verification-interval'];
      // A request at the very end of the interval succeeds.
      const before = at - interval + 1;
      const outcome = await needs.eventStreams.verify(
        stream.id,
        { kind: 'verification', content, at },
        before,
      );
      if (outcome === 'too_soon') throw new TooManyRequests(interval, 'signals.verification-interval');
      if (outcome === 'refused')
        throw new Problem('conflict', 'the stream is disabled, or its outbox is full: read its status');
      return { status: 204, headers: UNCACHED };
    },
  };
}
