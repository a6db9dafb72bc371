import type { Settings } from '../../../config/settings.ts';
import type { BackupStore, StoredBackup } from '../../../ports/backup-store.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { TenantStorage } from '../../../ports/storage.ts';
import { timeText } from '../../../spec/time-text.ts';
import { acting, creating, type Item, listing, reading, removing, type WriteCall } from '../operation.ts';
import { pageIn } from '../page-in-memory.ts';
import { versionOf } from '../version.ts';
import {
  type AdminBackupNeeds,
  conflict,
  refused,
  renderedBackup,
  storedBackup,
  storeOf,
} from './backup-item.ts';
import { backupCreate, backupDelete, backupList, backupRead, backupVerify } from './contract.ts';
import { backupDownloading } from './download.ts';

interface WritingNeeds extends AdminBackupNeeds {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly storage: Pick<TenantStorage, 'audit'>;
}

export const adminBackups = [
  listing<AdminBackupNeeds>(backupList, async (needs, { page }) =>
    pageIn((await storeOf(needs).list()).map(renderedBackup), page, 'id'),
  ),
  reading<AdminBackupNeeds>(backupRead, async (needs, call) => ({
    item: renderedBackup(await storedBackup(storeOf(needs), call)),
  })),
  creating<WritingNeeds>(backupCreate, async (needs, call) => {
    const store = storeOf(needs);
    await store.check().catch(refused);
    return {
      before: null,
      after: planned(needs.clock.now()),
      warnings: await displaced(store, needs.settings['backup.keep']),
      commit: async () => {
        const backup = await store.create().catch(refused);
        await recordAct(needs, call, backup);
        return { item: renderedBackup(backup), location: `/backups/${backup.id}` };
      },
    };
  }),
  acting<WritingNeeds>(backupVerify, async (needs, call) => {
    const store = storeOf(needs);
    const backup = await storedBackup(store, call);
    if (backup.state !== 'complete') throw conflict(`the state of the backup is ${backup.state}`);
    const verification = { at: needs.clock.now(), finding: null, tables: [] };
    return {
      before: renderedBackup(backup),
      after: renderedBackup({ ...backup, verification }),
      commit: async () => {
        const begun = await store.verify(backup.id).catch(refused);
        await recordAct(needs, call, backup);
        return { item: renderedBackup(begun) };
      },
    };
  }),
  backupDownloading,
  removing<WritingNeeds>(backupDelete, async (needs, call) => {
    const store = storeOf(needs);
    const backup = await storedBackup(store, call);
    const before = renderedBackup(backup);
    call.ifMatch.require(versionOf(before));
    if (backup.state === 'creating' || backup.verification?.finding === null)
      throw conflict('the backup is being made or verified: wait until that has ended');
    return {
      before,
      after: null,
      commit: async () => {
        await recordAct(needs, call, backup);
        await store.remove(backup.id).catch(refused);
        return {};
      },
    };
  }),
];

/** A file is no part of a transaction, so the event has one of its own. */
async function recordAct(
  { storage }: Pick<WritingNeeds, 'storage'>,
  call: WriteCall,
  { id }: StoredBackup,
): Promise<void> {
  await storage.audit.append(call.event({ detail: id }));
}

/** A backup that has not begun. */
const planned = (now: number): Item => ({ state: 'creating', requested_at: timeText(now) });

/** Says which backups go when another one is complete. */
async function displaced(store: BackupStore, keep: number): Promise<readonly string[]> {
  const complete = (await store.list()).filter(({ state }) => state === 'complete');
  return complete
    .slice(keep - 1)
    .map(({ id }) => `the backup ${id} is deleted when this one is complete (backup.keep is ${keep})`);
}
