import { StorageUnavailable } from '../../ports/storage.ts';
import type {
  DumpRow,
  DumpSection,
  DumpTable,
  StorageMark,
  TableDump,
  TableReader,
  TableWriter,
} from '../../ports/table-dump.ts';
import { DEFAULT_TENANT, type TenantId } from '../../spec/identifiers.ts';
import { DUMPED_TABLES } from '../dumped-tables.ts';
import { otherSchema } from '../schema.ts';
import { Connection } from './connection.ts';
import { markOf } from './database.ts';
import { unavailable } from './database-error.ts';
import { type DatabaseUrl, parseDatabaseUrl } from './database-url.ts';
import { NEWEST, schemaState } from './migrations.ts';
import { ownTable } from './own-table.ts';
import {
  type BoundStatement,
  bound,
  enterTenant,
  type Row,
  type Statement,
  type StatementResult,
  statement,
} from './statement.ts';

/** The deadline for reading or writing one page. */
const DEADLINE_MS = 120_000;
const CONNECT_MS_MAX = 10_000;

interface TableStatements {
  readonly firstPage: Statement;
  readonly nextPage: Statement;
  readonly count: Statement;
  readonly remove: Statement;
  readonly put: Statement;
}

const STATEMENTS_BY_TABLE: ReadonlyMap<string, TableStatements> = new Map(
  DUMPED_TABLES.map((table) => [table.name, tableStatements(table)]),
);

function tableStatements(table: DumpTable): TableStatements {
  const { columns, keyLength, ofTenants } = table;
  const own = ownTable(table);
  const values = own.columns.map(
    (name, index) => `:${name}::${columns[index]?.type === 'integer' ? 'bigint' : 'text'}`,
  );
  const key = own.columns.slice(0, keyLength);
  const rest = ofTenants ? key.slice(1) : key;
  // A counter at 0 counts as absent.
  const counted = table.name === 'counters' ? 'AND (journal > 0 OR audit > 0)' : '';
  const scope = `${ofTenants ? 'tenant = :tenant' : 'TRUE'} ${counted}`;
  const bound = values.slice(keyLength - rest.length, keyLength);
  const behind = rest.length === 0 ? 'AND FALSE' : `AND (${rest.join(', ')}) > (${bound.join(', ')})`;
  const select = `SELECT ${own.columns.join(', ')} FROM ${own.name} WHERE ${scope}`;
  const order = `ORDER BY ${key.join(', ')} LIMIT :limit`;
  return {
    firstPage: statement(`dump_${table.name}`, `${select} ${order}`),
    nextPage: statement(`dump_${table.name}_behind`, `${select} ${behind} ${order}`),
    count: statement(
      `dump_${table.name}_count`,
      `SELECT count(*) AS rows_there FROM ${own.name} WHERE ${scope}`,
    ),
    remove: statement(
      `dump_${table.name}_remove`,
      `DELETE FROM ${own.name} WHERE ${key.map((name, index) => `${name} = ${values[index] ?? ''}`).join(' AND ')}`,
    ),
    put: statement(
      `dump_${table.name}_put`,
      `INSERT INTO ${own.name} (${own.columns.join(', ')}) VALUES (${values.join(', ')}) ON CONFLICT DO NOTHING`,
    ),
  };
}

const TENANTS = statement('dump_tenants', 'SELECT tenant FROM tenant ORDER BY tenant');
const PUT_MARK = statement(
  'mark_put',
  `INSERT INTO storage_mark (name, content) VALUES (:name, :content)
   ON CONFLICT (name) DO UPDATE SET content = excluded.content`,
);
const REMOVE_MARK = statement('mark_remove', 'DELETE FROM storage_mark WHERE name = :name');
const BEGIN_SNAPSHOT = statement('snapshot_begin', 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');

/** Reads and writes the rows of the database at a `postgres:` URL, which must have the schema of this program. */
export function postgresTables(url: string): TableDump {
  const database = parseDatabaseUrl(url);
  return {
    async snapshot() {
      const connection = await connect(database);
      await guarded(async () => await connection.execute([bound(BEGIN_SNAPSHOT, {})]));
      return tableReader(connection);
    },
    writer: async () => tableWriter(await connect(database)),
  };
}

async function connect(url: DatabaseUrl): Promise<Connection> {
  const failures: unknown[] = [];
  for (const host of url.hosts) {
    try {
      const connection = await Connection.open(url, host, {
        deadline_ms: DEADLINE_MS,
        writable: true,
        until: performance.now() + CONNECT_MS_MAX,
      });
      const { version } = await schemaState(connection);
      if (version === NEWEST) return connection;
      await connection.close();
      throw new StorageUnavailable(otherSchema(version, NEWEST));
    } catch (error) {
      failures.push(error);
    }
  }
  throw unavailable(failures[0]);
}

async function guarded<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw unavailable(error);
  }
}

function tableReader(connection: Connection): TableReader {
  const rowsIn = async ({ tenant }: DumpSection, asked: BoundStatement): Promise<readonly Row[]> =>
    await guarded(async () => (await executeWithin(connection, tenant, [asked]))[0]?.rows ?? []);
  return {
    tenants: () =>
      guarded(async () => {
        const [outcome] = await connection.execute([bound(TENANTS, {})]);
        const listed = outcome?.rows.map(({ tenant }) => String(tenant)) ?? [];
        return [...new Set([DEFAULT_TENANT, ...listed])].sort((one, other) =>
          Buffer.compare(Buffer.from(one), Buffer.from(other)),
        );
      }),
    async page(section, after, limit) {
      const { firstPage, nextPage } = statementsOf(section.table);
      const { columns } = ownTable(section.table);
      const key = Object.fromEntries((after ?? []).map((value, index) => [columns[index], value]));
      const values = { ...key, tenant: section.tenant ?? key['tenant'], limit };
      const rows = await rowsIn(section, bound(after === undefined ? firstPage : nextPage, values));
      return rows.map((row) => columns.map((name) => row[name] as string | number | null));
    },
    async count(section) {
      const [row] = await rowsIn(
        section,
        bound(statementsOf(section.table).count, { tenant: section.tenant }),
      );
      return Number(row?.['rows_there']);
    },
    // PostgreSQL cannot store a NUL.
    withNul: async () => await Promise.resolve([]),
    mark: (name) => guarded(() => markOf(connection, name)),
    close: () => guarded(() => connection.close()),
  };
}

function tableWriter(connection: Connection): TableWriter {
  return {
    ...tableReader(connection),
    keepsNul: false,
    change: ({ table, tenant }, removed, put) =>
      guarded(async () => {
        const statements = statementsOf(table);
        const batch = [
          ...removed.map((key) => bound(statements.remove, named(table, key))),
          ...put.map((row) => bound(statements.put, named(table, row))),
        ];
        const results = await executeWithin(connection, tenant, batch);
        return results.slice(removed.length).reduce((sum, { changed }) => sum + changed, 0);
      }),
    putMark: (name: StorageMark, content) =>
      guarded(async () => {
        await connection.execute([
          content === undefined ? bound(REMOVE_MARK, { name }) : bound(PUT_MARK, { name, content }),
        ]);
      }),
  };
}

/** Executes the statements in one transaction of the tenant; returns their results. */
async function executeWithin(
  connection: Connection,
  tenant: string | undefined,
  statements: readonly BoundStatement[],
): Promise<readonly StatementResult[]> {
  if (tenant === undefined) return await connection.execute(statements);
  return (await connection.execute([enterTenant(tenant as TenantId), ...statements])).slice(1);
}

function named(table: DumpTable, values: DumpRow): Readonly<Record<string, string | number | null>> {
  const { columns } = ownTable(table);
  return Object.fromEntries(values.map((value, index) => [columns[index] ?? '', value]));
}

function statementsOf({ name }: DumpTable): TableStatements {
  const found = STATEMENTS_BY_TABLE.get(name);
  if (found === undefined) throw new Error(`the table ${name} is not among those that are copied`);
  return found;
}
