import { named } from '../../../spec/schemas.ts';
import { operationContract } from '../operation-contract.ts';
import { PEOPLE_FILTERS } from '../people.ts';

export const accessTokenList = operationContract({
  kind: 'list',
  name: 'admin-access-token-list',
  path: '/admin/v1/access-tokens',
  purpose: 'Lists the access tokens of clients that have not expired, the latest first.',
  scope: 'admin:sessions:read',
  item: named('AdminAccessToken'),
  query: PEOPLE_FILTERS,
});

export const accessTokenRevoke = operationContract({
  kind: 'action',
  name: 'admin-access-token-revoke',
  path: '/admin/v1/access-tokens/{token_id}/revoke',
  purpose: 'Revokes one access token. Its grant and its refresh token go on.',
  segments: { token_id: 'The `token_id` of the list.' },
  scope: 'admin:sessions',
  action: 'token.revoke',
});
