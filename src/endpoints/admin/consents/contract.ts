import { named } from '../../../spec/schemas.ts';
import { operationContract } from '../operation-contract.ts';
import { PEOPLE_FILTERS } from '../people.ts';

export const consentList = operationContract({
  kind: 'list',
  name: 'admin-consent-list',
  path: '/admin/v1/consents',
  purpose: 'Lists what end-users have allowed clients, by subject and client.',
  scope: 'admin:sessions:read',
  item: named('AdminConsent'),
  query: PEOPLE_FILTERS,
});

export const consentWithdraw = operationContract({
  kind: 'action',
  name: 'admin-consent-withdraw',
  path: '/admin/v1/consents/{sub}/{client_id}/withdraw',
  purpose:
    'Withdraws the consent of an end-user to a client, and ends all grants for it with their tokens. The client must ask again.',
  segments: { sub: 'The subject of the account.', client_id: 'The identifier of the client.' },
  scope: 'admin:sessions',
  action: 'consent.withdraw',
});
