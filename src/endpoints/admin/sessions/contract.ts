import { named } from '../../../spec/schemas.ts';
import { operationContract } from '../operation-contract.ts';
import { PEOPLE_FILTERS } from '../people.ts';

const SEGMENTS = { sid: 'The identifier of the session.' };

export const sessionList = operationContract({
  kind: 'list',
  name: 'admin-session-list',
  path: '/admin/v1/sessions',
  purpose:
    'Lists the sessions that have not expired, the latest sign-in first; with `client_id`, those in which the client took part, the latest first.',
  scope: 'admin:sessions:read',
  item: named('AdminSession'),
  query: PEOPLE_FILTERS,
});

export const sessionRead = operationContract({
  kind: 'item',
  name: 'admin-session-read',
  path: '/admin/v1/sessions/{sid}',
  purpose: 'Returns one session with the clients that took part.',
  segments: SEGMENTS,
  scope: 'admin:sessions:read',
  item: named('AdminSession'),
});

export const sessionEnd = operationContract({
  kind: 'action',
  name: 'admin-session-end',
  path: '/admin/v1/sessions/{sid}/end',
  purpose: 'Ends a session with the grants that depend on it, and tells its clients.',
  segments: SEGMENTS,
  scope: 'admin:sessions',
  action: 'session.end',
});
