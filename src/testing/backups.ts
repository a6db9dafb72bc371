import { createHash } from 'node:crypto';
import {
  BackupRefused,
  type BackupStore,
  type BackupVerification,
  type StoredBackup,
} from '../ports/backup-store.ts';

/** Backups in memory. Work that has begun ends when the test says so. */
export interface BackupsInMemory extends BackupStore {
  /** Ends the work that is under way. */
  finish(outcome?: Partial<StoredBackup>): void;
  /** Lets the next creation be refused: the disk has no room. */
  fill(): void;
  /** The content of every backup. */
  readonly content: Buffer;
}

export const CONTENT: Buffer = Buffer.from('abcdefg'.repeat(20_000));

/** @param now seconds since the epoch */
export function backupsInMemory(now: () => number): BackupsInMemory {
  const kept = new Map<string, StoredBackup>();
  let working: string | undefined;
  let full = false;
  const requireFree = (): void => {
    if (working !== undefined) throw new BackupRefused('busy', 'another backup is being made or verified');
    if (full) throw new BackupRefused('no-room', 'the disk of backup.directory has 1 MB left');
  };
  const existing = (id: string): StoredBackup => {
    const found = kept.get(id);
    if (found === undefined) throw new BackupRefused('gone', 'there is no such backup');
    return found;
  };
  const begin = (backup: StoredBackup): StoredBackup => {
    kept.set(backup.id, backup);
    working = backup.id;
    return backup;
  };
  return {
    content: CONTENT,
    fill() {
      full = true;
    },
    finish(outcome = {}) {
      const backup = existing(working ?? '');
      kept.set(backup.id, { ...ended(backup, now()), ...outcome });
      working = undefined;
    },
    list: async () => await Promise.resolve([...kept.values()].toReversed()),
    find: async (id) => await Promise.resolve(kept.get(id)),
    check: async () => await Promise.resolve(requireFree()),
    async create() {
      requireFree();
      const id = `20270115T0800${String(kept.size).padStart(2, '0')}Z-00000000`;
      return await Promise.resolve(begin(creatingBackup(id, now())));
    },
    async verify(id) {
      requireFree();
      return await Promise.resolve(begin({ ...existing(id), verification: verifiedAt(now(), null) }));
    },
    async remove(id) {
      existing(id);
      await Promise.resolve(kept.delete(id));
    },
    async open(id) {
      if (!kept.has(id)) return await Promise.resolve(undefined);
      return {
        bytes: CONTENT.length,
        async *read(first, last) {
          for (let at = first; at <= last; at += 65_536)
            yield await Promise.resolve(CONTENT.subarray(at, Math.min(last + 1, at + 65_536)));
        },
        close: async () => await Promise.resolve(),
      };
    },
  };
}

const verifiedAt = (at: number, finding: BackupVerification['finding']): BackupVerification => ({
  at,
  finding,
  tables: [],
});

const creatingBackup = (id: string, requested_at: number): StoredBackup => ({
  id,
  state: 'creating',
  requested_at,
  failure: null,
  bytes: null,
  sha256: null,
  manifest: null,
  verification: null,
});

function ended(backup: StoredBackup, now: number): StoredBackup {
  if (backup.state === 'complete') return { ...backup, verification: verifiedAt(now, 'sound') };
  return {
    ...backup,
    state: 'complete',
    bytes: CONTENT.length,
    sha256: createHash('sha256').update(CONTENT).digest('hex'),
    manifest: {
      program: '0.1.0',
      schema: 1,
      taken_at: now,
      encryption_key: '0123abcd',
      tables: { client: { rows: 2, digest: 'ab'.repeat(32) } },
    },
  };
}
