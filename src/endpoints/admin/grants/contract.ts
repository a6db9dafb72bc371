import { named } from '../../../spec/schemas.ts';
import { operationContract } from '../operation-contract.ts';
import { PEOPLE_FILTERS } from '../people.ts';

const SEGMENTS = { grant_id: 'The identifier of the grant.' };

export const grantList = operationContract({
  kind: 'list',
  name: 'admin-grant-list',
  path: '/admin/v1/grants',
  purpose: 'Lists the grants that have not expired, the latest first.',
  scope: 'admin:sessions:read',
  item: named('AdminGrant'),
  query: PEOPLE_FILTERS,
});

export const grantRead = operationContract({
  kind: 'item',
  name: 'admin-grant-read',
  path: '/admin/v1/grants/{grant_id}',
  purpose: 'Returns one grant.',
  segments: SEGMENTS,
  scope: 'admin:sessions:read',
  item: named('AdminGrant'),
});

export const grantRevoke = operationContract({
  kind: 'action',
  name: 'admin-grant-revoke',
  path: '/admin/v1/grants/{grant_id}/revoke',
  purpose: 'Ends a grant with all its tokens. The consent of the end-user stays.',
  segments: SEGMENTS,
  scope: 'admin:sessions',
  action: 'grant.end',
});
