/** A step of a database's schema, in the order of their versions. */
export interface SchemaStep {
  readonly version: number;
  readonly name: string;
  /** What is executed. */
  readonly statements: readonly string[];
  /** The oldest version whose programs may go on working when this is done (ADR 24); its own, where that is absent. */
  readonly compatibleFrom?: number;
}

/** Of a database: its version, and the oldest one whose programs it suits. */
export interface SchemaState {
  readonly version: number;
  readonly compatibleFrom: number;
}

/** Whether a program that knows versions up to `newest` may work on the database. */
export const suits = ({ version, compatibleFrom }: SchemaState, newest: number): boolean =>
  version <= newest || compatibleFrom <= newest;

/** Why a program must not work on a database that a newer one has migrated. */
export const tooNew = ({ version, compatibleFrom }: SchemaState, newest: number): string =>
  `schema version ${version}, for programs that know version ${compatibleFrom} or later; ` +
  `this one knows versions up to ${newest}: start the newer program`;

/** Why rows cannot be copied: a program knows all tables and columns of its own version only. */
export const otherSchema = (version: number, newest: number): string =>
  version < newest
    ? `the database has schema version ${version}, and this program ${newest}: run chancery migrate up`
    : `the database has schema version ${version}, and this program ${newest}: use the newer program`;

/** The schema of a database, looked at and changed apart from its data. Rejects with `StorageUnavailable`. */
export interface Schema {
  /** What this program would change; empty where the schema is up to date. */
  pending(): Promise<readonly SchemaStep[]>;
  /** The schema as it is; version 0 for an empty database. */
  state(): Promise<SchemaState>;
  /** The newest version that this program knows. */
  readonly newest: number;
  /** Does what is pending, all or nothing; answers what this call did. Of several at once one does it. */
  up(now: number): Promise<readonly SchemaStep[]>;
  close(): Promise<void>;
}
