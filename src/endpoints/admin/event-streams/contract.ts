import { named } from '../../../spec/schemas.ts';
import { operationContract } from '../operation-contract.ts';
import { PEOPLE_FILTERS } from '../people.ts';

const ID = { id: 'The identifier of the stream.' };
const PATH = '/admin/v1/event-streams/{id}';
const READS = { scope: 'admin:clients:read', segments: ID } as const;
const WRITES = { scope: 'admin:clients:write', segments: ID } as const;

export const streamList = operationContract({
  kind: 'list',
  name: 'admin-event-stream-list',
  path: '/admin/v1/event-streams',
  purpose: 'Lists the streams of security events of all clients, or of one.',
  scope: 'admin:clients:read',
  query: { client_id: PEOPLE_FILTERS.client_id },
  item: named('EventStream'),
});

export const streamRead = operationContract({
  kind: 'item',
  name: 'admin-event-stream-read',
  path: PATH,
  purpose: 'Returns one stream, without the parts that may hold a secret.',
  ...READS,
  item: named('EventStream'),
});

export const streamDelete = operationContract({
  kind: 'removal',
  name: 'admin-event-stream-delete',
  path: PATH,
  purpose: 'Deletes a stream with the events that it holds. Its client is not told.',
  ...WRITES,
  action: 'stream.delete',
});

const statusContract = (verb: 'enable' | 'pause' | 'disable', purpose: string) =>
  operationContract({
    kind: 'action',
    name: `admin-event-stream-${verb}`,
    path: `${PATH}/${verb}`,
    purpose,
    ...WRITES,
    action: 'stream.update',
    result: named('EventStream'),
  });

export const streamEnable = statusContract('enable', 'Enables a stream. It sends the events that it held.');
export const streamPause = statusContract(
  'pause',
  'Pauses a stream, and tells its client by an event. The stream holds later events.',
);
export const streamDisable = statusContract(
  'disable',
  'Disables a stream, and tells its client by an event. The events that wait are dropped.',
);

export const eventList = operationContract({
  kind: 'list',
  name: 'admin-event-stream-event-list',
  path: `${PATH}/events`,
  purpose: 'Lists the events of a stream that failed, in their order.',
  ...READS,
  item: named('HeldSecurityEvent'),
});

const lettersContract = (verb: 'redeliver' | 'drop', purpose: string) =>
  operationContract({
    kind: 'action',
    name: `admin-event-stream-${verb}`,
    path: `${PATH}/${verb}`,
    purpose,
    ...WRITES,
    action: `stream.${verb}`,
    result: named('EventCount'),
  });

export const streamRedeliver = lettersContract('redeliver', 'Tries all failed events of a stream again.');
export const streamDrop = lettersContract('drop', 'Drops all failed events of a stream.');
