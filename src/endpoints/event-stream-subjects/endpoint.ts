import { type StreamNeeds, streamOf } from '../../events/signals/manage-stream.ts';
import { addSubject, readSubject, removeSubject } from '../../events/signals/subjects.ts';
import type { StoredStream } from '../../ports/event-stream-store.ts';
import type { JsonLimits } from '../../spec/json.ts';
import { named } from '../../spec/schemas.ts';
import type { SubjectIdentifier } from '../../spec/subject-identifier.ts';
import { UNCACHED } from '../answer.ts';
import type { Contract, Endpoint, EndpointRequest } from '../contract.ts';
import { readBody } from '../json-body.ts';
import { type ReceiverNeeds, receiverOf } from '../stream-receiver.ts';
import { subjectAdd, subjectRemove } from './contract.ts';

export interface EventStreamSubjectNeeds extends ReceiverNeeds, Pick<StreamNeeds, 'eventStreams' | 'issuer'> {
  readonly json: JsonLimits;
}

export function eventStreamSubjectAdd(needs: EventStreamSubjectNeeds): Endpoint {
  return {
    contract: subjectAdd,
    async handle(request) {
      const { stream, subject } = await read(needs, subjectAdd, request);
      await addSubject(needs, stream, subject);
      return { status: 200, headers: UNCACHED };
    },
  };
}

export function eventStreamSubjectRemove(needs: EventStreamSubjectNeeds): Endpoint {
  return {
    contract: subjectRemove,
    async handle(request) {
      const { stream, subject } = await read(needs, subjectRemove, request);
      await removeSubject(needs, stream, subject);
      return { status: 204, headers: UNCACHED };
    },
  };
}

async function read(
  needs: EventStreamSubjectNeeds,
  contract: Contract,
  request: EndpointRequest,
): Promise<{ readonly stream: StoredStream; readonly subject: SubjectIdentifier }> {
  const client = await receiverOf(needs, contract, request);
  const { stream_id, subject } = readBody(contract, named('StreamSubject'), request, needs.json);
  const stream = await streamOf(needs, client, stream_id as string);
  return { stream, subject: readSubject(subject) };
}
