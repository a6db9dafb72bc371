import { StorageUnavailable } from '../../ports/storage.ts';
import { clientPage } from './client-rows.ts';
import { openReadConnection } from './connection.ts';
import { displacement } from './database-file.ts';
import type { DatabasePlace } from './write-batch.ts';

/** Reads clients for a thread, by a connection of its own, which closes with the thread. */
export interface ClientReader {
  /** As `ClientStore.page`. Each call sees everything that was committed before it. */
  readonly page: ReturnType<typeof clientPage>;
}

/** @throws StorageUnavailable if other files are at the place of the database by now */
export function openClientReader({ path, files }: DatabasePlace): ClientReader {
  const displaced = displacement(path, files);
  if (displaced !== undefined) throw new StorageUnavailable(displaced);
  const database = openReadConnection(path);
  return { page: clientPage(database) };
}
