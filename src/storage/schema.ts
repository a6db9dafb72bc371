/** A step of a database's schema, in the order of their versions. */
export interface SchemaStep {
  readonly version: number;
  readonly name: string;
  /** What is executed. */
  readonly statements: readonly string[];
}

/** The schema of a database, looked at and changed apart from its data. Rejects with `StorageUnavailable`. */
export interface Schema {
  /** What this program would change; empty where the schema is up to date. */
  pending(): Promise<readonly SchemaStep[]>;
  /** The version of the schema as it is; 0 for an empty database. */
  version(): Promise<number>;
  /** Does what is pending, all or nothing; answers what this call did. Of several at once one does it. */
  up(now: number): Promise<readonly SchemaStep[]>;
  close(): Promise<void>;
}
