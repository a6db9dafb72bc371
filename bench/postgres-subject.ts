import { httpSubject, type Server } from './http-subject.ts';
import type { LoadOrder } from './load.ts';
import type { Ours } from './ours.ts';
import { type OnPostgres, query } from './postgres.ts';
import { messageFrom, pin, SERVER_CPU, startScript, stopChild } from './processes/measured-process.ts';
import type { PostgresLimitOptions, PostgresLimitResult, Row } from './processes/postgres-limit.ts';
import type { Bench, Subject } from './subject.ts';

const ON_POSTGRES = 'ours, PostgreSQL';
export const ON_SQLITE = 'ours, SQLite';

type Verify = Parameters<typeof httpSubject>[3];

/** Opens a program that other benchmarks use, too. */
function subjectOf(
  bench: Bench,
  name: string,
  { program }: Pick<Ours, 'program'>,
  order: LoadOrder,
  verify: Verify,
  more: Partial<Pick<Server, 'databaseCpu' | 'second' | 'close'>> = {},
): ReturnType<typeof httpSubject> {
  return httpSubject(bench, { name, pid: program.pid, close: async () => undefined, ...more }, order, verify);
}

/** Opens the program on both engines under the same load, PostgreSQL first. */
export async function bothEngines(
  bench: Bench,
  orderTo: (ours: Ours) => LoadOrder,
  verify: Verify,
): Promise<readonly [postgres: Awaited<ReturnType<typeof httpSubject>>, sqlite: Subject]> {
  const postgres = bench.postgres();
  const databaseCpu = postgres.cpuSeconds;
  const onSqlite = await subjectOf(bench, ON_SQLITE, bench.ours, orderTo(bench.ours), verify);
  const onPostgres = await subjectOf(bench, ON_POSTGRES, postgres.ours, orderTo(postgres.ours), verify, {
    databaseCpu,
  });
  return [onPostgres, onSqlite.subject];
}

/** Opens the bare client library with work that it can do in groups. @param options with the URL of a database with our schema */
export function postgresLimit(
  { scale }: Bench,
  name: string,
  { cpuSeconds: databaseCpu }: OnPostgres,
  options: PostgresLimitOptions,
): Subject {
  const child = startScript('postgres-limit.ts', options);
  pin(child.pid ?? 0, SERVER_CPU);
  return {
    name,
    async measure() {
      const before = databaseCpu();
      child.send(scale.round_ms);
      const { rows, seconds, cpuSeconds } = await messageFrom<PostgresLimitResult>(child);
      const after = databaseCpu();
      return {
        value: rows / seconds,
        serverCpu: cpuSeconds / seconds,
        ...(before === undefined || after === undefined ? {} : { databaseCpu: (after - before) / seconds }),
      };
    },
    close: async () => await stopChild(child),
  };
}

/** Returns a row of our database. @param condition with `$1` for the value */
export async function postgresRow(
  { superuserUrl }: OnPostgres,
  table: string,
  condition: string,
  value: string,
): Promise<Row> {
  const [row] = await query(superuserUrl, `SELECT * FROM ${table} WHERE ${condition}`, [value]);
  if (row === undefined) throw new Error(`the table ${table} does not hold the new row`);
  return row;
}
