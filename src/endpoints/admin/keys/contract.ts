import { named } from '../../../spec/schemas.ts';
import { operationContract } from '../operation-contract.ts';

const KID = { kid: 'The identifier of the key (RFC 7517 §4.5).' };

export const keyList = operationContract({
  kind: 'list',
  name: 'admin-key-list',
  path: '/admin/v1/keys',
  purpose: 'Lists the server keys with their states and times.',
  scope: 'admin:keys:read',
  item: named('AdminKey'),
});

export const keyRead = operationContract({
  kind: 'item',
  name: 'admin-key-read',
  path: '/admin/v1/keys/{kid}',
  purpose: 'Returns one server key.',
  segments: KID,
  scope: 'admin:keys:read',
  item: named('AdminKey'),
});

export const keyRevoke = operationContract({
  kind: 'action',
  name: 'admin-key-revoke',
  path: '/admin/v1/keys/{kid}/revoke',
  purpose:
    'Removes a compromised server key. Everything that it signed becomes invalid, and a new key takes over at once.',
  segments: KID,
  scope: 'admin:keys',
  action: 'server-key.revoke',
  problems: ['conflict'],
});
