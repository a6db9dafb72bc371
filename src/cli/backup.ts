import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import type { Settings } from '../config/settings.ts';
import type { BackupManifest } from '../ports/backup-store.ts';
import { programVersion } from '../system/program-version.ts';
import { recordBackupAct } from './backup-audit.ts';
import { command } from './command.ts';
import { CommandFailure, calledWrongly } from './failure.ts';
import { FOLDER_BACKUP_COMMANDS } from './folder-backups.ts';
import { SERVER_OPTIONS } from './remote/options.ts';
import { serverOf } from './remote/server-option.ts';
import { commandEvent } from './session.ts';
import { CONFIG_OPTION, JSON_OPTION, SETTINGS_VARIABLES, settingsFor } from './settings.ts';
import { printFields } from './table.ts';

const isoTime = (seconds: number): string => new Date(seconds * 1000).toISOString();
const now = (): number => Math.floor(Date.now() / 1000);

const create = command({
  words: ['backup', 'create'],
  summary: 'Write a backup of the SQLite database to a new file, and verify it',
  description: [
    'The backup holds one state of the database: everything that was acknowledged before the command began. The file is written with mode 0600, verified, and only then gets its name. An existing file is never overwritten.',
    'Without --out, the backup goes into `backup.directory`, where the newest `backup.keep` stay. With --server, the server makes it there, and --out downloads it.',
    'The backup does not hold `encryption.key`. Keep that key elsewhere: without it, all secrets in the backup are lost. PostgreSQL has tools of its own (docs/operate/backup.md).',
    'The audit has the event `backup.create`. If the database takes no event, a line on standard error says so, and the backup is good.',
  ],
  servers:
    'Servers may run on the same database meanwhile. They do not wait for the backup, and go first on a busy core.',
  options: {
    out: { kind: 'text', value: 'FILE', words: 'Names the new file.' },
    ...SERVER_OPTIONS,
    ...CONFIG_OPTION,
    ...JSON_OPTION,
  },
  environment: SETTINGS_VARIABLES,
  output:
    'The file, the time of the backup, the number of rows and the beginning of the digest of the encryption key. With --json, one JSON object with the digest of each table.',
  examples: [
    'chancery backup create --out /backup/chancery-2026-11-21.db',
    'chancery backup create --server https://op.example.com --token-file admin.token',
  ],
  run: async (call) => {
    const { out, json } = call.options;
    const server = serverOf(call);
    if (server !== undefined) {
      const { createOnServer } = await import('./remote/server-backups.ts');
      return await createOnServer(server, call);
    }
    const resolved = await settingsFor('production', call);
    const { rowsIn } = await import('../storage/backup-manifest.ts');
    const { manifest, names } = await createdHere(resolved.settings, out);
    await recordBackupAct(resolved, 'backup.create', names['id'] ?? `to ${out}`, call);
    if (json) {
      call.print(JSON.stringify({ ...names, ...manifest }));
      return 0;
    }
    printFields(call.print, [
      ...Object.entries(names).map(([name, value]) => [name === 'out' ? 'backup' : name, value] as const),
      ['taken at', isoTime(manifest.taken_at)],
      ['rows', String(rowsIn(manifest.tables))],
      ['encryption key', manifest.encryption_key ?? 'none yet'],
    ]);
    call.print('Keep encryption.key in another place: without that key, all secrets in the backup are lost.');
    return 0;
  },
});

interface CreatedHere {
  /** The file, and the id of a backup in `backup.directory`. */
  readonly names: Readonly<Record<string, string>>;
  readonly manifest: BackupManifest;
}

/** Makes a backup at a path, or in `backup.directory`. */
async function createdHere(settings: Settings, out: string | undefined): Promise<CreatedHere> {
  const { backupWorkOf } = await import('./folder-backups.ts');
  const { makeBackup } = await import('../storage/sqlite/backup-work.ts');
  const work = await backupWorkOf(settings);
  if (out === undefined) {
    const { backupFile } = await import('../storage/sqlite/backup-folder.ts');
    const { backup, cause } = await makeBackup(work);
    if (backup.manifest === null) throw cause;
    return { names: { id: backup.id, out: backupFile(work.folder, backup.id) }, manifest: backup.manifest };
  }
  const { createSqliteBackup } = await import('../storage/sqlite/backup.ts');
  const manifest = await createSqliteBackup(work.database, out, { program: programVersion(), now });
  return { names: { out }, manifest };
}

const verify = command({
  words: ['backup', 'verify'],
  summary: 'Read a backup completely and compare its digests',
  description: [
    'The command reads every page of the file and compares the digest of every table with the one from the time of the backup. It needs no settings and no encryption key.',
  ],
  servers: 'The command uses no data of a server.',
  operands: { file: { words: 'Names the backup that `backup create` wrote; with --server, its id.' } },
  options: { ...SERVER_OPTIONS, ...JSON_OPTION },
  environment: [],
  output:
    'The time, the program version, the schema version and the number of rows. With --json, one JSON object.',
  exits: { 1: 'The file is not a backup, is damaged, or was changed.' },
  examples: ['chancery backup verify /backup/chancery-2026-11-21.db'],
  run: async (call) => {
    const { file } = call.operands;
    // A variable that names a server for all commands does not hide a file.
    const isHere = call.options.server === undefined && existsSync(file);
    const server = isHere ? undefined : serverOf(call);
    if (server !== undefined) {
      const { verifyOnServer } = await import('./remote/server-backups.ts');
      return await verifyOnServer(server, file, call);
    }
    requireDatabaseFile(file);
    const { rowsIn } = await import('../storage/backup-manifest.ts');
    const { verifySqliteBackup } = await import('../storage/sqlite/backup.ts');
    const { manifest, digestsCompared } = await verifySqliteBackup(file);
    if (call.options.json) {
      call.print(JSON.stringify({ file, digests_compared: digestsCompared, ...manifest }));
      return 0;
    }
    printFields(call.print, [
      ['backup', file],
      ['taken at', isoTime(manifest.taken_at)],
      ['made by', `chancery ${manifest.program}`],
      ['schema version', String(manifest.schema)],
      ['rows', String(rowsIn(manifest.tables))],
      ['encryption key', manifest.encryption_key ?? 'none yet'],
      ['digests', digestsCompared ? 'as when it was made' : 'not compared: the schema is an older one'],
    ]);
    return 0;
  },
});

/** SQLite File Format §1.3.1. */
const SQLITE_MAGIC = 'SQLite format 3\0';

/** Refuses a file that is no database at all. Otherwise the storage would call it a damaged database. */
function requireDatabaseFile(file: string): void {
  if (!existsSync(file)) return;
  const header = Buffer.alloc(SQLITE_MAGIC.length);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, header);
  } finally {
    closeSync(descriptor);
  }
  if (header.toString('latin1') !== SQLITE_MAGIC)
    throw new CommandFailure(`${file} is not a backup: it is not a SQLite database`);
}

const restore = command({
  words: ['backup', 'restore'],
  summary: 'Put a backup in the place of the SQLite database',
  description: [
    'The command verifies the backup first. It refuses a backup from a newer program, and one that `encryption.key` does not open. An existing database is never overwritten: without --move-aside the command refuses, with it the database is renamed.',
    'The registry goes back to the time of the backup. Later changes are lost: revoked keys and tokens are valid again, deleted clients and accounts exist again. The command prints this list, with the commands that correct it.',
  ],
  servers: 'Stop all servers on the database first. The command refuses while a server has it open.',
  operands: { file: { words: 'Names the backup.' } },
  options: {
    to: {
      kind: 'text',
      value: 'sqlite:PATH',
      words: 'Names the place of the database. Without it, the setting `storage.url` counts.',
    },
    'move-aside': { kind: 'flag', words: 'Renames an existing database instead of refusing.' },
    ...CONFIG_OPTION,
    ...JSON_OPTION,
  },
  environment: SETTINGS_VARIABLES,
  output:
    'The path of the database, the new path of the old one, and what to correct before servers start. With --json, one JSON object.',
  examples: ['chancery backup restore /backup/chancery-2026-11-21.db --move-aside'],
  run: async (call) => {
    const { file } = call.operands;
    const { settings } = await settingsFor('production', call);
    const { path, taken_at, aside, restored_at } = await restored(file, settings, call.options);
    if (call.options.json) {
      call.print(JSON.stringify({ restored: path, moved_aside: aside ?? null, taken_at, restored_at }));
      return;
    }
    call.print(`restored to ${path}`);
    if (aside !== undefined) call.print(`what stood there is at ${aside}`);
    for (const line of whatToDo(taken_at)) call.print(line);
  },
});

interface Restored {
  readonly path: string;
  readonly aside: string | undefined;
  readonly taken_at: number;
  readonly restored_at: number;
}

async function restored(
  file: string,
  settings: Settings,
  { to, 'move-aside': moveAside }: { readonly to: string | undefined; readonly 'move-aside': boolean },
): Promise<Restored> {
  const { requireKeyOpens, sealerOf, sqlitePath, sqlitePathOf, tablesAt } = await import(
    '../process/storage.ts'
  );
  const { markRestored } = await import('../storage/marks.ts');
  const { restoreSqliteBackup, verifySqliteBackup } = await import('../storage/sqlite/backup.ts');
  const path = to === undefined ? sqlitePath(settings) : sqlitePathOf(to);
  if (path === undefined || path === '') {
    if (to !== undefined) throw calledWrongly('--to must be sqlite:PATH');
    throw new CommandFailure('a backup goes into a SQLite database: name it with --to sqlite:PATH');
  }
  requireDatabaseFile(file);
  const { manifest, canary } = await verifySqliteBackup(file);
  if (canary !== undefined) requireKeyOpens(canary, sealerOf(settings), file);
  const restored_at = now();
  const { taken_at } = manifest;
  const { aside } = await restoreSqliteBackup(file, path, {
    moveAside,
    now: restored_at,
    complete: async (draft) => {
      const writer = await (await tablesAt(`sqlite:${draft}`)).writer();
      try {
        await markRestored(writer, { taken_at, restored_at }, restoreEvent(taken_at, restored_at));
      } finally {
        await writer.close();
      }
    },
  });
  return { path, aside, taken_at, restored_at };
}

const markAsRestored = command({
  words: ['backup', 'restored'],
  summary: 'Mark a database that other tools restored, before the first server starts',
  description: [
    'Run this once after pg_restore, pg_basebackup, or restoring a snapshot of a SQLite file. It does what `backup restore` does in the database that it writes: numbers of the audit and of the journal that were given after the backup are not given again, and the audit of each tenant records the restoration.',
    'The command is not for a database that `backup restore` has restored.',
  ],
  servers: 'Stop all servers on the database first, and start them only afterwards.',
  options: {
    'taken-at': {
      kind: 'text',
      value: 'TIME',
      required: true,
      words: 'Says when the backup began, for example 2026-11-21T10:00:00Z.',
    },
    ...CONFIG_OPTION,
    ...JSON_OPTION,
  },
  environment: SETTINGS_VARIABLES,
  output: 'The list of things to correct before servers start. With --json, one JSON object.',
  examples: ['chancery backup restored --taken-at 2026-11-21T10:00:00Z'],
  run: async (call) => {
    const taken_at = secondsOf(call.options['taken-at']);
    const { settings } = await settingsFor('production', call);
    const restored_at = now();
    await mark(settings, taken_at, restored_at);
    if (call.options.json) call.print(JSON.stringify({ taken_at, restored_at }));
    else for (const line of whatToDo(taken_at)) call.print(line);
  },
});

function secondsOf(time: string): number {
  const milliseconds = Date.parse(time);
  if (Number.isNaN(milliseconds))
    throw calledWrongly('--taken-at must be a time such as 2026-11-21T10:00:00Z');
  return Math.floor(milliseconds / 1000);
}

async function mark(settings: Settings, taken_at: number, restored_at: number): Promise<void> {
  const { openStorage, requireRightKey, sealerOf, tablesAt } = await import('../process/storage.ts');
  const { markRestored } = await import('../storage/marks.ts');
  const storage = await openStorage(settings, { check: false, mode: 'production' });
  try {
    await requireRightKey(storage, sealerOf(settings));
  } finally {
    await storage.close();
  }
  const writer = await (await tablesAt(settings['storage.url'])).writer();
  try {
    await markRestored(writer, { taken_at, restored_at }, restoreEvent(taken_at, restored_at));
  } finally {
    await writer.close();
  }
}

/** Returns the event with which the audit of each tenant goes on. */
function restoreEvent(taken_at: number, at: number): ReturnType<typeof commandEvent> {
  return commandEvent(at, 'storage.restore', `backup of ${isoTime(taken_at)}`);
}

/** Returns what an operator has to correct after a restoration, the worst first. */
function whatToDo(taken_at: number): readonly string[] {
  return [
    `Everything that happened after ${isoTime(taken_at)} is lost. Before servers start:`,
    '  - Server keys that were revoked later sign and verify again: chancery keys list, chancery keys revoke KID --compromised.',
    '  - Accounts that were disabled or deleted later can sign in again, with their old passwords: chancery accounts list.',
    '  - Clients that were deleted later exist again: chancery clients list, chancery clients delete ID.',
    '  - Tenants that were deleted later exist again: chancery tenants list, chancery tenants delete ID.',
    '  - Initial access tokens that were used or revoked later are valid again: chancery iat list, chancery iat revoke ID.',
    '  - Secrets and registration tokens that were replaced later are valid again, and their replacements are refused. The',
    '    log says "registration token is wrong, or newer than the restored record" for every such client:',
    '    chancery clients rotate-secret ID, or let the client register again.',
    '  - Access and refresh tokens that were revoked later are active again until they expire, and sessions that ended later',
    '    are open again. Clients, accounts and tokens that were made later do not exist.',
    '  - Assertions and codes that were used later can be used once more until they expire. Wait before you start servers:',
    '    the longer the wait, the fewer are left.',
  ];
}

export const BACKUP_COMMANDS = [create, verify, ...FOLDER_BACKUP_COMMANDS, restore, markAsRestored];
