import { named } from '../../../spec/schemas.ts';
import { operationContract } from '../operation-contract.ts';
import { PEOPLE_FILTERS } from '../people.ts';

const SEGMENTS = { id: 'The `id` of the request.' };

export const deviceList = operationContract({
  kind: 'list',
  name: 'admin-device-authorization-list',
  path: '/admin/v1/device-authorizations',
  purpose:
    'Lists the requests of devices (RFC 8628) until they expire, answered or not, in the order of their id. It shows neither the device code nor the code for people.',
  scope: 'admin:sessions:read',
  item: named('AdminDeviceAuthorization'),
  query: { client_id: PEOPLE_FILTERS.client_id },
});

export const deviceRead = operationContract({
  kind: 'item',
  name: 'admin-device-authorization-read',
  path: '/admin/v1/device-authorizations/{id}',
  purpose: 'Returns one request of a device.',
  segments: SEGMENTS,
  scope: 'admin:sessions:read',
  item: named('AdminDeviceAuthorization'),
});

export const deviceRefuse = operationContract({
  kind: 'action',
  name: 'admin-device-authorization-refuse',
  path: '/admin/v1/device-authorizations/{id}/refuse',
  purpose: 'Refuses a device that waits for an answer, in place of its person. No operation allows one.',
  segments: SEGMENTS,
  scope: 'admin:sessions',
  action: 'device.deny',
  problems: ['conflict'],
});
