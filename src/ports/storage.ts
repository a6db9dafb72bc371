import type { Sealed, TenantId } from '../spec/identifiers.ts';
import type { AccessTokenStore } from './access-token-store.ts';
import type { AccountStore } from './account-store.ts';
import type { AuditLog } from './audit-log.ts';
import type { AuthorizationCodeStore } from './authorization-code-store.ts';
import type { BackchannelRequestStore } from './backchannel-request-store.ts';
import type { ChangeJournal } from './change-journal.ts';
import type { ClientHistory } from './client-history.ts';
import type { ClientLists } from './client-lists.ts';
import type { ClientStore } from './client-store.ts';
import type { ConsentStore } from './consent-store.ts';
import type { EventStreamStore } from './event-stream-store.ts';
import type { GrantStore } from './grant-store.ts';
import type { InteractionStore } from './interaction-store.ts';
import type { LogoutNotificationStore } from './logout-notification-store.ts';
import type { RateStore } from './rate-store.ts';
import type { ReplayStore } from './replay-store.ts';
import type { ServerKeyStore } from './server-key-store.ts';
import type { SessionStore } from './session-store.ts';
import type { TenantStore } from './tenant-store.ts';
import type { TimeMemory } from './time-memory.ts';
import type { TrustAnchorStore } from './trust-anchor-store.ts';
import type { UpkeepStore } from './upkeep-store.ts';
import type { WebhookStore } from './webhook-store.ts';

/** The storage of one tenant. Each verb is one atomic transaction, and none stays open. */
export interface TenantStorage {
  readonly clients: ClientStore;
  readonly clientLists: ClientLists;
  readonly clientHistory: ClientHistory;
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly logoutNotifications: LogoutNotificationStore;
  readonly interactions: InteractionStore;
  readonly backchannelRequests: BackchannelRequestStore;
  readonly consents: ConsentStore;
  readonly accessTokens: AccessTokenStore;
  readonly grants: GrantStore;
  readonly authorizationCodes: AuthorizationCodeStore;
  readonly replays: ReplayStore;
  readonly rates: RateStore;
  readonly serverKeys: ServerKeyStore;
  readonly trustAnchors: TrustAnchorStore;
  readonly audit: AuditLog;
  readonly webhooks: WebhookStore;
  readonly eventStreams: EventStreamStore;
  readonly journal: ChangeJournal;
  readonly upkeep: UpkeepStore;
}

/** Learns how long the database takes. Called once for each batch, so it is cheap. */
export interface StorageMeter {
  /** @param seconds from sending to the answer, or to the failure */
  took(kind: 'write' | 'read', seconds: number): void;
  /** @param writes that were sent together */
  batch(writes: number): void;
}

/** The connections of one pool, and the callers that wait for one. */
export interface PoolFigures {
  readonly pool: 'read' | 'write' | 'replica';
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
}

/** The storage at this moment, without a question to the database. */
export interface StorageFigures {
  readonly writesWaiting: number;
  /** Empty for an embedded engine. */
  readonly pools: readonly PoolFigures[];
}

/** Rows that the database holds, of all tenants. */
export interface StoredObjects {
  readonly clients: number;
  readonly accounts: number;
  readonly sessions: number;
  readonly grants: number;
  readonly accessTokens: number;
  /** Former versions of clients, and deleted clients in their grace period. */
  readonly clientVersions: number;
}

export interface Storage {
  forTenant(tenant: TenantId): TenantStorage;
  readonly tenants: TenantStore;
  /** Stores a canary at first start, which detects a wrong encryption key later. Returns the stored canary, or stores and returns `sealed`. */
  sealCanary(sealed: Sealed): Promise<Sealed>;
  replaceSealCanary(sealed: Sealed): Promise<void>;
  /** Stores the issuer of the default tenant at first start. Returns the stored issuer, or stores and returns `issuer`. */
  keepIssuer(issuer: string): Promise<string>;
  replaceIssuer(issuer: string): Promise<void>;
  /** Returns the canary; undefined before the first start. */
  storedCanary(): Promise<Sealed | undefined>;
  /** Inserts or updates the record of a server process, and counts one beat of it. */
  recordProcess(process: ServerProcess): Promise<void>;
  /** Returns every recorded process, ordered by name and id. A process that ended without a farewell is still among them. */
  processes(): Promise<readonly SeenProcess[]>;
  /** Removes records. A process that runs after all records itself again at its next beat. */
  forgetProcesses(ids: readonly string[]): Promise<void>;
  /** Returns when the data was restored from a backup; undefined if it never was. */
  restoration(): Promise<Restoration | undefined>;
  /** The check of the database file that runs while requests are answered; absent if none was needed (ADR 46). */
  readonly fileCheck?: FileCheck;
  /** Refuses every write from now on, and makes the storage not ready, because another process found damage. */
  stopWrites?(reason: string): void;
  /** The file of an embedded engine; absent for a database server, which manages its own space. */
  readonly file?: StorageFile;
  readonly figures: () => StorageFigures;
  /** Counts rows cheaply: up to a limit, or as the database server estimates. */
  objects(): Promise<StoredObjects>;
  /** Remembers the latest time, so that a start with a wrong clock is noticed. */
  readonly time: TimeMemory;
  /** Resolves if the engine can read and write durably, and rejects with the reason otherwise. */
  ready(): Promise<void>;
  /** Returns a line for each missing safeguard of a storage that works. */
  concerns(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** `done` of `of` tables and indexes are read. `unfinished`: nothing is known about the rest. */
export type FileCheckState =
  | { readonly state: 'running'; readonly done: number; readonly of: number; readonly rows: number }
  | { readonly state: 'passed' }
  | { readonly state: 'damaged' | 'unfinished'; readonly reason: string };

export interface FileCheck {
  /** Begins the check. A server calls it when it listens, because damage stops writes, and its start writes. */
  begin(): void;
  state(): FileCheckState;
  /** Resolves with the last state. */
  readonly ended: Promise<FileCheckState>;
}

/** A server process on the database, as it records itself. */
export interface ServerProcess {
  /** Random, of one run of the process. */
  readonly id: string;
  /** Host and process number, for the operator. */
  readonly name: string;
  /** The names of its encryption keys (`keyName`), the one that seals first. They do not reveal the keys. */
  readonly ring: readonly string[];
}

export interface SeenProcess extends ServerProcess {
  /** Grows while the process runs. */
  readonly beats: number;
}

/** The bytes of a database file and of its log. */
export interface FileSize {
  readonly file: number;
  /** The part of the file that holds nothing, and is used again by later rows. */
  readonly free: number;
  readonly log: number;
}

/** Another process that reads the database. */
export interface LogReader {
  readonly pid: number;
  /** The name of its program; empty if it has ended meanwhile. */
  readonly command: string;
}

export interface StorageFile {
  readonly size: () => FileSize;
  /** Lists the other processes that read the file now: while they do, its log cannot be emptied. Only Linux tells them. */
  readonly logReaders: () => readonly LogReader[];
  /** Moves at most `pages` free pages out of the file, in one write. Returns their number; 0 if there are none or the file cannot. */
  giveBack(pages: number): Promise<number>;
}

/** Data that was restored from a backup. Times are seconds since the Unix epoch. */
export interface Restoration {
  /** Changes between the two times are lost. */
  readonly taken_at: number;
  readonly restored_at: number;
}

/** Says that the storage cannot be opened or used. The message is one line for the operator. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
  /** Whether a retry may succeed without a change of settings or data, for instance once the database is reachable. */
  readonly mayComeBack: boolean;
  /** Whether the storage takes no writes until an operator acts. It has not tried this one. */
  readonly writesStopped: boolean;

  constructor(
    message: string,
    options: ErrorOptions & { readonly mayComeBack?: boolean; readonly writesStopped?: boolean } = {},
  ) {
    super(message, options);
    this.mayComeBack = options.mayComeBack ?? false;
    this.writesStopped = options.writesStopped ?? false;
  }
}
