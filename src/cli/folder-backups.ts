import type { Settings } from '../config/settings.ts';
import type { SqliteBackups } from '../storage/sqlite/backup-store.ts';
import type { BackupWork } from '../storage/sqlite/backup-work.ts';
import { recordBackupAct } from './backup-audit.ts';
import { command } from './command.ts';
import { CommandFailure, calledWrongly } from './failure.ts';
import { SERVER_OPTIONS } from './remote/options.ts';
import { serverOf } from './remote/server-option.ts';
import { CONFIG_OPTION, JSON_OPTION, SETTINGS_VARIABLES, settingsFor } from './settings.ts';
import { table, timeText } from './table.ts';

const OPTIONS = { ...SERVER_OPTIONS, ...CONFIG_OPTION, ...JSON_OPTION } as const;
const ID = { words: 'Names the backup by its id.' } as const;
const BESIDE = 'Servers may run on the same database meanwhile, and see the change at once.';

/** Returns what makes backups of the database of the settings. Throws CommandFailure for PostgreSQL. */
export async function backupWorkOf(settings: Settings): Promise<BackupWork> {
  const { backupWork, POSTGRES_BACKUPS } = await import('../process/backups.ts');
  const work = backupWork(settings);
  if (work === undefined) throw new CommandFailure(POSTGRES_BACKUPS);
  return work;
}

/** Returns the folder of the backups that servers make; undefined if none is there. */
export async function serverBackups(settings: Settings): Promise<string | undefined> {
  const { backupWork } = await import('../process/backups.ts');
  const { listBackups } = await import('../storage/sqlite/backup-folder.ts');
  const folder = backupWork(settings)?.folder;
  if (folder === undefined) return undefined;
  return (await listBackups(folder)).some(({ state }) => state === 'complete') ? folder : undefined;
}

async function backupsOf(settings: Settings): Promise<SqliteBackups> {
  const { openBackups } = await import('../storage/sqlite/backup-store.ts');
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  return openBackups({ ...(await backupWorkOf(settings)), log });
}

const HEADS = ['ID', 'STATE', 'TAKEN AT', 'BYTES', 'MADE BY', 'VERIFIED'];

const list = command({
  words: ['backup', 'list'],
  summary: 'List the backups in backup.directory',
  description: [
    'The list has the backups that servers made, and those of `backup create` without --out: those in `backup.directory`, the newest first.',
  ],
  servers: BESIDE,
  options: OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'A table with one line for each backup. With --json, one JSON object per line.',
  examples: ['chancery backup list'],
  run: async (call) => {
    const { settings } = await settingsFor('production', call);
    const backups = await (await backupsOf(settings)).list();
    if (call.options.json) {
      const { renderedBackup } = await import('../endpoints/admin/backups/backup-item.ts');
      for (const backup of backups) call.print(JSON.stringify(renderedBackup(backup)));
      return;
    }
    table(call.print, HEADS).print(
      backups.map(({ id, state, failure, bytes, manifest, verification }) => [
        id,
        failure ?? state,
        timeText(manifest?.taken_at ?? null, '-'),
        bytes === null ? '-' : String(bytes),
        manifest === null ? '-' : `chancery ${manifest.program}`,
        verification === null ? '-' : (verification.finding ?? 'running'),
      ]),
    );
  },
});

const remove = command({
  words: ['backup', 'delete'],
  summary: 'Delete a backup in backup.directory',
  description: ['The backup is gone for good. One that is being made or verified is not deleted.'],
  servers: BESIDE,
  operands: { id: ID },
  options: OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'One line. With --json, one JSON object.',
  examples: ['chancery backup delete 20261121T100000Z-0123abcd'],
  run: async (call) => {
    const { id } = call.operands;
    const resolved = await settingsFor('production', call);
    await (await backupsOf(resolved.settings)).remove(id);
    await recordBackupAct(resolved, 'backup.delete', id, call);
    call.print(call.options.json ? JSON.stringify({ deleted: id }) : `deleted the backup ${id}`);
  },
});

const download = command({
  words: ['backup', 'download'],
  summary: 'Download a backup of a server to a new file',
  description: [
    'The file gets its name when it is complete and has the digest that the server says. It has mode 0600. An existing file is never overwritten.',
    'On the machine of the server, copy the file from `backup.directory` instead.',
  ],
  servers: 'The server serves meanwhile.',
  operands: { id: ID },
  options: {
    out: { kind: 'text', value: 'FILE', required: true, words: 'Names the new file.' },
    ...SERVER_OPTIONS,
    ...JSON_OPTION,
  },
  environment: [],
  output: 'The file and its size. With --json, one JSON object.',
  examples: [
    'chancery backup download 20261121T100000Z-0123abcd --out chancery.db --server https://op.example.com --token-file admin.token',
  ],
  run: async (call) => {
    const server = serverOf(call);
    if (server === undefined)
      throw calledWrongly('--server is missing: on its machine, copy the file from backup.directory');
    const { downloadFromServer } = await import('./remote/server-backups.ts');
    return await downloadFromServer(server, call.operands.id, call);
  },
});

export const FOLDER_BACKUP_COMMANDS = [list, download, remove];
