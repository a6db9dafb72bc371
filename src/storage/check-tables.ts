import { StorageUnavailable } from '../ports/storage.ts';
import type { DumpRow, DumpSection, DumpTable, TableReader } from '../ports/table-dump.ts';
import { compareKeys, deletedTenants, pages } from './copy-table.ts';
import { DUMPED_TABLES, sectionsOf } from './dumped-tables.ts';

/** The faults that the rows of a database reveal. */
export interface TableCheck {
  readonly rows: number;
  /** One line each, without secrets. If there are many, only the first. */
  readonly findings: readonly string[];
}

const FINDINGS_MAX = 100;

/** Columns that contain JSON or NULL. */
const JSON_COLUMNS: ReadonlySet<string> = new Set([
  'tenant.settings',
  'client.metadata',
  'client.secrets',
  'client.privileges',
  'client.data',
  'client_version.metadata',
  'client_version.secrets',
  'client_version.privileges',
  'client_version.data',
  'access_token.introspection',
  'account.claims',
  'server_key.public_jwk',
  'trust_anchor.content',
]);

interface Dependents {
  readonly table: string;
  /** A row belongs to a row of one of these. */
  readonly of: readonly string[];
  readonly keyLength: number;
}

/** Tables whose rows never outlive the row that they belong to. The keys begin with the same columns. */
const DEPENDENTS: readonly Dependents[] = [
  { table: 'client_use', of: ['client'], keyLength: 2 },
  { table: 'client_version', of: ['client', 'deleted_client'], keyLength: 2 },
  { table: 'known_browser', of: ['account'], keyLength: 2 },
  { table: 'tenant_issuer', of: ['tenant'], keyLength: 1 },
];

/** Reads every table once and checks order, JSON, counts and orphaned rows. A row that cannot be read is a finding. */
export async function checkTables(reader: TableReader): Promise<TableCheck> {
  const findings: string[] = [];
  const note = (finding: string): void => {
    if (findings.length < FINDINGS_MAX) findings.push(finding);
  };
  const orNote = async (what: string, act: () => Promise<void>): Promise<void> => {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
      note(`${what} cannot be read: ${error.message}`);
    }
  };
  let rows = 0;
  let tenants: readonly string[] = [];
  await orNote('the tenants', async () => {
    tenants = await reader.tenants();
    for (const unknown of await strangers(reader, tenants))
      note(`rows of a tenant that is not there: ${unknown}`);
  });
  for (const table of DUMPED_TABLES) {
    for (const section of sectionsOf(table, tenants)) {
      await orNote(table.name, async () => {
        rows += await checkRows(reader, section, note);
      });
    }
  }
  const going = await deletedTenants(reader);
  for (const tenant of tenants) {
    // Rows of a tenant that is being deleted go before what counts them.
    if (!going.has(tenant)) await orNote('the counters', () => checkCounts(reader, tenant, note));
  }
  for (const { table, of, keyLength } of DEPENDENTS) {
    for (const [index, section] of sectionsOf(named(table), tenants).entries()) {
      const parents = of.map((parent) => sectionsOf(named(parent), tenants)[index] ?? section);
      await orNote(table, () => checkDependents(reader, section, parents, keyLength, note));
    }
  }
  return { rows, findings };
}

type Note = (finding: string) => void;

async function strangers(reader: TableReader, tenants: readonly string[]): Promise<readonly string[]> {
  const known = new Set(['default']);
  for await (const rows of pages(reader, { table: named('tenant'), tenant: undefined })) {
    for (const [tenant] of rows) known.add(String(tenant));
  }
  return tenants.filter((tenant) => !known.has(tenant));
}

async function checkRows(reader: TableReader, section: DumpSection, note: Note): Promise<number> {
  const { table } = section;
  const json = table.columns.flatMap(({ name }, index) =>
    JSON_COLUMNS.has(`${table.name}.${name}`) ? [{ name, index }] : [],
  );
  let rows = 0;
  let before: DumpRow | undefined;
  for await (const page of pages(reader, section)) {
    for (const row of page) {
      const key = JSON.stringify(row.slice(0, table.keyLength));
      if (before !== undefined && compareKeys(before, row, table.keyLength) >= 0) {
        note(`${table.name} ${key} is out of order, or there twice`);
      }
      for (const { name, index } of json) {
        const text = row[index];
        if (typeof text === 'string' && !isJson(text)) note(`${table.name} ${key}: ${name} is no JSON`);
      }
      before = row;
    }
    rows += page.length;
  }
  const counted = await reader.count(section);
  if (counted !== rows) note(`${table.name}: ${rows} rows by its key, ${counted} by another index`);
  return rows;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Checks the numbers of one tenant for gaps and reuse, and the count of open clients, which limits registration. */
async function checkCounts(reader: TableReader, tenant: string, note: Note): Promise<void> {
  const [counters] = await reader.page({ table: named('counters'), tenant }, undefined, 1);
  const journal = await numbersOf(reader, { table: named('change_journal'), tenant });
  if (journal.gaps > 0) note(`the journal of ${tenant} has ${journal.gaps} gaps`);
  if (journal.last !== Number(counters?.[1] ?? 0)) note(`the journal of ${tenant} is not counted`);
  const audit = await numbersOf(reader, { table: named('audit_event'), tenant });
  if (audit.last > Number(counters?.[2] ?? 0)) note(`the audit of ${tenant} is not counted`);
  const table = named('client');
  const via = table.columns.findIndex(({ name }) => name === 'registered_via');
  let open = 0;
  for await (const rows of pages(reader, { table, tenant }))
    open += rows.filter((row) => row[via] === 'open').length;
  const [count] = await reader.page({ table: named('open_client_count'), tenant }, undefined, 1);
  if (Number(count?.[1] ?? 0) !== open)
    note(`${open} open clients of ${tenant} are counted as ${String(count?.[1] ?? 0)}`);
}

async function numbersOf(
  reader: TableReader,
  section: DumpSection,
): Promise<{ readonly last: number; readonly gaps: number }> {
  let [last, gaps] = [0, 0];
  for await (const rows of pages(reader, section)) {
    for (const row of rows) {
      const number = Number(row[1]);
      if (last !== 0 && number !== last + 1) gaps += 1;
      last = number;
    }
  }
  return { last, gaps };
}

/** Finds rows without a parent. All cursors are in the order of their keys, so each parent is visited once. */
async function checkDependents(
  reader: TableReader,
  section: DumpSection,
  parents: readonly DumpSection[],
  keyLength: number,
  note: Note,
): Promise<void> {
  const have = parents.map((parent) => parentFinding(reader, parent, keyLength));
  const names = parents.map(({ table }) => table.name).join(' or ');
  for await (const rows of pages(reader, section)) {
    for (const row of rows) {
      const found = await Promise.all(have.map(async (has) => await has(row)));
      if (!found.includes(true))
        note(`${section.table.name} ${JSON.stringify(row.slice(0, keyLength))} belongs to no ${names}`);
    }
  }
}

/** Returns whether a row has a parent, for rows in the order of their keys. */
function parentFinding(
  reader: TableReader,
  parents: DumpSection,
  keyLength: number,
): (row: DumpRow) => Promise<boolean> {
  const parentRows = rowByRow(reader, parents);
  let parent: IteratorResult<DumpRow> | undefined;
  return async (row) => {
    parent ??= await parentRows.next();
    while (parent.done !== true && compareKeys(parent.value, row, keyLength) < 0)
      parent = await parentRows.next();
    return parent.done !== true && compareKeys(parent.value, row, keyLength) === 0;
  };
}

async function* rowByRow(reader: TableReader, section: DumpSection): AsyncGenerator<DumpRow> {
  for await (const rows of pages(reader, section)) yield* rows;
}

function named(name: string): DumpTable {
  const table = DUMPED_TABLES.find((each) => each.name === name);
  if (table === undefined) throw new Error(`there is no table ${name}`);
  return table;
}
