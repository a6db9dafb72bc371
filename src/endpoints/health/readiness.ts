import type { Log } from '../../ports/log.ts';
import type { Storage } from '../../ports/storage.ts';

/** Whether the storage reads and writes durably now; why not, is in the log. */
export async function storageState(
  storage: Pick<Storage, 'ready'>,
  log: Log,
): Promise<'ready' | 'not-ready'> {
  try {
    await storage.ready();
    return 'ready';
  } catch (cause) {
    log.error({ cause }, 'storage is not ready');
    return 'not-ready';
  }
}
