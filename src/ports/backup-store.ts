export interface TableDigest {
  readonly rows: number;
  /** SHA-256, hexadecimal. */
  readonly digest: string;
}

/** The description that a backup contains, as its mark `backup`. */
export interface BackupManifest {
  /** The version of the program that made the backup. */
  readonly program: string;
  /** The version of the backup's schema. */
  readonly schema: number;
  /** Seconds since the epoch. The backup contains no write that was acknowledged later. */
  readonly taken_at: number;
  /** Names the encryption key: the first eight hexadecimal digits of its SHA-256. Null if nothing is sealed. */
  readonly encryption_key: string | null;
  readonly tables: Readonly<Record<string, TableDigest>>;
}

/** Why a backup was not made. `interrupted`: the process that made it ended. */
export type BackupFailure = 'disk-full' | 'interrupted' | 'source-unusable';

/** The result of a verification. `file-changed`: other octets than those that were written, and the tables are the same. */
export type BackupFinding = 'sound' | 'file-changed' | 'tables-changed' | 'damaged';

export interface BackupVerification {
  /** Seconds since the epoch: when it ended, or began while it runs. */
  readonly at: number;
  /** Null while it runs. */
  readonly finding: BackupFinding | null;
  /** The tables that differ from the manifest. */
  readonly tables: readonly string[];
}

/** A backup in the folder of the server, as its record says. */
export interface StoredBackup {
  /** The time of the request and eight random digits: the order of ids is that of time. */
  readonly id: string;
  readonly state: 'creating' | 'complete' | 'failed';
  /** Seconds since the epoch. */
  readonly requested_at: number;
  readonly failure: BackupFailure | null;
  /** Null until it is complete, as the members below. */
  readonly bytes: number | null;
  /** SHA-256 of the file, hexadecimal. */
  readonly sha256: string | null;
  readonly manifest: BackupManifest | null;
  /** The last verification; null if there was none. */
  readonly verification: BackupVerification | null;
}

/** The file of a complete backup, open for reading. It can be read after the backup was deleted. */
export interface OpenBackup {
  readonly bytes: number;
  /** Reads from the first to the last of these octets, both included. */
  read(first: number, last: number): AsyncGenerator<Uint8Array>;
  close(): Promise<void>;
}

/**
 * The backups that servers make in a folder of their machine. One is made, or verified, at a time, whatever process or
 * command does it. A process of its own does the work, so that requests do not wait for it.
 */
export interface BackupStore {
  /** Returns every backup, the newest first. */
  list(): Promise<readonly StoredBackup[]>;
  find(id: string): Promise<StoredBackup | undefined>;
  /** Refuses as `create` would refuse now. Rejects with `BackupRefused`. */
  check(): Promise<void>;
  /** Begins a backup. Resolves when it is under way. Rejects with `BackupRefused`. */
  create(): Promise<StoredBackup>;
  /** Begins to verify a complete backup. Resolves when that is under way. Rejects with `BackupRefused`. */
  verify(id: string): Promise<StoredBackup>;
  /** Deletes a backup that is not under way. A download that has begun goes on. Rejects with `BackupRefused`. */
  remove(id: string): Promise<void>;
  /** Opens the file of a complete backup; undefined if there is none. */
  open(id: string): Promise<OpenBackup | undefined>;
}

/** Where a storage has no backups of its own, the words say which tool makes them. */
export type Backups = BackupStore | { readonly unavailable: string };

/** `busy`: another backup is being made or verified. */
export type BackupRefusal = 'busy' | 'no-room' | 'gone';

/** Says that the folder does not permit an act now. */
export class BackupRefused extends Error {
  override readonly name = 'BackupRefused';
  readonly why: BackupRefusal;

  constructor(why: BackupRefusal, words: string) {
    super(words);
    this.why = why;
  }
}
