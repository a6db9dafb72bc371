// Made from the API description by `npm run docs`; do not edit.

/** A dry run: the changes that would happen. Nothing is stored. */
export interface AdminPreview {
  readonly dry_run: true;
  readonly changes: readonly ({ readonly path: string; readonly before?: unknown; readonly after?: unknown })[];
  readonly warnings: readonly string[];
  readonly result: unknown;
}

/** A client, without its secrets. */
export interface AdminClient {
  readonly client_id: string;
  readonly created_at: string;
  readonly registered_via: string;
  readonly owner: string | null;
  readonly type: 'public' | 'confidential';
  readonly state: 'active' | 'expired';
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly scope: readonly string[];
  readonly secrets: readonly ({ readonly id: string; readonly created_at: string; readonly expires_at: string | null })[];
  readonly federation: Readonly<Record<string, unknown>> | null;
  readonly document: Readonly<Record<string, unknown>> | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A client, with secrets that this answer made. */
export interface AdminNewClient extends AdminClient {
  readonly client_secret?: string;
  readonly registration_access_token?: string;
  readonly registration_client_uri?: string;
}

/** A secret of a client, without its value. */
export interface AdminClientSecret {
  readonly id: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
}

/** A secret that was made. */
export interface AdminNewClientSecret {
  readonly id: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly client_secret: string;
}

/** A registration access token (RFC 7592 §3). */
export interface AdminRegistrationToken {
  readonly registration_access_token: string;
  readonly registration_client_uri: string;
}

/** The part that one call has done. */
export interface AdminBulkResult {
  readonly done: readonly string[];
  readonly unchanged: readonly string[];
  readonly failed: readonly ({ readonly client_id: string; readonly reason: string })[];
  readonly next?: string;
}

/** A client, and what it lacks for a FAPI 2.0 profile. */
export interface AdminFapiReport {
  readonly client_id: string;
  readonly client_name: string | null;
  readonly registered_via: string;
  readonly fits: boolean;
  readonly lacks: readonly ({ readonly member: string; readonly index?: number; readonly value?: string; readonly allowed?: readonly string[]; readonly words: string; readonly remedy: string })[];
  readonly change: Readonly<Record<string, unknown>>;
}

/** A refusal of a change of the client. */
export interface AdminClientRefusal {
  readonly at: string;
  readonly action: string;
  readonly actor: string;
  readonly reason: string | null;
  readonly request_id: string;
}

/** An initial access token (RFC 7591 §1.2), without its value. */
export interface AdminInitialAccessToken {
  readonly id: string;
  readonly label: string;
  readonly scope: readonly string[];
  readonly redirect_hosts: readonly string[] | null;
  readonly created_at: string;
  readonly expires_at: string;
  readonly state: 'live' | 'used' | 'revoked' | 'expired';
  readonly used_at: string | null;
  readonly revoked_at: string | null;
  readonly client: { readonly client_id: string; readonly state: 'active' | 'expired' | 'deleted' } | null;
}

/** An initial access token that was made. */
export interface AdminNewInitialAccessToken extends AdminInitialAccessToken {
  readonly access_token: string;
}

/** A version of a client, and the change that made it. */
export interface AdminClientVersion {
  readonly version: number;
  readonly is_current: boolean;
  readonly made_at: string | null;
  readonly action: string | null;
  readonly actor: string | null;
  readonly request_id: string | null;
  readonly reason: string | null;
}

/** A version of a client with its content, without secrets. */
export interface AdminClientVersionContent {
  readonly version: number;
  readonly is_current: boolean;
  readonly made_at: string | null;
  readonly action: string | null;
  readonly actor: string | null;
  readonly request_id: string | null;
  readonly reason: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly secrets: readonly ({ readonly id: string; readonly created_at: string; readonly expires_at: string | null })[];
  readonly registration_access_token_id: string;
  readonly privileges: Readonly<Record<string, unknown>>;
}

/** The differences of two versions of a client. */
export interface AdminClientDiff {
  readonly from: number;
  readonly to: number;
  readonly changes: readonly ({ readonly path: string; readonly before?: unknown; readonly after?: unknown })[];
}

/** A deleted client in its grace period. */
export interface AdminDeletedClient {
  readonly client_id: string;
  readonly client_name: string | null;
  readonly registered_via: string;
  readonly deleted_at: string;
  readonly restorable_until: string;
  readonly action: string | null;
  readonly actor: string | null;
  readonly request_id: string | null;
  readonly reason: string | null;
}

/** A client that was restored. A secret and a registration access token appear if this restoration made them, in this answer only. */
export interface AdminRestoredClient {
  readonly client_id: string;
  readonly version: number;
  readonly client_secret?: string;
  readonly registration_access_token?: string;
  readonly registration_client_uri?: string;
}

/** A backup of the database, without `encryption.key`. Members about its content are null until it is complete. */
export interface AdminBackup {
  readonly id: string;
  readonly state: 'creating' | 'complete' | 'failed';
  readonly failure: 'disk-full' | 'interrupted' | 'source-unusable' | null;
  readonly requested_at: string;
  readonly taken_at: string | null;
  readonly bytes: number | null;
  readonly sha256: string | null;
  readonly program: string | null;
  readonly schema: number | null;
  readonly encryption_key: string | null;
  readonly rows: number | null;
  readonly tables: readonly unknown[] | null;
  readonly verification: { readonly state: 'running' | 'passed' | 'tables-changed' | 'file-changed' | 'damaged'; readonly at: string; readonly tables: readonly string[] } | null;
}

/** A server key, without its private half. */
export interface AdminKey {
  readonly kid: string;
  readonly use: 'sig' | 'enc' | 'federation';
  readonly kind: string;
  readonly state: 'announced' | 'active' | 'retired' | 'configured' | 'published' | 'unused';
  readonly active_at: string | null;
  readonly retired_at: string | null;
  readonly removed_at: string | null;
  readonly jwk: Readonly<Record<string, unknown>>;
}

export interface AdminRemovedKey {
  readonly kid: string;
  readonly use: string;
  readonly active_at: string;
  readonly retired_at: string | null;
  readonly removed_at: string;
  readonly reason: 'superseded' | 'compromised';
}

export interface AdminKeyRotation {
  readonly use?: 'sig' | 'enc' | 'federation';
  readonly kind?: 'RSA' | 'P-256' | 'P-384' | 'P-521' | 'Ed25519' | 'X25519';
  readonly now?: boolean;
}

export interface AdminRotatedKeys {
  readonly rotated: readonly ({ readonly kid: string | null; readonly use: string; readonly kind: string; readonly succeeds: string | null; readonly active_at: string; readonly change: 'announced' | 'activated' | 'known' })[];
}

export interface AdminKeyImport {
  readonly jwks: Readonly<Record<string, unknown>>;
  readonly now?: boolean;
}

export interface AdminImportedKeys {
  readonly imported: readonly ({ readonly kid: string; readonly use: string; readonly outcome: 'announced' | 'activated' | 'published' | 'known' | 'taken' | 'removed' | 'to be imported'; readonly active_at: string | null })[];
}

/** A setting as the tenant uses it. */
export interface AdminSetting {
  readonly name: string;
  readonly value: unknown;
  readonly origin: string;
  readonly default: unknown;
  readonly secret: boolean;
  readonly type: string;
  readonly unit: string | null;
  readonly tenants: 'process' | 'inherited' | 'own';
  readonly environment: string;
  readonly description: string;
}

export interface AdminStatistics {
  readonly version: string | null;
  readonly started_at: string | null;
  readonly process: { readonly pid: number; readonly workers: number; readonly node: string; readonly storage: 'sqlite' | 'postgresql'; readonly requests: Readonly<Record<string, number>> } | null;
  readonly objects: { readonly clients: number; readonly accounts: number; readonly sessions: number; readonly grants: number; readonly access_tokens: number; readonly client_versions: number } | null;
  readonly refusals: Readonly<Record<string, number>>;
  readonly expiring: readonly ({ readonly kind: 'key-rotation' | 'key-activation' | 'key-removal' | 'certificate' | 'trust-anchor'; readonly name: string; readonly at: string })[];
}

/** A request that the server refused. */
export interface AdminRefusal {
  readonly request_id: string;
  readonly at: string;
  readonly endpoint: string;
  readonly status: number;
  readonly error: string;
  readonly reason: string;
  readonly detail: string;
  readonly client_id: string;
}

/** A tenant beside the default one. */
export interface AdminTenant {
  readonly id: string;
  readonly issuer: string | null;
  readonly aliases: readonly string[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly owner: string | null;
  readonly state: 'active' | 'disabled' | 'deleting' | 'deleted';
  readonly created_at: string;
  readonly disabled_at: string | null;
  readonly deleted_at: string | null;
  readonly cleared_at: string | null;
}

export interface AdminTenantCreation {
  readonly id: string;
  readonly issuer: string;
  readonly aliases?: readonly string[];
  readonly settings?: Readonly<Record<string, unknown>>;
}

export interface AdminTenantPatch {
  readonly aliases?: readonly string[];
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** The rows of a tenant in one table. */
export interface AdminTenantRows {
  readonly table: string;
  readonly rows: number;
  readonly more: boolean;
}

/** A client as a file declares it. */
export interface AdminDeclaredClient {
  readonly client_id: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly client_secret?: string;
}

/** The difference between declarations and the registry. Clients that are as declared have no step. */
export interface AdminDeclarationPlan {
  readonly steps: readonly ({ readonly action: 'create' | 'change' | 'replace' | 'delete'; readonly client_id: string; readonly seen: { readonly instance: string; readonly version: number } | null; readonly adopted_from?: string | null; readonly changes: readonly ({ readonly path: string; readonly before?: unknown; readonly after?: unknown })[]; readonly secret: 'none' | 'kept' | 'given' | 'generated' | 'removed' })[];
  readonly problems: readonly ({ readonly client_id: string; readonly words: string })[];
  readonly dropped: readonly ({ readonly client_id: string; readonly words: string })[];
}

/** A step of a plan, with the declaration that it brings about. */
export interface AdminDeclarationStep {
  readonly action: 'create' | 'change' | 'replace' | 'delete';
  readonly client_id: string;
  readonly seen: { readonly instance: string; readonly version: number } | null;
  readonly adopted_from?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly client_secret?: string;
}

/** A tenant as a file declares it. */
export interface AdminDeclaredTenant {
  readonly id: string;
  readonly issuer: string;
  readonly aliases: readonly string[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly disabled?: boolean;
}

/** The difference between declarations and the tenants that are there. Tenants that are as declared have no step. */
export interface AdminTenantDeclarationPlan {
  readonly steps: readonly ({ readonly action: 'create' | 'change' | 'delete'; readonly id: string; readonly seen: number | null; readonly adopted_from?: string | null; readonly changes: readonly ({ readonly path: string; readonly before?: unknown; readonly after?: unknown })[]; readonly secrets: Readonly<Record<string, 'given' | 'removed'>> })[];
  readonly problems: readonly ({ readonly id: string; readonly words: string })[];
}

/** A step of a plan, with the declaration that it brings about. A deletion has none. */
export interface AdminTenantDeclarationStep {
  readonly action: 'create' | 'change' | 'delete';
  readonly seen: number | null;
  readonly adopted_from?: string | null;
  readonly id: string;
  readonly issuer?: string;
  readonly aliases?: readonly string[];
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly disabled?: boolean;
}

/** A tenant of an owner, as a plan names it. */
export interface AdminOwnedTenant {
  readonly id: string;
  readonly version: number;
  readonly disabled: boolean;
}

/** A client of an owner, as a plan names it. */
export interface AdminOwnedClient {
  readonly client_id: string;
  readonly instance: string;
  readonly version: number;
  readonly has_secret: boolean;
}

/** An account, without its password. */
export interface AdminAccount {
  readonly sub: string;
  readonly username: string;
  readonly login_name: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly admin_role: 'viewer' | 'operator' | 'administrator' | null;
  readonly disabled: boolean;
  readonly disabled_at: string | null;
  readonly has_password: boolean;
  readonly created_at: string;
  readonly updated_at: string;
}

/** An account to make. */
export interface AdminNewAccount {
  readonly username: string;
  readonly password?: string;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly admin_role?: 'viewer' | 'operator' | 'administrator' | null;
}

/** The new account. */
export interface AdminMadeAccount {
  readonly account: AdminAccount;
  readonly password?: string;
}

/** The members of an account to change. */
export interface AdminAccountChanges {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly admin_role?: 'viewer' | 'operator' | 'administrator' | null;
}

/** The new password, or no member: the server makes one. */
export interface AdminPassword {
  readonly password?: string;
}

/** The password that the server made. Null if the request had one. */
export interface AdminMadePassword {
  readonly password: string | null;
}

/** How many ended. */
export interface AdminEnded {
  readonly ended: number;
}

/** A session of an end-user in one browser. */
export interface AdminSession {
  readonly sid: string;
  readonly sub: string;
  readonly username: string | null;
  readonly auth_time: string;
  readonly acr: string | null;
  readonly amr: readonly string[];
  readonly created_at: string;
  readonly last_seen_at: string;
  readonly expires_at: string;
  readonly ends_at: string;
  readonly clients: readonly ({ readonly client_id: string; readonly client_name: string | null; readonly first_used_at: string; readonly last_used_at: string })[];
}

/** A grant: what a client may do for a subject. Its tokens end with it. */
export interface AdminGrant {
  readonly grant_id: string;
  readonly sub: string;
  readonly username: string | null;
  readonly client_id: string;
  readonly client_name: string | null;
  readonly scope: readonly string[];
  readonly audience: readonly string[];
  readonly authorization_details: readonly ({ readonly type: string })[];
  readonly sid: string | null;
  readonly refreshable: boolean;
  readonly created_at: string;
  readonly expires_at: string | null;
}

/** A request of a client without a browser (CIBA). It is kept for an hour after its end. */
export interface AdminBackchannelRequest {
  readonly id: string;
  readonly sub: string | null;
  readonly username: string | null;
  readonly client_id: string;
  readonly client_name: string | null;
  readonly state: 'open' | 'allowed' | 'denied' | 'expired';
  readonly mode: 'poll' | 'ping' | 'push';
  readonly scope: readonly string[];
  readonly binding_message: string | null;
  readonly address: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly attempts: number;
  readonly due_at: string | null;
  readonly problem: string | null;
}

/** A request of a device without a browser (RFC 8628). It is kept until it expires. */
export interface AdminDeviceAuthorization {
  readonly id: string;
  readonly client_id: string;
  readonly client_name: string | null;
  readonly state: 'open' | 'allowed' | 'denied' | 'expired';
  readonly scope: readonly string[];
  readonly address: string;
  readonly created_at: string;
  readonly expires_at: string;
}

/** The access that an end-user has allowed a client. */
export interface AdminConsent {
  readonly sub: string;
  readonly username: string | null;
  readonly client_id: string;
  readonly client_name: string | null;
  readonly scope: readonly string[];
  readonly claims: readonly string[];
  readonly resources: readonly string[];
  readonly granted_at: string;
  readonly updated_at: string;
}

/** An access token, never the token itself. */
export interface AdminAccessToken {
  readonly token_id: string;
  readonly sub: string;
  readonly username: string | null;
  readonly client_id: string;
  readonly client_name: string | null;
  readonly scope: readonly string[];
  readonly audience: readonly string[];
  readonly grant_id: string | null;
  readonly issued_at: string;
  readonly expires_at: string;
}

/** Why something failed. */
export interface AdminFederationReason {
  readonly code: string;
  readonly words: string;
  readonly detail?: string;
  readonly retryAfter?: number;
}

/** A numbered rule of a section, and why it failed. Without a reason it holds. */
export interface AdminFederationCheck {
  readonly section: string;
  readonly number: number;
  readonly name: string;
  readonly reason?: AdminFederationReason;
}

/** An entity statement, and its checks up to the first that failed. Its claims are absent unless all hold. */
export interface AdminFederationStatement {
  readonly kind: 'configuration' | 'subordinate' | 'request';
  readonly source: string;
  readonly issuer?: string;
  readonly subject?: string;
  readonly issued_at?: number;
  readonly expires_at?: number;
  readonly kid?: string;
  readonly key_ids?: readonly string[];
  readonly checks: readonly AdminFederationCheck[];
  readonly reason?: AdminFederationReason;
}

/** A complete path to a trust anchor, with its checks and the policy operators that ran. */
export interface AdminFederationPath {
  readonly trust_anchor: string;
  readonly entities: readonly string[];
  readonly expires_at: number;
  readonly checks: readonly AdminFederationCheck[];
  readonly policy: readonly ({ readonly entity_type: string; readonly parameter: string; readonly operator: string; readonly configured: unknown; readonly before?: unknown; readonly after?: unknown; readonly issuers?: readonly string[]; readonly problem?: string })[];
  readonly ignored_operators: readonly ({ readonly entity_type: string; readonly parameter: string; readonly operator: string })[];
  readonly reason?: AdminFederationReason;
}

/** An entity that the search reached, with the superiors that it names. */
export interface AdminFederationEntity {
  readonly entity_id: string;
  readonly is_trust_anchor: boolean;
  readonly configuration?: AdminFederationStatement;
  readonly statement?: AdminFederationStatement;
  readonly reason?: AdminFederationReason;
  readonly chain?: AdminFederationPath;
  readonly superiors: readonly AdminFederationEntity[];
}

/** A client that a federation vouches for. */
export interface AdminFederationMember {
  readonly client_id: string;
  readonly client_name: string | null;
  readonly entity_id: string;
  readonly registration: 'explicit' | 'automatic';
  readonly state: 'active' | 'expired';
  readonly trust_anchor: string;
  readonly trust_chain: readonly string[];
  readonly expires_at: string | null;
  readonly trust_chain_expires_at: string | null;
  readonly resolved_at: string | null;
  readonly trust_marks: readonly string[];
  readonly verified_trust_marks: readonly string[];
  readonly failure: { readonly at: string; readonly reason: string; readonly words: string } | null;
}

/** How the resolution of each client of an entity ended. */
export interface AdminFederationRefresh {
  readonly outcomes: readonly ({ readonly client_id: string; readonly renewed: boolean; readonly expires_at: string | null; readonly changed?: readonly string[]; readonly error?: string; readonly error_description?: string })[];
}

export interface AdminResolutionRequest {
  readonly entity_id: string;
  readonly trust_anchor?: string;
}

/** A search for a trust chain: every statement with its checks, and the outcome. */
export interface AdminResolution {
  readonly subject: string;
  readonly chain: { readonly trust_anchor: string; readonly immediate_superior: string; readonly expires_at: number; readonly statements: readonly string[]; readonly metadata: Readonly<Record<string, unknown>> } | null;
  readonly reason?: AdminFederationReason;
  readonly fetches: number;
  readonly search: AdminFederationEntity;
}

/** A trust anchor of the settings, with what servers have seen of its keys. */
export interface AdminTrustAnchor {
  readonly entity_id: string;
  readonly expires_at: string | null;
  readonly keys: readonly ({ readonly kid: string; readonly state: 'pinned' | 'accepted' | 'followed' | 'announced' | 'withdrawn'; readonly since: string | null; readonly missing_since: string | null; readonly thumbprint: string })[];
  readonly trusted: Readonly<Record<string, unknown>>;
  readonly problem: string | null;
}

export interface AdminAnchorAcceptance {
  readonly thumbprints?: readonly string[];
}
