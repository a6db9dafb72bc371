import { type BackupRefusal, BackupRefused, type StoredBackup } from '../../ports/backup-store.ts';
import { giveWayToServers } from '../priority.ts';
import { type BackupWork, makeBackup, verifyBackup } from './backup-work.ts';
import { reasonOf } from './connection.ts';

/** The work of a process: to make a backup, or to verify the one with this id. */
export interface BackupTask extends Omit<BackupWork, 'begun'> {
  readonly verify: string | undefined;
}

/** `ended` has the cause for the log; null if the work went well. */
export type BackupMessage =
  | { readonly kind: 'begun'; readonly backup: StoredBackup }
  | { readonly kind: 'refused'; readonly why: BackupRefusal; readonly words: string }
  | { readonly kind: 'ended'; readonly cause: string | null };

/** The channel is gone if the server has ended. The work goes on: a backup that is nearly complete is worth having. */
function say(message: BackupMessage): void {
  if (process.connected) process.send?.(message, undefined, {}, () => undefined);
}

async function run({ verify, ...work }: BackupTask): Promise<void> {
  const begun: BackupWork['begun'] = (backup) => say({ kind: 'begun', backup });
  try {
    const { cause } = await (verify === undefined
      ? makeBackup({ ...work, begun })
      : verifyBackup({ ...work, begun }, verify));
    say({ kind: 'ended', cause: cause === undefined ? null : reasonOf(cause) });
  } catch (failure) {
    if (failure instanceof BackupRefused) say({ kind: 'refused', why: failure.why, words: failure.message });
    else say({ kind: 'ended', cause: reasonOf(failure) });
  }
}

process.once('message', (task) => {
  giveWayToServers();
  void run(task as BackupTask).finally(() => {
    if (process.connected) process.disconnect?.();
  });
});
