import { named } from '../../../spec/schemas.ts';
import { operationContract } from '../operation-contract.ts';
import { PEOPLE_FILTERS } from '../people.ts';

const SEGMENTS = { id: 'The `id` of the request.' };

export const requestList = operationContract({
  kind: 'list',
  name: 'admin-backchannel-request-list',
  path: '/admin/v1/backchannel-requests',
  purpose:
    'Lists the requests of clients without a browser of the last hour, answered or not, in the order of their id.',
  scope: 'admin:sessions:read',
  item: named('AdminBackchannelRequest'),
  query: PEOPLE_FILTERS,
});

export const requestRead = operationContract({
  kind: 'item',
  name: 'admin-backchannel-request-read',
  path: '/admin/v1/backchannel-requests/{id}',
  purpose: 'Returns one request of a client without a browser.',
  segments: SEGMENTS,
  scope: 'admin:sessions:read',
  item: named('AdminBackchannelRequest'),
});

export const requestRefuse = operationContract({
  kind: 'action',
  name: 'admin-backchannel-request-refuse',
  path: '/admin/v1/backchannel-requests/{id}/refuse',
  purpose: 'Refuses a request that waits for an answer, in place of its person. No operation allows one.',
  segments: SEGMENTS,
  scope: 'admin:sessions',
  action: 'backchannel.deny',
  problems: ['conflict'],
});
