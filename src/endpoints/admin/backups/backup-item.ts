import {
  BackupRefused,
  type BackupStore,
  type Backups,
  type BackupVerification,
  type StoredBackup,
} from '../../../ports/backup-store.ts';
import { notFound, Problem } from '../../../spec/problems.ts';
import { timeOrNever, timeText } from '../../../spec/time-text.ts';
import type { AdminCall, Item } from '../operation.ts';

export interface AdminBackupNeeds {
  readonly backups: Backups;
}

/** @throws Problem conflict where another tool makes the backups */
export function storeOf({ backups }: AdminBackupNeeds): BackupStore {
  if ('unavailable' in backups) throw conflict(backups.unavailable);
  return backups;
}

export const conflict = (detail: string): Problem => new Problem('conflict', detail);

export async function storedBackup(store: BackupStore, { segments }: AdminCall): Promise<StoredBackup> {
  const backup = await store.find(segments['id'] ?? '');
  if (backup === undefined) throw notFound('backup');
  return backup;
}

/** Turns the refusal of a folder into a problem. */
export function refused(failure: unknown): never {
  if (!(failure instanceof BackupRefused)) throw failure;
  if (failure.why === 'gone') throw notFound('backup');
  throw new Problem(failure.why === 'no-room' ? 'insufficient_storage' : 'conflict', failure.message);
}

export function renderedBackup(backup: StoredBackup): Item {
  const { manifest, requested_at, verification, ...own } = backup;
  const tables = manifest === null ? null : Object.entries(manifest.tables);
  return {
    ...own,
    requested_at: timeText(requested_at),
    taken_at: timeOrNever(manifest?.taken_at ?? null),
    program: manifest?.program ?? null,
    schema: manifest?.schema ?? null,
    encryption_key: manifest?.encryption_key ?? null,
    rows: tables === null ? null : tables.reduce((sum, [, { rows }]) => sum + rows, 0),
    tables:
      tables === null ? null : tables.map(([table, { rows, digest: sha256 }]) => ({ table, rows, sha256 })),
    verification: verification === null ? null : renderedVerification(verification),
  };
}

function renderedVerification({ at, finding, tables }: BackupVerification): Item {
  const state = finding === null ? 'running' : finding === 'sound' ? 'passed' : finding;
  return { state, at: timeText(at), tables };
}
