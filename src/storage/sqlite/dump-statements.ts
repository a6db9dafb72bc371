import type { DumpTable } from '../../ports/table-dump.ts';

/** The statements of one table, for rows as arrays. */
export interface DumpStatements {
  readonly firstPage: string;
  readonly nextPage: string;
  readonly count: string;
  readonly withNul: string;
  readonly remove: string;
  readonly put: string;
  /** Where tenants are looked for. */
  readonly tables: readonly string[];
}

/** Numbers of the audit go on behind the greatest one, also when that was swept; the journal keeps its greatest. */
const COUNTERS = `(SELECT * FROM (
    SELECT ?1 AS tenant,
      (SELECT coalesce(max(sequence), 0) FROM change_journal WHERE tenant = ?1) AS journal,
      max((SELECT coalesce(max(sequence), 0) FROM audit_event WHERE tenant = ?1),
        (SELECT coalesce(max(sequence), 0) FROM audit_swept WHERE tenant = ?1)) AS audit)
  WHERE journal > 0 OR audit > 0)`;

export function dumpStatements(table: DumpTable): DumpStatements {
  return table.name === 'counters' ? counterStatements() : tableStatements(table);
}

function tableStatements({ name, columns, keyLength, ofTenants }: DumpTable): DumpStatements {
  const names = columns.map((column) => column.name);
  const key = names.slice(0, keyLength);
  // The tenant is given by itself: the rest of the key is what a page goes on behind.
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

/** What the other engine counts in a row, and this one by its tables. */
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
