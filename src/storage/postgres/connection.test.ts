import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { emptyDatabase } from '../../testing/postgres/database.ts';
import { Connection } from './connection.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { bound, statement } from './statement.ts';

test('a connection takes requests at once, answers them in turn, and goes on after one that fails', async (t) => {
  const warnings: string[] = [];
  const note = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', note);
  t.after(() => process.off('warning', note));
  const url = parseDatabaseUrl(await emptyDatabase());
  const host = url.hosts[0] ?? assert.fail('no host');
  const deadline_ms = 20_000;
  const until = performance.now() + deadline_ms;
  const connection = await Connection.open(url, host, { deadline_ms, writable: true, until });
  const asked = async (text: string): Promise<unknown> => {
    const [result] = await connection.execute([
      bound(statement(`ask ${text}`, `SELECT ${text} AS answer`), {}),
    ]);
    return result?.rows[0]?.['answer'];
  };
  const outcomes = await Promise.allSettled([asked('1'), asked('1 / 0'), asked('3'), asked('4')]);
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'refused')),
    [1, 'refused', 3, 4],
  );
  assert.equal(await asked('5'), 5);
  await nextTurn();
  // pg 8.23 warns of a query during a query, and pg 9 refuses it.
  assert.deepEqual(warnings, []);
  await connection.close();
});
