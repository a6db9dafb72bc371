import type { StoredAccount } from '../ports/account-store.ts';
import { ADMIN_ROLES, type AdminRole } from '../spec/admin-scopes.ts';

/**
 * How a member stands in its column, on either engine. `json`: as JSON text, or NULL for null. `optional`: NULL where the
 * member is absent. `role`: as its rank from 1 on, which keeps the row narrow. `plain`: as it is.
 */
type Kind = 'plain' | 'json' | 'optional' | 'role';

type Column = string | number | null;

/** Returns the rank of a role, as it is stored. */
export const rankOf = (role: AdminRole): number => ADMIN_ROLES.indexOf(role) + 1;

/** Whether an account may administer everything now. */
export const isAdministrator = ({ admin_role, disabled_at }: StoredAccount): boolean =>
  admin_role === 'administrator' && disabled_at === null;

const asItIs = (value: unknown): Column => value as Column;

const READ: Readonly<Record<Kind, (value: unknown) => unknown>> = {
  plain: asItIs,
  optional: asItIs,
  json: (value) => JSON.parse(value as string),
  role: (value) => ADMIN_ROLES[Number(value) - 1] ?? null,
};

const WRITTEN: Readonly<Record<Kind, (value: unknown) => Column>> = {
  plain: asItIs,
  optional: asItIs,
  json: (value) => JSON.stringify(value),
  role: (value) => rankOf(value as AdminRole),
};

/** Maps the rows of one table to the records of a port. Each column has the name of its member. */
export interface RowMapper<Stored> {
  /** For SELECT and INSERT, in the order of the members. */
  readonly columns: string;
  readonly read: (row: object) => Stored;
  readonly readOptional: (row: object | undefined) => Stored | undefined;
  /** Returns the columns of a record, in their order. */
  readonly write: (stored: Stored) => Column[];
  /** Returns the columns of a record by name. */
  readonly writeNamed: (stored: Stored) => Readonly<Record<string, Column>>;
}

/** @param kinds names every member: the compiler refuses a table that forgets one */
export function mapper<Stored extends object>(
  kinds: {
    readonly [Member in keyof Stored]-?: Kind;
  },
): RowMapper<Stored> {
  const members = Object.entries<Kind>(kinds);
  const read = (row: object): Stored => {
    const stored: Record<string, unknown> = {};
    for (const [name, kind] of members) {
      const value = (row as Readonly<Record<string, unknown>>)[name];
      if (kind === 'optional' && value === null) continue;
      stored[name] = value === null ? null : READ[kind](value);
    }
    return stored as Stored;
  };
  const column = (stored: Stored, name: string, kind: Kind): Column => {
    const value = (stored as Readonly<Record<string, unknown>>)[name] ?? null;
    return value === null ? null : WRITTEN[kind](value);
  };
  return {
    columns: members.map(([name]) => name).join(', '),
    read,
    readOptional: (row) => (row === undefined ? undefined : read(row)),
    write: (stored) => members.map(([name, kind]) => column(stored, name, kind)),
    writeNamed: (stored) =>
      Object.fromEntries(members.map(([name, kind]) => [name, column(stored, name, kind)])),
  };
}
