import type { Log } from '../../ports/log.ts';
import type { Storage } from '../../ports/storage.ts';

/** Checks whether the storage reads and writes durably now, and logs why it does not. */
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
