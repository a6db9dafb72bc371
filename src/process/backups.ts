import type { Settings } from '../config/settings.ts';
import type { Backups } from '../ports/backup-store.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import { openBackups } from '../storage/sqlite/backup-store.ts';
import type { BackupWork } from '../storage/sqlite/backup-work.ts';
import { programVersion } from '../system/program-version.ts';
import { sqlitePath } from './storage.ts';

export const POSTGRES_BACKUPS =
  'storage.url names a PostgreSQL database: back it up with pg_dump or pg_basebackup (docs/operate/backup.md)';

/** Returns what makes backups in the folder of the settings; undefined for a database with tools of its own. */
export function backupWork(settings: Settings): Omit<BackupWork, 'begun'> | undefined {
  const database = sqlitePath(settings);
  if (database === undefined) return undefined;
  const named = settings['backup.directory'];
  return {
    database,
    folder: named === 'beside-database' ? `${database}.backups` : named,
    program: programVersion(),
    keep: settings['backup.keep'],
  };
}

interface BackupsNeeds {
  readonly settings: Settings;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'gauge'>;
  /** Whether this process publishes the age of the newest backup, for all processes of the server. */
  readonly counts: boolean;
  /** Gets what ends the work under way. */
  readonly closers: (() => Promise<void>)[];
}

/** Opens the backups that the administration of a server offers. */
export function openServerBackups({ settings, log, metrics, counts, closers }: BackupsNeeds): Backups {
  const work = backupWork(settings);
  if (work === undefined) return { unavailable: POSTGRES_BACKUPS };
  const backups = openBackups({ ...work, log });
  closers.push(async () => await backups.close());
  if (counts)
    metrics.gauge('chancery_backup_timestamp_seconds', () => {
      const newest = backups.newest();
      return newest === undefined ? [] : [[{}, newest]];
    });
  return backups;
}
