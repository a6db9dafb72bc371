import { httpSubject, type Server } from './http-subject.ts';
import type { LoadOrder } from './load.ts';
import type { Ours } from './ours.ts';
import { type OnPostgres, query } from './postgres.ts';
import { messageFrom, pin, startScript, stopChild } from './processes/measured-process.ts';
import type { PostgresLimitOptions, PostgresLimitResult, Row } from './processes/postgres-limit.ts';
import type { VerbOptions } from './processes/storage-verbs.ts';
import type { Bench, Subject } from './subject.ts';

export const ON_POSTGRES = 'ours, PostgreSQL';
export const ON_SQLITE = 'ours, SQLite';

type Verify = Parameters<typeof httpSubject>[3];

/** A program that others use too. */
export function subjectOf(
  bench: Bench,
  name: string,
  { program }: Pick<Ours, 'program'>,
  order: LoadOrder,
  verify: Verify,
  more: Partial<Pick<Server, 'databaseCpu' | 'second' | 'close'>> = {},
): ReturnType<typeof httpSubject> {
  return httpSubject(bench, { name, pid: program.pid, close: async () => undefined, ...more }, order, verify);
}

/** The program on both engines under the same load, PostgreSQL first. */
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

/** The bare client library at work that it can do in groups. @param url of a database with the schema of ours */
export function postgresLimit(
  bench: Bench,
  name: string,
  { cpuSeconds }: OnPostgres,
  options: PostgresLimitOptions,
): Subject {
  return scriptSubject(bench, name, 'postgres-limit.ts', options, cpuSeconds);
}

/** A verb of our storage, without the server above it. */
export function verbSubject(
  bench: Bench,
  name: string,
  { cpuSeconds }: OnPostgres,
  options: VerbOptions,
): Subject {
  return scriptSubject(bench, name, 'storage-verbs.ts', options, cpuSeconds);
}

function scriptSubject(
  { scale }: Bench,
  name: string,
  script: string,
  options: unknown,
  databaseCpu: OnPostgres['cpuSeconds'],
): Subject {
  const child = startScript(script, options);
  pin(child.pid ?? 0, 0);
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

/** A row of our own database. @param condition with `$1` for the value */
export async function postgresRow(
  { superuserUrl }: OnPostgres,
  table: string,
  condition: string,
  value: string,
): Promise<Row> {
  const [row] = await query(superuserUrl, `SELECT * FROM ${table} WHERE ${condition}`, [value]);
  if (row === undefined) throw new Error(`what was made is not in the table ${table}`);
  return row;
}
