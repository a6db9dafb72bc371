import type { Settings } from '../config/settings.ts';
import type { Log } from '../ports/log.ts';
import type { Storage } from '../ports/storage.ts';
import { sqlitePath } from './storage.ts';

interface FileReadingNeeds {
  readonly settings: Settings;
  readonly storage: Storage;
  /** Whether this process is the one that cares for the SQLite file. */
  readonly check: boolean;
  readonly log: Log;
}

/**
 * Begins what reads the whole SQLite file beside the requests: its check after a crash (ADR 46), or else the reading that brings it into
 * the system's cache (ADR 110). Returns what ends the latter; the storage ends its check itself.
 */
export async function beginFileReading({
  settings,
  storage,
  check,
  log,
}: FileReadingNeeds): Promise<() => Promise<void>> {
  const path = sqlitePath(settings);
  storage.fileCheck?.begin();
  if (path === undefined || !check || storage.fileCheck !== undefined)
    return async () => await Promise.resolve();
  const { readWholeFile } = await import('../storage/sqlite/file-reading.ts');
  const reading = readWholeFile(path, log);
  return async () => await reading?.close();
}
