import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Storage } from '../../ports/storage.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { staleAnswers } from '../../testing/storage/stale-answers.ts';
import type { Place } from '../../testing/storage/stale-world.ts';
import { TENANT } from '../../testing/storage/stored-examples.ts';
import { openSqliteStorage } from './open.ts';

for (const writers of [
  ['main', 'main'],
  ['thread', 'main'],
  ['thread', 'thread'],
] as const) {
  const place = (): Place => {
    const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'chancery-stale-'));
    const path = join(folder, 'registry.sqlite');
    return {
      processes: writers.map((writer) => () => openSqliteStorage(path, { writer })),
      retire,
      crash: (client_id) => crash(path, client_id),
      remove: () => Promise.resolve(rmSync(folder, { recursive: true })),
    };
  };
  staleAnswers(`two processes, writers ${writers.join(' and ')}`, () => Promise.resolve(place()), 1 / 3);
}

/** Questions put in this turn are answered after it; a server closes its database when the last is answered. */
async function retire(storage: Storage): Promise<void> {
  await nextTurn();
  await nextTurn();
  await storage.close();
}

function crash(path: string, client_id: ClientId): Promise<void> {
  const dying = new DatabaseSync(path);
  try {
    dying.exec('BEGIN IMMEDIATE');
    dying.prepare('DELETE FROM client WHERE tenant = ? AND client_id = ?').run(TENANT, client_id);
    dying
      .prepare(`INSERT INTO change_journal (tenant, sequence, kind, subject)
        SELECT ?1, 1 + coalesce(max(sequence), 0), 'client-changed', ?2 FROM change_journal WHERE tenant = ?1`)
      .run(TENANT, client_id);
  } catch (error) {
    // Another writer holds the lock: then this one ends before it began.
    assert.match((error as Error).message, /locked/);
  } finally {
    dying.close();
  }
  return Promise.resolve();
}
