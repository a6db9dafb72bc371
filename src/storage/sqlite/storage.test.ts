import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../../testing/storage/engine.ts';
import { placeEmptyDatabase } from '../../testing/storage/sqlite-template.ts';
import { storageContract } from '../../testing/storage/storage-suite.ts';
import { openSqliteStorage } from './open.ts';

for (const writer of ['thread', 'main'] as const) {
  storageContract(`SQLite, writer: ${writer}`, async (): Promise<Engine> => {
    const folder = await mkdtemp(join(tmpdir(), 'chancery-storage-'));
    const path = join(folder, 'registry.sqlite');
    await placeEmptyDatabase(path);
    return {
      open: () => openSqliteStorage(path, { writer }),
      remove: () => rm(folder, { recursive: true }),
    };
  });
}
