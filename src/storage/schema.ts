/** A migration of a database's schema. */
export interface SchemaStep {
  readonly version: number;
  readonly name: string;
  /** The statements that the step executes. */
  readonly statements: readonly string[];
  /** The oldest version whose programs may still use the database afterwards (ADR 24). The default is the own version. */
  readonly compatibleFrom?: number;
}

/** The version of a database, and the oldest version whose programs may use it. */
export interface SchemaState {
  readonly version: number;
  readonly compatibleFrom: number;
}

/** Whether a program that knows versions up to `newest` may use the database. */
export const suits = ({ version, compatibleFrom }: SchemaState, newest: number): boolean =>
  version <= newest || compatibleFrom <= newest;

/** Explains why a program must not use a database that a newer one has migrated. */
export const tooNew = ({ version, compatibleFrom }: SchemaState, newest: number): string =>
  `schema version ${version}, for programs that know version ${compatibleFrom} or later; ` +
  `this one knows versions up to ${newest}: start the newer program`;

/** Explains why rows cannot be copied: a program knows the tables and columns of its own version only. */
export const otherSchema = (version: number, newest: number): string =>
  version < newest
    ? `the database has schema version ${version}, and this program ${newest}: run chancery migrate up`
    : `the database has schema version ${version}, and this program ${newest}: use the newer program`;

/** Examines and migrates the schema of a database, apart from its data. Rejects with `StorageUnavailable`. */
export interface Schema {
  /** Returns the steps that `up` would execute; none if the schema is up to date. */
  pending(): Promise<readonly SchemaStep[]>;
  /** Returns the present state; version 0 for an empty database. */
  state(): Promise<SchemaState>;
  /** The newest version that this program knows. */
  readonly newest: number;
  /** Executes the pending steps, all or none; returns those that this call executed. If several processes call it, one does it. */
  up(now: number): Promise<readonly SchemaStep[]>;
  close(): Promise<void>;
}
