import type { Sealed, TenantId } from '../spec/identifiers.ts';
import type { AccessTokenStore } from './access-token-store.ts';
import type { AccountStore } from './account-store.ts';
import type { AuditLog } from './audit-log.ts';
import type { AuthorizationCodeStore } from './authorization-code-store.ts';
import type { ChangeJournal } from './change-journal.ts';
import type { ClientStore } from './client-store.ts';
import type { ConsentStore } from './consent-store.ts';
import type { GrantStore } from './grant-store.ts';
import type { InteractionStore } from './interaction-store.ts';
import type { LogoutNotificationStore } from './logout-notification-store.ts';
import type { RateStore } from './rate-store.ts';
import type { ReplayStore } from './replay-store.ts';
import type { ServerKeyStore } from './server-key-store.ts';
import type { SessionStore } from './session-store.ts';
import type { TenantStore } from './tenant-store.ts';

/** Everything of one tenant. Each verb is one atomic act; nobody holds a transaction open. */
export interface TenantStorage {
  readonly clients: ClientStore;
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly logoutNotifications: LogoutNotificationStore;
  readonly interactions: InteractionStore;
  readonly consents: ConsentStore;
  readonly accessTokens: AccessTokenStore;
  readonly grants: GrantStore;
  readonly authorizationCodes: AuthorizationCodeStore;
  readonly replays: ReplayStore;
  readonly rates: RateStore;
  readonly serverKeys: ServerKeyStore;
  readonly audit: AuditLog;
  readonly journal: ChangeJournal;
}

export interface Storage {
  forTenant(tenant: TenantId): TenantStorage;
  readonly tenants: TenantStore;
  /** A text sealed at first start, to recognise a wrong encryption key. Puts `sealed` where there is none; answers what is kept. */
  sealCanary(sealed: Sealed): Promise<Sealed>;
  replaceSealCanary(sealed: Sealed): Promise<void>;
  /** That the data was a backup; undefined where it never was. */
  restoration(): Promise<Restoration | undefined>;
  /** Resolves when the engine can read and write durably; rejects with the reason otherwise. */
  ready(): Promise<void>;
  /** What an operator should know of how the storage is set up, a line each: it works, and a safeguard is missing. */
  concerns(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Data that was restored from a backup. Seconds since the epoch. */
export interface Restoration {
  /** What happened between the two is not known any more. */
  readonly taken_at: number;
  readonly restored_at: number;
}

/** The storage cannot be opened or used; the message is one line for the operator. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
  /** Whether it may work later without anybody changing a setting or the data: what it needs is away. */
  readonly mayComeBack: boolean;

  constructor(message: string, options: ErrorOptions & { readonly mayComeBack?: boolean } = {}) {
    super(message, options);
    this.mayComeBack = options.mayComeBack ?? false;
  }
}
