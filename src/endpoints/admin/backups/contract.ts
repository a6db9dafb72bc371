import { said } from '../../../spec/json-schema.ts';
import { named } from '../../../spec/schemas.ts';
import { operationContract } from '../operation-contract.ts';

/** The media type of a SQLite database. */
export const SQLITE_TYPE = 'application/vnd.sqlite3';

const ID = { id: 'The identifier of the backup.' };

export const backupList = operationContract({
  kind: 'list',
  name: 'admin-backup-list',
  path: '/admin/v1/backups',
  purpose: 'Lists the backups in the folder of the server, the newest first.',
  scope: 'admin:backups:read',
  item: named('AdminBackup'),
  problems: ['conflict'],
});

export const backupRead = operationContract({
  kind: 'item',
  name: 'admin-backup-read',
  path: '/admin/v1/backups/{id}',
  purpose: 'Returns one backup with its manifest and its last verification.',
  segments: ID,
  scope: 'admin:backups:read',
  item: named('AdminBackup'),
  problems: ['conflict'],
});

export const backupCreate = operationContract({
  kind: 'creation',
  name: 'admin-backup-create',
  path: '/admin/v1/backups',
  purpose:
    'Begins a backup of the database of all tenants. The answer comes at once; read the backup until its state is no longer `creating`.',
  scope: 'admin:backups',
  action: 'backup.create',
  item: named('AdminBackup'),
  problems: ['conflict', 'insufficient_storage'],
});

export const backupVerify = operationContract({
  kind: 'action',
  name: 'admin-backup-verify',
  path: '/admin/v1/backups/{id}/verify',
  purpose:
    'Begins to read a backup completely and to compare its digests. The answer comes at once; read the backup for the outcome.',
  segments: ID,
  scope: 'admin:backups',
  action: 'backup.verify',
  result: named('AdminBackup'),
  problems: ['conflict'],
});

export const backupDownload = operationContract({
  kind: 'stream',
  name: 'admin-backup-download',
  path: '/admin/v1/backups/{id}/file',
  purpose: 'Returns the file of a complete backup, as fast as the caller reads.',
  segments: ID,
  scope: 'admin:backups',
  headers: {
    Range: {
      words:
        'One range of octets, such as `bytes=1048576-`, to go on with a download. The server sends the whole file for several ranges.',
    },
    'If-Range': { words: 'The `ETag` of the file that the range belongs to.' },
  },
  problems: ['conflict', 'range_not_satisfiable', 'too_many_requests'],
  content: {
    [SQLITE_TYPE]: said('A SQLite database in one file.', { contentMediaType: SQLITE_TYPE }),
  },
  words: 'The file. `ETag` and `Repr-Digest` have its SHA-256.',
  ranges: true,
});

export const backupDelete = operationContract({
  kind: 'removal',
  name: 'admin-backup-delete',
  path: '/admin/v1/backups/{id}',
  purpose: 'Deletes a backup, for good.',
  segments: ID,
  scope: 'admin:backups',
  action: 'backup.delete',
  problems: ['conflict'],
});
