import type { InitialAccessTokenLabel, StoredAccessToken } from '../ports/access-token-store.ts';
import type { AuditEvent } from '../ports/audit-log.ts';
import type { RedeemOutcome, StoredAuthorizationCode } from '../ports/authorization-code-store.ts';
import type {
  ChangeOutcome,
  ClientUse,
  CreateConditions,
  CreateOutcome,
  StoredClient,
} from '../ports/client-store.ts';
import type { Refreshing, RefreshOutcome, StoredGrant } from '../ports/grant-store.ts';
import type { RateBucket } from '../ports/rate-store.ts';
import type { ReplayKind } from '../ports/replay-store.ts';
import type { Removal, StoredServerKey } from '../ports/server-key-store.ts';
import type { StoredTenant, TenantContent, TenantStore } from '../ports/tenant-store.ts';
import type {
  AccessTokenKey,
  Digest,
  GrantId,
  KeyId,
  Sealed,
  SessionId,
  TenantId,
} from '../spec/identifiers.ts';
import type { SessionWriteArguments, SessionWriteResults } from './session-write.ts';

interface OfTenant {
  readonly tenant: TenantId;
}

/** Every act that changes the database, as plain data that can be sent to a thread. */
export interface WriteArguments extends SessionWriteArguments {
  issueAccessToken: OfTenant & { readonly token: StoredAccessToken };
  issueInitialAccessToken: OfTenant & {
    readonly token: StoredAccessToken;
    readonly label: InitialAccessTokenLabel;
    readonly event: AuditEvent;
  };
  revokeInitialAccessToken: OfTenant & { readonly key: AccessTokenKey; readonly event: AuditEvent };
  revokeAccessToken: OfTenant & {
    readonly key: AccessTokenKey;
    readonly now: number;
    readonly event: AuditEvent | undefined;
  };
  sweepExpired: OfTenant & { readonly now: number; readonly limit: number };
  createGrant: OfTenant & { readonly grant: StoredGrant; readonly token: StoredAccessToken };
  createGrantInSession: OfTenant & {
    readonly grant: StoredGrant & { readonly sid: SessionId };
    readonly token: StoredAccessToken;
  };
  refreshGrant: OfTenant & { readonly refreshing: Refreshing };
  endGrant: OfTenant & { readonly grant_id: GrantId; readonly event: AuditEvent | undefined };
  endGrantsOf: OfTenant & { readonly sub: string };
  sweepGrants: OfTenant & { readonly now: number; readonly limit: number };
  issueAuthorizationCode: OfTenant & { readonly code: StoredAuthorizationCode };
  redeemAuthorizationCode: OfTenant & {
    readonly key: Digest;
    readonly grant: StoredGrant;
    readonly token: StoredAccessToken;
    readonly onReuse: AuditEvent | undefined;
  };
  sweepAuthorizationCodes: OfTenant & { readonly now: number; readonly limit: number };
  createClient: OfTenant & { readonly client: StoredClient; readonly conditions: CreateConditions };
  replaceClient: OfTenant & {
    readonly client: StoredClient;
    readonly expectedVersion: number;
    readonly event: AuditEvent | undefined;
  };
  deleteClient: OfTenant & {
    readonly client: Pick<StoredClient, 'client_id' | 'instance' | 'version'>;
    readonly event: AuditEvent;
  };
  recordClientUses: OfTenant & { readonly uses: readonly ClientUse[] };
  appendAuditEvent: OfTenant & { readonly event: AuditEvent };
  sweepAuditEvents: OfTenant & { readonly at: number; readonly limit: number };
  rememberOnce: OfTenant & {
    readonly kind: ReplayKind;
    readonly owner: string;
    readonly value: string;
    readonly expires_at: number;
  };
  sweepRememberedOnce: OfTenant & { readonly now: number; readonly limit: number };
  takeFromBuckets: OfTenant & { readonly buckets: readonly RateBucket[]; readonly now: number };
  giveBackToBuckets: OfTenant & { readonly buckets: readonly RateBucket[]; readonly now: number };
  sweepFullBuckets: OfTenant & { readonly now: number; readonly limit: number };
  addFirstServerKeys: OfTenant & {
    readonly keys: readonly StoredServerKey[];
    readonly use: StoredServerKey['use'] | undefined;
  };
  addServerKey: OfTenant & { readonly key: StoredServerKey; readonly event: AuditEvent };
  succeedServerKey: OfTenant & { readonly successor: StoredServerKey; readonly event: AuditEvent };
  advanceServerKey: OfTenant & { readonly kid: KeyId; readonly at: number; readonly event: AuditEvent };
  removeServerKey: OfTenant & {
    readonly kid: KeyId;
    readonly removal: Removal;
    readonly event: AuditEvent;
  };
  resealServerKey: OfTenant & { readonly kid: KeyId; readonly sealed: Sealed };
  createTenant: { readonly tenant: StoredTenant; readonly event: AuditEvent };
  replaceTenant: {
    readonly id: TenantId;
    readonly expectedVersion: number;
    readonly content: TenantContent;
    readonly event: AuditEvent;
  };
  sealCanary: { readonly sealed: Sealed };
  replaceSealCanary: { readonly sealed: Sealed };
  beat: object;
}

export interface WriteResults extends SessionWriteResults {
  issueAccessToken: undefined;
  issueInitialAccessToken: undefined;
  revokeInitialAccessToken: boolean;
  revokeAccessToken: boolean;
  sweepExpired: number;
  createGrant: undefined;
  createGrantInSession: boolean;
  refreshGrant: RefreshOutcome;
  endGrant: boolean;
  endGrantsOf: number;
  sweepGrants: number;
  issueAuthorizationCode: undefined;
  redeemAuthorizationCode: RedeemOutcome;
  sweepAuthorizationCodes: number;
  createClient: CreateOutcome;
  replaceClient: ChangeOutcome;
  deleteClient: ChangeOutcome;
  recordClientUses: undefined;
  appendAuditEvent: undefined;
  sweepAuditEvents: number;
  rememberOnce: boolean;
  sweepRememberedOnce: number;
  takeFromBuckets: readonly number[];
  giveBackToBuckets: undefined;
  sweepFullBuckets: number;
  addFirstServerKeys: readonly StoredServerKey[];
  addServerKey: boolean;
  succeedServerKey: boolean;
  advanceServerKey: boolean;
  removeServerKey: boolean;
  resealServerKey: undefined;
  createTenant: Awaited<ReturnType<TenantStore['create']>>;
  replaceTenant: Awaited<ReturnType<TenantStore['replace']>>;
  sealCanary: Sealed;
  replaceSealCanary: undefined;
  beat: undefined;
}

export type WriteName = keyof WriteArguments;
export type WriteOf<Name extends WriteName> = { readonly name: Name } & WriteArguments[Name];
export type Write = { [Name in WriteName]: WriteOf<Name> }[WriteName];

/** `refused`: this act alone did not happen, and why; the others of its batch did. */
export type Answer = { readonly value: unknown } | { readonly refused: string };

/** Does the acts, whatever engine it is. Resolves when the act is durable. */
export interface Writes {
  write<Name extends WriteName>(name: Name, values: WriteArguments[Name]): Promise<WriteResults[Name]>;
}

/** Carries batches to the one connection that writes. */
export interface WriteChannel {
  /** Resolves when all of `writes` are durable; rejects when none of them is known to be. */
  send(writes: readonly Write[]): Promise<readonly Answer[]>;
  close(): Promise<void>;
}
