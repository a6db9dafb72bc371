export interface DumpColumn {
  readonly name: string;
  readonly type: 'text' | 'integer';
}

/** A table in the form that all engines share. */
export interface DumpTable {
  readonly name: string;
  /** The columns of the primary key come first. In a table of tenants the first is `tenant`. */
  readonly columns: readonly DumpColumn[];
  /** The number of columns of the key. */
  readonly keyLength: number;
  /** Whether each row belongs to one tenant. */
  readonly ofTenants: boolean;
}

/** The values in the order of the table's columns. */
export type DumpRow = readonly (string | number | null)[];
/** The values of the key's columns. */
export type DumpKey = DumpRow;

/** The rows of a table that belong to one tenant, or all rows of a table about all tenants. */
export interface DumpSection {
  readonly table: DumpTable;
  /** Undefined for a table about all tenants. */
  readonly tenant: string | undefined;
}

/** Reads a database row by row. Each method rejects with `StorageUnavailable`. */
export interface TableReader {
  /** Returns every tenant that may have rows, in byte order. */
  tenants(): Promise<readonly string[]>;
  /** Returns at most `limit` rows after `after`, ordered by key: numbers by value, texts by UTF-8 bytes. */
  page(section: DumpSection, after: DumpKey | undefined, limit: number): Promise<readonly DumpRow[]>;
  count(section: DumpSection): Promise<number>;
  /** Returns at most `limit` keys of rows with a NUL in a text, which not every engine can store. */
  withNul(section: DumpSection, limit: number): Promise<readonly DumpKey[]>;
  /** Returns a mark of the database; undefined if it has none of that name. */
  mark(name: StorageMark): Promise<string | undefined>;
  close(): Promise<void>;
}

/**
 * `copy`: the database is, or was, the target of a copy. `restored`: it was restored from a backup. `backup`: it is a backup.
 * `issuer`: the issuer of the default tenant.
 */
export type StorageMark = 'copy' | 'restored' | 'backup' | 'issuer';

/** Changes a database row by row, without the checks of the storage verbs. */
export interface TableWriter extends TableReader {
  /** Whether the engine can store a NUL in a text. */
  readonly keepsNul: boolean;
  /**
   * Deletes the rows with these keys and then inserts these rows, in one durable transaction on one section. Skips a row
   * that collides with another one in its key or in a unique name. Returns the number of inserted rows.
   */
  change(section: DumpSection, removed: readonly DumpKey[], put: readonly DumpRow[]): Promise<number>;
  /** Sets a mark; durable when it resolves. Undefined removes the mark. */
  putMark(name: StorageMark, content: string | undefined): Promise<void>;
}

/** Gives access to a database row by row. */
export interface TableDump {
  /** Opens a reader whose reads all see one snapshot. */
  snapshot(): Promise<TableReader>;
  /** Opens a writer whose reads see the current state. */
  writer(): Promise<TableWriter>;
}
