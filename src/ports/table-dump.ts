export interface DumpColumn {
  readonly name: string;
  readonly type: 'text' | 'integer';
}

/** A table as every engine has it, whatever the engine calls it or derives it from. */
export interface DumpTable {
  readonly name: string;
  /** The primary key comes first; of a table of tenants it begins with `tenant`. */
  readonly columns: readonly DumpColumn[];
  /** How many columns the key has. */
  readonly keyLength: number;
  /** Whether each row is of one tenant. */
  readonly ofTenants: boolean;
}

/** The values in the order of the table's columns. */
export type DumpRow = readonly (string | number | null)[];
/** The values of the key's columns. */
export type DumpKey = DumpRow;

/** Which rows of a table: those of one tenant, or all of a table that is about all tenants. */
export interface DumpSection {
  readonly table: DumpTable;
  /** Undefined for a table that is about all tenants. */
  readonly tenant: string | undefined;
}

/** Reads a database row by row. Each method rejects with `StorageUnavailable`. */
export interface TableReader {
  /** Every tenant of which something may be there, in the order of their bytes. */
  tenants(): Promise<readonly string[]>;
  /** At most `limit` rows behind `after`, in the order of their keys: numbers by value, texts by their UTF-8 bytes. */
  page(section: DumpSection, after: DumpKey | undefined, limit: number): Promise<readonly DumpRow[]>;
  count(section: DumpSection): Promise<number>;
  /** Keys of rows with a NUL in a text, which not every engine can keep; at most `limit` of them. */
  withNul(section: DumpSection, limit: number): Promise<readonly DumpKey[]>;
  /** What this database says of itself under a name; undefined where it says nothing. */
  mark(name: StorageMark): Promise<string | undefined>;
  close(): Promise<void>;
}

/** `copy`: it is, or was, the target of a copy. `restored`: it was a backup. `backup`: it is one. */
export type StorageMark = 'copy' | 'restored' | 'backup';

/** Changes a database row by row, past everything that the verbs of a storage see to. */
export interface TableWriter extends TableReader {
  /** Whether a text may hold a NUL. */
  readonly keepsNul: boolean;
  /**
   * One atomic and durable act on one section: removes the rows with these keys, then puts these rows. A row that
   * collides with another one, by its key or by a name that must be unique, is left out. Answers how many were put.
   */
  change(section: DumpSection, removed: readonly DumpKey[], put: readonly DumpRow[]): Promise<number>;
  /** Durable when it resolves. Undefined takes the mark away. */
  putMark(name: StorageMark, content: string | undefined): Promise<void>;
}

/** A database that can be read and written row by row. */
export interface TableDump {
  /** All reads of it see one state, whatever others write meanwhile. */
  snapshot(): Promise<TableReader>;
  /** Each read sees what is there then. */
  writer(): Promise<TableWriter>;
}
