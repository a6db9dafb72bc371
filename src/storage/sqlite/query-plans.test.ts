import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { clientReads } from './client-reads.ts';
import { sessionGrantsEnding } from './grant-writes.ts';
import { logoutNotificationReads, logoutNotificationWrites } from './logout-notification-rows.ts';
import { MIGRATIONS } from './migrations.ts';
import { sessionReads } from './session-reads.ts';

const database = new DatabaseSync(':memory:');
for (const { sql } of MIGRATIONS) database.exec(sql);
after(() => database.close());

/** How SQLite goes about each statement that is prepared meanwhile. */
function plansOf(prepare: (database: DatabaseSync) => unknown): readonly string[] {
  const statements: string[] = [];
  const recording = new Proxy(database, {
    get: (target, name) =>
      name === 'prepare'
        ? (sql: string) => {
            statements.push(sql);
            return target.prepare(sql);
          }
        : (Reflect.get(target, name) as unknown),
  });
  prepare(recording);
  return statements.map((sql) =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail))
      .join('; '),
  );
}

test('a client is found by the primary key, however many there are: a logout takes as long with a million (users want 1)', () => {
  const [find = ''] = plansOf(clientReads);
  assert.match(find, /^SEARCH client USING INDEX sqlite_autoindex_client_1 \(tenant=\? AND client_id=\?\)/);
});

test('nothing of a logout reads through a table', () => {
  const plans = [
    sessionReads,
    sessionGrantsEnding,
    logoutNotificationReads,
    logoutNotificationWrites,
  ].flatMap(plansOf);
  assert.ok(plans.length > 8);
  for (const plan of plans) assert.doesNotMatch(plan, /SCAN (?!json_each|VALUE|LIST)/i, plan);
});
