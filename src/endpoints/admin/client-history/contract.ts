import { closed, FLAG, said } from '../../../spec/json-schema.ts';
import { named } from '../../../spec/schemas.ts';
import { operationContract } from '../operation-contract.ts';

const ID = { id: 'The `client_id`, with `/` as `%2F`.' };
const VERSION_NUMBER = { type: 'integer', minimum: 1 } as const;

const WITH_SECRETS = said(
  'Whether the secrets of the version come back, unless they have expired. Default: `false`. A client may have been changed or deleted because its secret leaked.',
  FLAG,
);

export const versionList = operationContract({
  kind: 'list',
  name: 'admin-client-version-list',
  path: '/admin/v1/clients/{id}/versions',
  purpose: 'Lists the versions of a client, the present one first, with the changes that made them.',
  segments: ID,
  scope: 'admin:clients:read',
  item: named('AdminClientVersion'),
});

export const versionRead = operationContract({
  kind: 'item',
  name: 'admin-client-version-read',
  path: '/admin/v1/clients/{id}/versions/{version}',
  purpose: 'Returns one version of a client with its content.',
  segments: { ...ID, version: 'The number of the version.' },
  scope: 'admin:clients:read',
  item: named('AdminClientVersionContent'),
});

export const versionDiff = operationContract({
  kind: 'item',
  name: 'admin-client-diff',
  path: '/admin/v1/clients/{id}/diff',
  purpose: 'Compares two versions of a client, member by member.',
  segments: ID,
  query: {
    from: {
      words: 'The number of the first version. Default: the version before `to`.',
      schema: VERSION_NUMBER,
    },
    to: { words: 'The number of the second version. Default: the present one.', schema: VERSION_NUMBER },
  },
  scope: 'admin:clients:read',
  item: named('AdminClientDiff'),
});

export const versionRestore = operationContract({
  kind: 'action',
  name: 'admin-client-restore',
  path: '/admin/v1/clients/{id}/restore',
  purpose:
    'Makes a client what it was in a former version. The version is checked like a change, and the outcome is a new version.',
  segments: ID,
  scope: 'admin:clients:write',
  action: 'client.restore',
  body: closed(
    {
      version: said(
        'The number of the version. Default: the one before the present version.',
        VERSION_NUMBER,
      ),
      with_secrets: WITH_SECRETS,
    },
    [],
  ),
  result: named('AdminRestoredClient'),
  problems: ['conflict'],
});

export const deletedList = operationContract({
  kind: 'list',
  name: 'admin-deleted-client-list',
  path: '/admin/v1/deleted-clients',
  purpose: 'Lists the deleted clients that can be restored, the latest deletion first.',
  scope: 'admin:clients:read',
  item: named('AdminDeletedClient'),
});

export const deletedRead = operationContract({
  kind: 'item',
  name: 'admin-deleted-client-read',
  path: '/admin/v1/deleted-clients/{id}',
  purpose: 'Returns a deleted client that can be restored.',
  segments: ID,
  scope: 'admin:clients:read',
  item: named('AdminDeletedClient'),
});

export const deletedRestore = operationContract({
  kind: 'action',
  name: 'admin-deleted-client-restore',
  path: '/admin/v1/deleted-clients/{id}/restore',
  purpose:
    'Registers a deleted client again, with its last metadata and its history. Its tokens, grants and consents stay ended.',
  segments: ID,
  scope: 'admin:clients:write',
  action: 'client.restore',
  body: closed({ with_secrets: WITH_SECRETS }, []),
  result: named('AdminRestoredClient'),
  problems: ['conflict'],
});

export const deletedPurge = operationContract({
  kind: 'removal',
  name: 'admin-deleted-client-purge',
  path: '/admin/v1/deleted-clients/{id}',
  purpose: 'Deletes a deleted client for good, with all its former versions.',
  segments: ID,
  scope: 'admin:clients:write',
  action: 'client.purge',
});
