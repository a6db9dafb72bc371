import type { TenantId } from '../../spec/identifiers.ts';

/** The value of a parameter: text, a number, null, or a list of texts. Numbers in a list are written as text. */
export type Value = string | number | null | readonly (string | null)[];

/** A value of a column. */
export type Scalar = string | number | boolean | null;
export type Row = Readonly<Record<string, Scalar>>;

/** SQL that each connection prepares once. It is written with named parameters (`:name`). */
export interface Statement {
  readonly name: string;
  /** With numbered parameters. */
  readonly text: string;
  /** The parameters in the order of their numbers. */
  readonly parameters: readonly string[];
  /** Makes a row of its columns as texts, where a row by the names of the columns costs too much. */
  readonly row?: (columns: readonly (string | null)[]) => Row;
}

/** A statement with its values. */
export interface BoundStatement {
  readonly statement: Statement;
  readonly values: readonly Value[];
}

export interface StatementResult {
  readonly rows: readonly Row[];
  /** The number of rows that the statement changed. */
  readonly changed: number;
}

const NAMED = /(?<![:\w]):([a-z_][a-z0-9_]*)/gu;

/** Every statement of the loaded modules. `dialect.test.ts` checks that other engines understand them. */
export const STATEMENTS = new Map<string, Statement>();

/**
 * @param name of the prepared statement, unique in the program
 * @param row makes the rows, if it is frequent
 */
export function statement(name: string, sql: string, row?: Statement['row']): Statement {
  if (STATEMENTS.has(name)) throw new Error(`two statements have the name ${name}`);
  const parameters: string[] = [];
  const text = sql.replaceAll(NAMED, (_match, parameter: string) => {
    if (!parameters.includes(parameter)) parameters.push(parameter);
    return `$${parameters.indexOf(parameter) + 1}`;
  });
  const made = {
    name,
    text: text.replaceAll(/\s+/gu, ' ').trim(),
    parameters,
    ...(row === undefined ? {} : { row }),
  };
  STATEMENTS.set(name, made);
  return made;
}

/** Thrown before anything was changed: a value cannot be stored, or the write must not happen. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** @throws Refused for a value that the database cannot store, such as text with a NUL */
export function bound(
  statement: Statement,
  values: Readonly<Record<string, Value | undefined>>,
): BoundStatement {
  const inOrder = statement.parameters.map((parameter) => {
    const value = values[parameter];
    if (value === undefined || !isStorable(value))
      throw new Refused(`${statement.name} cannot store its ${parameter}`);
    return value;
  });
  return { statement, values: inOrder };
}

function isStorable(value: Value): boolean {
  if (typeof value === 'string') return !value.includes('\0');
  if (typeof value === 'number') return Number.isSafeInteger(value);
  return (
    value === null ||
    (Array.isArray(value) &&
      value.every((text) => text === null || (typeof text === 'string' && isStorable(text))))
  );
}

/** The columns of many rows, with their types. Each column is one parameter: a list with a value for each row. */
export type ListedColumns = Readonly<Record<string, 'text' | 'bigint'>>;

export const columnNames = (columns: ListedColumns): string => Object.keys(columns).join(', ');

/** For `FROM`: the rows, under the name `given`. */
export const unnested = (columns: ListedColumns): string => {
  const lists = Object.entries(columns).map(([name, type]) => `:${name}::${type}[]`);
  return `unnest(${lists.join(', ')}) AS given (${columnNames(columns)})`;
};

/** Returns the parameters of `unnested`. */
export function listed(
  columns: ListedColumns,
  rows: readonly Readonly<Record<string, Value | undefined>>[],
): Record<string, readonly (string | null)[]> {
  const lists: Record<string, readonly (string | null)[]> = {};
  for (const column of Object.keys(columns)) lists[column] = rows.map((row) => inText(row[column] as Scalar));
  return lists;
}

const inText = (value: Scalar | undefined): string | null =>
  value === null || value === undefined ? null : String(value);

/**
 * Sets the tenant of the transaction. Row security then shows rows of that tenant only, so a statement with a wrong tenant
 * finds nothing. This is the second safeguard; the first is that each statement names its tenant.
 */
export const ENTER_TENANT = statement('enter_tenant', `SELECT set_config('chancery.tenant', :tenant, true)`);

/**
 * Locks the tenant's counters until the transaction ends. Writes that are counted, journalled or depend on what they read
 * take this lock, so they happen one at a time across all processes. Later statements see everything committed before.
 */
export const LOCK_TENANT = statement(
  'lock_tenant',
  `INSERT INTO tenant_counter (tenant, journal, audit) VALUES (:tenant, 0, 0)
   ON CONFLICT (tenant) DO UPDATE SET journal = tenant_counter.journal`,
);

/** Returns the statement that sets the tenant of the transaction. */
export const enterTenant = (tenant: TenantId): BoundStatement => bound(ENTER_TENANT, { tenant });
/** Returns the statement that locks the tenant. */
export const lockTenant = (tenant: TenantId): BoundStatement => bound(LOCK_TENANT, { tenant });
