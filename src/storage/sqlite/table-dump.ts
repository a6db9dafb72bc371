import { existsSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StorageUnavailable } from '../../ports/storage.ts';
import type {
  DumpKey,
  DumpRow,
  DumpSection,
  DumpTable,
  StorageMark,
  TableDump,
  TableReader,
  TableWriter,
} from '../../ports/table-dump.ts';
import { DEFAULT_TENANT } from '../../spec/identifiers.ts';
import { DUMPED_TABLES } from '../dumped-tables.ts';
import { otherSchema } from '../schema.ts';
import { openReadConnection, openWriteConnection } from './connection.ts';
import { inspect, unavailable } from './database-file.ts';
import { NEWEST, stateOf } from './migrations.ts';

const LOCK_WAIT_MS_MAX = 5000;

/** Reads and writes the rows of the database file at `path`, which must have the schema of this program. */
export function sqliteTables(path: string): TableDump {
  return {
    snapshot: async () =>
      await opened(path, () => {
        const database = ofThisVersion(openReadConnection(path));
        // The first read of the transaction fixes its snapshot.
        database.exec('BEGIN; SELECT 1 FROM sqlite_schema;');
        return readTables(database, path);
      }),
    writer: async () =>
      await opened(path, () => tableWriter(ofThisVersion(openWriteConnection(path, LOCK_WAIT_MS_MAX)), path)),
  };
}

async function opened<T>(path: string, open: () => T): Promise<T> {
  return await guarded(path, () => {
    if (!existsSync(path)) throw new StorageUnavailable(`there is no database at ${path}`);
    inspect(path);
    return open();
  });
}

function ofThisVersion(database: DatabaseSync): DatabaseSync {
  const { version } = stateOf(database);
  if (version === NEWEST) return database;
  database.close();
  throw new StorageUnavailable(otherSchema(version, NEWEST));
}

/** Runs `work` and returns its result as a promise, which the port requires for PostgreSQL. */
async function guarded<T>(path: string, work: () => T): Promise<T> {
  try {
    return await Promise.resolve(work());
  } catch (error) {
    throw unavailable(path, error);
  }
}

/** Reads the rows of an open database. @param path for messages */
export function readTables(database: DatabaseSync, path: string): TableReader {
  const statements = preparedStatements(database);
  const mark = database.prepare('SELECT content FROM storage_mark WHERE name = ?');
  return {
    tenants: () => guarded(path, () => tenantsIn(database)),
    page: ({ table, tenant = null }, after, limit) =>
      guarded(path, () => {
        const { firstPage, nextPage } = statements(table);
        if (after === undefined) return rowsOf(firstPage.all(tenant, limit));
        return rowsOf(nextPage.all(tenant, limit, ...(tenant === null ? after : after.slice(1))));
      }),
    count: ({ table, tenant = null }) =>
      guarded(path, () => Number(rowsOf([statements(table).count.get(tenant)])[0]?.[0] ?? 0)),
    withNul: ({ table, tenant = null }, limit) =>
      guarded(path, () => rowsOf(statements(table).withNul.all(tenant, limit))),
    mark: (name) =>
      guarded(path, () => {
        const content = mark.get(name)?.['content'];
        return typeof content === 'string' ? content : undefined;
      }),
    close: () => guarded(path, () => database.close()),
  };
}

function tableWriter(database: DatabaseSync, path: string): TableWriter {
  const statements = preparedStatements(database);
  const putMark = database.prepare(
    'INSERT INTO storage_mark (name, content) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET content = excluded.content',
  );
  const removeMark = database.prepare('DELETE FROM storage_mark WHERE name = ?');
  const change = ({ table }: DumpSection, removed: readonly DumpKey[], put: readonly DumpRow[]): number => {
    const { remove, put: insert } = statements(table);
    for (const key of removed) remove.run(...key);
    return put.reduce((sum, row) => sum + Number(insert.run(...row).changes), 0);
  };
  return {
    ...readTables(database, path),
    keepsNul: true,
    change: (section, removed, put) =>
      guarded(path, () => inTransaction(database, () => change(section, removed, put))),
    putMark: (name: StorageMark, content) =>
      guarded(path, () => {
        if (content === undefined) removeMark.run(name);
        else putMark.run(name, content);
      }),
  };
}

function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

const rowsOf = (rows: unknown): readonly DumpRow[] => rows as readonly DumpRow[];

type Prepared = { readonly [Name in Exclude<keyof DumpStatements, 'tables'>]: StatementSync };

/** Prepares the statements of a table when they are first needed. */
function preparedStatements(database: DatabaseSync): (table: DumpTable) => Prepared {
  const known = new Map<string, Prepared>();
  const prepare = (sql: string): StatementSync => {
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  };
  return (table) => {
    const found = known.get(table.name);
    if (found !== undefined) return found;
    const { firstPage, nextPage, count, withNul, remove, put } = dumpStatements(table);
    const made = {
      firstPage: prepare(firstPage),
      nextPage: prepare(nextPage),
      count: prepare(count),
      withNul: prepare(withNul),
      remove: prepare(remove),
      put: prepare(put),
    };
    known.set(table.name, made);
    return made;
  };
}

/** Lists the tenants. Each primary key begins with the tenant, so one look-up leads to the next tenant, however many rows there are. */
function tenantsIn(database: DatabaseSync): readonly string[] {
  const found = new Set<string>([DEFAULT_TENANT]);
  const listed = database.prepare('SELECT tenant FROM tenant').all();
  for (const { tenant } of listed) found.add(String(tenant));
  for (const name of DUMPED_TABLES.flatMap((table) => dumpStatements(table).tables)) {
    const next = database.prepare(`SELECT min(tenant) AS tenant FROM ${name} WHERE tenant > ?`);
    for (let tenant = next.get('')?.['tenant']; typeof tenant === 'string'; ) {
      found.add(tenant);
      tenant = next.get(tenant)?.['tenant'];
    }
  }
  return [...found].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}

/** The statements of one table. Rows are arrays. */
interface DumpStatements {
  readonly firstPage: string;
  readonly nextPage: string;
  readonly count: string;
  readonly withNul: string;
  readonly remove: string;
  readonly put: string;
  /** The tables that name the tenants. */
  readonly tables: readonly string[];
}

/** The audit log continues after its greatest number, even if that event was swept. The journal keeps its greatest number. */
const COUNTERS = `(SELECT * FROM (
    SELECT ?1 AS tenant,
      (SELECT coalesce(max(sequence), 0) FROM change_journal WHERE tenant = ?1) AS journal,
      max((SELECT coalesce(max(sequence), 0) FROM audit_event WHERE tenant = ?1),
        (SELECT coalesce(max(sequence), 0) FROM audit_swept WHERE tenant = ?1)) AS audit)
  WHERE journal > 0 OR audit > 0)`;

function dumpStatements(table: DumpTable): DumpStatements {
  return table.name === 'counters' ? counterStatements() : tableStatements(table);
}

function tableStatements({ name, columns, keyLength, ofTenants }: DumpTable): DumpStatements {
  const names = columns.map((column) => column.name);
  const key = names.slice(0, keyLength);
  // The tenant is a parameter of its own. A page continues after the rest of the key.
  const rest = ofTenants ? key.slice(1) : key;
  const scope = ofTenants ? 'tenant = ?1' : '?1 IS NULL';
  const behind = rest.length === 0 ? '' : `AND (${rest.join(', ')}) > (${placeholders(3, rest.length)})`;
  const select = `SELECT ${names.join(', ')} FROM ${name} WHERE ${scope}`;
  const order = `ORDER BY ${key.join(', ')} LIMIT ?2`;
  const texts = columns.filter(({ type }) => type === 'text').map((column) => column.name);
  const nul = texts.map((column) => `instr(${column}, char(0)) > 0`).join(' OR ');
  return {
    firstPage: `${select} ${order}`,
    nextPage: `${select} ${behind} ${order}`,
    count: `SELECT count(*) FROM ${name} WHERE ${scope}`,
    withNul: `SELECT ${key.join(', ')} FROM ${name} WHERE ${scope} AND (${nul === '' ? 'FALSE' : nul}) LIMIT ?2`,
    remove: `DELETE FROM ${name} WHERE (${key.join(', ')}) = (${placeholders(1, keyLength)})`,
    put: `INSERT INTO ${name} (${names.join(', ')}) VALUES (${placeholders(1, names.length)}) ON CONFLICT DO NOTHING`,
    tables: ofTenants ? [name] : [],
  };
}

/** PostgreSQL keeps counters in rows of their own; here they follow from the other tables. */
function counterStatements(): DumpStatements {
  return {
    firstPage: `SELECT tenant, journal, audit FROM ${COUNTERS} LIMIT ?2`,
    nextPage: `SELECT tenant, journal, audit FROM ${COUNTERS} WHERE FALSE LIMIT ?2`,
    count: `SELECT count(*) FROM ${COUNTERS}`,
    withNul: `SELECT tenant FROM ${COUNTERS} WHERE FALSE LIMIT ?2`,
    remove: 'DELETE FROM audit_swept WHERE tenant = ?1',
    put: 'INSERT INTO audit_swept (tenant, sequence) SELECT ?1, ?3 WHERE ?2 IS NOT NULL ON CONFLICT DO NOTHING',
    tables: ['audit_swept'],
  };
}

function placeholders(first: number, count: number): string {
  return Array.from({ length: count }, (_, index) => `?${first + index}`).join(', ');
}
