import type { Mutant } from './mutant.ts';

const FOLDER = 'src/storage/sqlite/backup-folder.ts';
const FOLDER_TEST = 'src/storage/sqlite/backup-store.test.ts';
const ENDPOINT_TEST = 'src/endpoints/admin/backups/backups.test.ts';

/** Faults of backups that a server makes, and of the tokens that open the administration with a key. */
export const BACKUPS: readonly Mutant[] = [
  {
    name: 'backup-id-is-a-path',
    fault: 'A text that is no id reaches the file system.',
    edits: [{ file: FOLDER, find: '  if (!ID.test(id)) return undefined;\n', replace: '' }],
    killers: [
      {
        file: FOLDER_TEST,
        test: 'no text but an id names a file: not a path, not another file of the folder',
      },
    ],
  },
  {
    name: 'backup-interrupted-is-creating',
    fault: 'A backup whose process died is being made for ever.',
    edits: [
      {
        file: FOLDER,
        find: 'settled === undefined ? undefined : interrupted(settled)',
        replace: 'settled',
      },
    ],
    killers: [
      {
        file: FOLDER_TEST,
        test: 'a backup whose process died is failed, cannot be read, and leaves no file after the next one',
      },
    ],
  },
  {
    name: 'backup-journal-left-on-full-disk',
    fault: 'A backup that fills the disk leaves the journal of its copy there.',
    edits: [
      {
        file: 'src/storage/sqlite/database-file.ts',
        find: "['', '-wal', '-shm', '-journal']",
        replace: "['', '-wal', '-shm']",
      },
    ],
    killers: [
      {
        file: FOLDER_TEST,
        test: 'a small disk: a backup that has no room is refused before it begins; one that fills the disk is failed, and gives the room back (F4)',
      },
    ],
  },
  {
    name: 'backup-flushed-at-once',
    fault: 'The whole copy of a backup is flushed in one go, and all writes of servers wait for it.',
    edits: [
      {
        file: 'src/storage/sqlite/backup.ts',
        find: "database.exec('PRAGMA synchronous = OFF');",
        replace: '',
      },
    ],
    killers: [
      {
        file: 'test/faults/backup-flush.test.ts',
        test: 'a thread flushes the copy of a backup while SQLite makes it; SQLite does not flush the whole copy at its end',
      },
    ],
  },
  {
    name: 'backup-flush-error-ignored',
    fault: 'A backup is complete although the disk has lost a part of it.',
    edits: [
      {
        file: 'src/storage/sqlite/flushed-while.ts',
        find: 'await exit;',
        replace: 'exit.catch(() => undefined);',
      },
    ],
    killers: [
      {
        file: 'src/storage/sqlite/flushed-while.test.ts',
        test: 'a flush that fails is an error, although the file was written',
      },
    ],
  },
  {
    name: 'backup-download-not-noted',
    fault: 'A backup is downloaded although its event could not be stored.',
    edits: [
      {
        file: 'src/endpoints/admin/backups/download.ts',
        find: 'await recordDownload(needs, call, id);',
        replace: 'void recordDownload(needs, call, id).catch(() => undefined);',
      },
    ],
    killers: [
      {
        file: ENDPOINT_TEST,
        test: 'the audit names who made, verified, downloaded and deleted which backup; a download that cannot be noted does not begin',
      },
    ],
  },
  {
    name: 'admin-proof-remembered-elsewhere',
    fault: 'A proof of a token of the default tenant works once at each tenant.',
    edits: [
      {
        file: 'src/endpoints/admin/authenticate.ts',
        find: '{ ...presented.dpop, replays: tokens.dpop.replays }',
        replace: 'presented.dpop',
      },
    ],
    killers: [
      {
        file: 'test/hostile/administration.program.test.ts',
        test: 'H-498 a stolen bound token, and one proof in twenty requests over two nodes and two tenants: one is answered (RFC 9449 §11.1)',
      },
    ],
  },
];
