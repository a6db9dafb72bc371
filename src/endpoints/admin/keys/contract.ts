import { named } from '../../../spec/schemas.ts';
import { operationContract } from '../operation-contract.ts';

const KID = { kid: 'The identifier of the key (RFC 7517 §4.5).' };

export const keyList = operationContract({
  kind: 'list',
  name: 'admin-key-list',
  path: '/admin/v1/keys',
  purpose: 'Lists the server keys with their states and times.',
  scope: 'admin:keys:read',
  query: {
    use: { words: 'Only keys of this use.', schema: { enum: ['sig', 'enc', 'federation'] } },
    state: { words: 'Only keys in this state.', schema: { enum: ['announced', 'active', 'retired'] } },
  },
  item: named('AdminKey'),
});

export const removedKeyList = operationContract({
  kind: 'list',
  name: 'admin-removed-key-list',
  path: '/admin/v1/removed-keys',
  purpose: 'Lists the server keys that were removed, with the reason.',
  scope: 'admin:keys:read',
  item: named('AdminRemovedKey'),
});

export const keyRotate = operationContract({
  kind: 'action',
  name: 'admin-key-rotate',
  path: '/admin/v1/keys/rotate',
  purpose:
    'Gives each key a successor, which is announced and signs later. A key that has one gets no second.',
  scope: 'admin:keys',
  action: 'server-key.announce',
  problems: ['conflict'],
  body: named('AdminKeyRotation'),
  result: named('AdminRotatedKeys'),
});

export const keyImport = operationContract({
  kind: 'action',
  name: 'admin-key-import',
  path: '/admin/v1/keys/import',
  purpose: 'Imports the keys of a JWK set that was made elsewhere, all of them or none.',
  scope: 'admin:keys',
  action: 'server-key.add',
  problems: ['conflict'],
  body: named('AdminKeyImport'),
  result: named('AdminImportedKeys'),
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
