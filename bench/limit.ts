import { join } from 'node:path';
import { openReadConnection } from '../src/storage/sqlite/connection.ts';
import type { LimitedAct, LimitOptions, LimitResult, Row } from './processes/grouped-commits.ts';
import { messageFrom, pin, SERVER_CPU, startScript, stopChild } from './processes/measured-process.ts';
import type { Bench, Subject } from './subject.ts';

/** Opens SQLite alone, as fast as it commits the rows of the act. */
export function limit({ folder, scale }: Bench, name: string, act: LimitedAct): Subject {
  const path = join(folder, `limit-of-${Object.keys(act).join('-')}.db`);
  const child = startScript('grouped-commits.ts', { path, act } satisfies LimitOptions);
  pin(child.pid ?? 0, SERVER_CPU);
  return {
    name,
    async measure() {
      child.send(scale.round_ms);
      const { rows, seconds } = await messageFrom<LimitResult>(child);
      return { value: rows / seconds };
    },
    close: async () => await stopChild(child),
  };
}

/** Returns a row of our database. @param condition with `?` for the value */
export function storedRow({ folder }: Bench, table: string, condition: string, value: string): Row {
  const database = openReadConnection(join(folder, 'chancery.db'));
  const row = database.prepare(`SELECT * FROM ${table} WHERE ${condition}`).get(value);
  database.close();
  if (row === undefined) throw new Error(`the table ${table} does not hold the new row`);
  return { ...row } as Row;
}
