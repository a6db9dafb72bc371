// Made from the API description by `npm run docs`; do not edit.

import type { AdminPreview, AdminClient, AdminNewClient, AdminClientSecret, AdminNewClientSecret, AdminRegistrationToken, AdminBulkResult, AdminFapiReport, AdminClientRefusal, AdminInitialAccessToken, AdminNewInitialAccessToken, AdminClientVersion, AdminClientVersionContent, AdminClientDiff, AdminDeletedClient, AdminRestoredClient, AdminBackup, AdminKey, AdminRemovedKey, AdminKeyRotation, AdminRotatedKeys, AdminKeyImport, AdminImportedKeys, AdminSetting, AdminStatistics, AdminRefusal, AdminTenant, AdminTenantCreation, AdminTenantPatch, AdminTenantRows, AdminDeclaredClient, AdminDeclarationPlan, AdminDeclarationStep, AdminDeclaredTenant, AdminTenantDeclarationPlan, AdminTenantDeclarationStep, AdminOwnedTenant, AdminOwnedClient, AdminAccount, AdminNewAccount, AdminMadeAccount, AdminAccountChanges, AdminPassword, AdminMadePassword, AdminEnded, AdminSession, AdminGrant, AdminBackchannelRequest, AdminDeviceAuthorization, AdminConsent, AdminAccessToken, AdminFederationMember, AdminFederationRefresh, AdminResolutionRequest, AdminResolution, AdminTrustAnchor, AdminAnchorAcceptance } from './admin-schemas.ts';

import type { ClientMetadata, ClientInformation, DryRun, AuditEvent, WebhookRequest, WebhookChange, Webhook, NewWebhook, WebhookSecret, WebhookTest, WebhookCount, WebhookDelivery, EventStream, HeldSecurityEvent, EventCount, TransmitterConfiguration, SecurityEventStream, SecurityEventStreams, StreamRequest, StreamUpdate, StreamReplacement, StreamStatus, StreamStatusRequest, StreamSubject, StreamVerification, GlobalTokenRevocation, PollRequest, PollAnswer, TokenResponse, BackchannelAuthentication, DeviceAuthorization, TokenIntrospection, DirectAuthorization, PushedAuthorization, Userinfo, JwkSet, ProviderMetadata, SignInRequest, SignInOutcome, BackchannelRequests, BackchannelOutcome, BackchannelDecision, SignInRedirection } from './schemas.ts';

/** The requests and answers of each call, by its name. */
export interface Calls {
  /** Lists the requests that wait for a person, for the sign-in page of the operator. `GET /backchannel-api` */
  backchannelApi: { readonly request: { readonly query?: { readonly subject?: string | number | boolean } }; readonly answer: BackchannelRequests };
  /** Takes the answer of a person from the sign-in page of the operator, once. `POST /backchannel-api/{id}` */
  backchannelApiOutcome: { readonly request: { readonly id: string; readonly body: BackchannelOutcome }; readonly answer: BackchannelDecision };
  /** Asks a person for a sign-in on another device. `POST /backchannel_authentication` */
  backchannelAuthentication: { readonly request: { readonly form?: { readonly scope?: string; readonly client_notification_token?: string; readonly acr_values?: string; readonly login_hint_token?: string; readonly id_token_hint?: string; readonly login_hint?: string; readonly binding_message?: string; readonly user_code?: string; readonly requested_expiry?: string; readonly resource?: string | readonly string[]; readonly authorization_details?: string; readonly request?: string; readonly client_id?: string; readonly client_secret?: string; readonly client_assertion?: string; readonly client_assertion_type?: string } }; readonly answer: BackchannelAuthentication };
  /** Reads a registration, and renews an expired secret. `GET /clients/{id}` */
  clientRead: { readonly request: { readonly id: string }; readonly answer: ClientInformation };
  /** Replaces a registration. The answer has a new secret and a new registration access token. `PUT /clients/{id}` */
  clientUpdate: { readonly request: { readonly id: string; readonly body: ClientMetadata }; readonly answer: ClientInformation };
  /** Deletes a registration, and ends the tokens of the client. `DELETE /clients/{id}` */
  clientDelete: { readonly request: { readonly id: string }; readonly answer: undefined };
  /** Reads a registration, and renews an expired secret. `GET /register/{id}` */
  clientReadAtRegister: { readonly request: { readonly id: string }; readonly answer: ClientInformation };
  /** Replaces a registration. The answer has a new secret and a new registration access token. `PUT /register/{id}` */
  clientUpdateAtRegister: { readonly request: { readonly id: string; readonly body: ClientMetadata }; readonly answer: ClientInformation };
  /** Deletes a registration, and ends the tokens of the client. `DELETE /register/{id}` */
  clientDeleteAtRegister: { readonly request: { readonly id: string }; readonly answer: undefined };
  /** Lists all clients, or a page of them. `GET /clients` */
  clientList: { readonly request: { readonly query?: { readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean } }; readonly answer: readonly ClientInformation[] };
  /** Registers a client. `POST /clients` */
  clientRegistration: { readonly request: { readonly query?: { readonly dry_run?: string | number | boolean }; readonly body: ClientMetadata }; readonly answer: ClientInformation | DryRun };
  /** Registers a client. `POST /register` */
  clientRegistration201: { readonly request: { readonly query?: { readonly dry_run?: string | number | boolean }; readonly body: ClientMetadata }; readonly answer: DryRun | ClientInformation };
  /** Begins the authorisation of a device that has no browser. `POST /device_authorization` */
  deviceAuthorization: { readonly request: { readonly form?: { readonly scope?: string; readonly resource?: string | readonly string[]; readonly authorization_details?: string; readonly client_id?: string; readonly client_secret?: string; readonly client_assertion?: string; readonly client_assertion_type?: string } }; readonly answer: DeviceAuthorization };
  /** Issues tokens for a subject and scope values without asking the end-user. `POST /direct-authz/rest/v2` */
  directAuthorization: { readonly request: { readonly body: DirectAuthorization }; readonly answer: TokenResponse };
  /** Serves the metadata of the server. `GET /.well-known/oauth-authorization-server` */
  oauthAuthorizationServer: { readonly request: object; readonly answer: ProviderMetadata };
  /** Serves the metadata of the server. `GET /.well-known/openid-configuration` */
  openidConfiguration: { readonly request: object; readonly answer: ProviderMetadata };
  /** Serves the entity configuration of the server. `GET /.well-known/openid-federation` */
  entityConfiguration: { readonly request: object; readonly answer: string };
  /** Takes the answers to earlier events, and returns the oldest that wait. `POST /ssf/poll/{stream_id}` */
  eventStreamPoll: { readonly request: { readonly stream_id: string; readonly body: PollRequest }; readonly answer: PollAnswer };
  /** Reads the status of a stream. `GET /ssf/status` */
  eventStreamStatusRead: { readonly request: { readonly query?: { readonly stream_id?: string | number | boolean } }; readonly answer: StreamStatus };
  /** Enables, pauses or disables a stream. `POST /ssf/status` */
  eventStreamStatusUpdate: { readonly request: { readonly body: StreamStatusRequest }; readonly answer: StreamStatus };
  /** Takes a subject into a stream again that was left out. `POST /ssf/subjects/add` */
  eventStreamSubjectAdd: { readonly request: { readonly body: StreamSubject }; readonly answer: undefined };
  /** Leaves a subject out of a stream. `POST /ssf/subjects/remove` */
  eventStreamSubjectRemove: { readonly request: { readonly body: StreamSubject }; readonly answer: undefined };
  /** Sends a verification event on a stream. `POST /ssf/verify` */
  eventStreamVerification: { readonly request: { readonly body: StreamVerification }; readonly answer: undefined };
  /** Reads a stream of the calling client, or all of them. `GET /ssf/streams` */
  eventStreamRead: { readonly request: { readonly query?: { readonly stream_id?: string | number | boolean } }; readonly answer: SecurityEventStreams };
  /** Makes a stream of security events for the calling client. `POST /ssf/streams` */
  eventStreamCreate: { readonly request: { readonly body: StreamRequest }; readonly answer: SecurityEventStream };
  /** Replaces what the client sets of a stream. `PUT /ssf/streams` */
  eventStreamReplace: { readonly request: { readonly body: StreamReplacement }; readonly answer: SecurityEventStream };
  /** Changes members of a stream. `PATCH /ssf/streams` */
  eventStreamUpdate: { readonly request: { readonly body: StreamUpdate }; readonly answer: SecurityEventStream };
  /** Deletes a stream with the events that wait in it. `DELETE /ssf/streams` */
  eventStreamDelete: { readonly request: { readonly query?: { readonly stream_id?: string | number | boolean } }; readonly answer: undefined };
  /** Describes a waiting request to the sign-in page of the operator. `GET /interaction-api/{id}` */
  externalSignIn: { readonly request: { readonly id: string }; readonly answer: SignInRequest };
  /** Takes the outcome of a sign-in from the page of the operator, once. `POST /interaction-api/{id}` */
  externalSignInOutcome: { readonly request: { readonly id: string; readonly body: SignInOutcome }; readonly answer: SignInRedirection };
  /** Serves the federation keys that the server no longer uses. `GET /federation/historical-keys` */
  federationHistoricalKeys: { readonly request: object; readonly answer: string };
  /** Registers a relying party that a federation vouches for. `POST /federation/clients` */
  federationRegistration: { readonly request: { readonly body: string | readonly string[] }; readonly answer: string };
  /** Ends all sessions, grants and tokens of a person, for a trusted party. `POST /global-token-revocation` */
  globalTokenRevocation: { readonly request: { readonly body: GlobalTokenRevocation }; readonly answer: undefined };
  /** Says whether a token is active, and what it permits. `POST /token/introspect` */
  introspection: { readonly request: { readonly form: { readonly token: string; readonly token_type_hint?: string; readonly client_id?: string; readonly client_secret?: string; readonly client_assertion?: string; readonly client_assertion_type?: string } }; readonly answer: TokenIntrospection | string };
  /** Serves the public keys of the server. `GET /jwks.json` */
  jwkSet: { readonly request: object; readonly answer: JwkSet };
  /** Serves the description of the endpoints below this issuer. `GET /openapi.json` */
  openApi: { readonly request: object; readonly answer: Readonly<Record<string, unknown>> };
  /** Says how to get a token for the administration API. `GET /.well-known/oauth-protected-resource/admin/v1` */
  protectedResourceAdministration: { readonly request: object; readonly answer: { readonly resource: string; readonly authorization_servers: readonly string[]; readonly scopes_supported: readonly string[]; readonly bearer_methods_supported: readonly string[]; readonly dpop_signing_alg_values_supported?: readonly string[]; readonly tls_client_certificate_bound_access_tokens?: boolean } };
  /** Says how to get a token for the UserInfo endpoint. `GET /.well-known/oauth-protected-resource/userinfo` */
  protectedResourceUserinfo: { readonly request: object; readonly answer: { readonly resource: string; readonly authorization_servers: readonly string[]; readonly scopes_supported: readonly string[]; readonly bearer_methods_supported: readonly string[]; readonly dpop_signing_alg_values_supported?: readonly string[]; readonly tls_client_certificate_bound_access_tokens?: boolean } };
  /** Receives an authorisation request directly from its client. `POST /par` */
  pushedAuthorizationRequest: { readonly request: { readonly form?: { readonly response_type?: string; readonly client_id?: string; readonly redirect_uri?: string; readonly scope?: string; readonly state?: string; readonly response_mode?: string; readonly nonce?: string; readonly prompt?: string; readonly max_age?: string; readonly ui_locales?: string; readonly id_token_hint?: string; readonly login_hint?: string; readonly acr_values?: string; readonly claims?: string; readonly code_challenge?: string; readonly code_challenge_method?: string; readonly dpop_jkt?: string; readonly resource?: string | readonly string[]; readonly authorization_details?: string; readonly registration?: string; readonly request?: string; readonly request_uri?: string; readonly client_secret?: string; readonly client_assertion?: string; readonly client_assertion_type?: string } }; readonly answer: PushedAuthorization };
  /** Revokes an access token or a refresh token. `POST /token/revoke` */
  revocation: { readonly request: { readonly form: { readonly token: string; readonly token_type_hint?: string; readonly client_id?: string; readonly client_secret?: string; readonly client_assertion?: string; readonly client_assertion_type?: string } }; readonly answer: undefined };
  /** Follows the revocations: sends each end of a token before its expiry, and each change of clients and keys, as it is committed (server-sent events). `POST /token/revocations` */
  revocationFeed: { readonly request: { readonly 'last-event-id'?: string; readonly form?: { readonly cursor?: string; readonly client_id?: string; readonly client_secret?: string; readonly client_assertion?: string; readonly client_assertion_type?: string } }; readonly answer: string };
  /** Serves the metadata of the transmitter of security events. `GET /.well-known/ssf-configuration` */
  signalsConfiguration: { readonly request: object; readonly answer: TransmitterConfiguration };
  /** Serves the public keys of the server, signed with its federation key. `GET /jwks.jwt` */
  signedJwkSet: { readonly request: object; readonly answer: string };
  /** Issues access tokens for a grant. `POST /token` */
  token: { readonly request: { readonly form: { readonly grant_type: string; readonly resource?: string | readonly string[]; readonly client_id?: string; readonly client_secret?: string; readonly client_assertion?: string; readonly client_assertion_type?: string; readonly code?: string; readonly redirect_uri?: string; readonly code_verifier?: string; readonly authorization_details?: string; readonly scope?: string; readonly refresh_token?: string; readonly username?: string; readonly password?: string; readonly assertion?: string; readonly device_code?: string; readonly auth_req_id?: string; readonly subject_token?: string; readonly subject_token_type?: string; readonly actor_token?: string; readonly actor_token_type?: string; readonly requested_token_type?: string; readonly audience?: string | readonly string[] } }; readonly answer: TokenResponse };
  /** Returns claims about the end-user of an access token. `GET /userinfo` */
  userinfo: { readonly request: object; readonly answer: Userinfo | string };
  /** Does the same for a form, which may hold the access token. `POST /userinfo` */
  userinfoPost: { readonly request: { readonly form?: { readonly access_token?: string } }; readonly answer: Userinfo | string };
  /** Names the issuer that signs an end-user in. `GET /.well-known/webfinger` */
  webfinger: { readonly request: { readonly query?: { readonly resource?: string | number | boolean; readonly rel?: string | number | boolean } }; readonly answer: { readonly subject: string; readonly links: readonly ({ readonly rel: 'http://openid.net/specs/connect/1.0/issuer'; readonly href: string })[] } };
  /** Lists the access tokens of clients that have not expired, the latest first. `GET /admin/v1/access-tokens` */
  adminAccessTokenList: { readonly request: { readonly query?: { readonly sub?: string | number | boolean; readonly client_id?: string | number | boolean; readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (AdminAccessToken | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Revokes one access token. Its grant and its refresh token go on. `POST /admin/v1/access-tokens/{token_id}/revoke` */
  adminAccessTokenRevoke: { readonly request: { readonly token_id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: AdminPreview };
  /** Returns one account. `GET /admin/v1/accounts/{sub}` */
  adminAccountRead: { readonly request: { readonly sub: string; readonly query?: { readonly fields?: string | number | boolean } }; readonly answer: AdminAccount | Readonly<Record<string, unknown>> };
  /** Changes claims or the role of an account. A role that permits less ends its sessions and grants. `PATCH /admin/v1/accounts/{sub}` */
  adminAccountChange: { readonly request: { readonly sub: string; readonly query?: { readonly force?: string | number | boolean; readonly dry_run?: string | number | boolean }; readonly 'if-match': string; readonly 'audit-reason'?: string; readonly body: AdminAccountChanges }; readonly answer: AdminAccount | AdminPreview };
  /** Deletes an account with its sessions, grants and consents. No later account gets its subject. `DELETE /admin/v1/accounts/{sub}` */
  adminAccountDelete: { readonly request: { readonly sub: string; readonly query?: { readonly force?: string | number | boolean; readonly dry_run?: string | number | boolean }; readonly 'if-match': string; readonly 'audit-reason'?: string }; readonly answer: AdminPreview };
  /** Lists the accounts of end-users. `GET /admin/v1/accounts` */
  adminAccountList: { readonly request: { readonly query?: { readonly q?: string | number | boolean; readonly prefix?: string | number | boolean; readonly role?: string | number | boolean; readonly state?: string | number | boolean; readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean; readonly sort?: string | number | boolean } }; readonly answer: { readonly items: readonly (AdminAccount | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Makes an account with a random subject. `POST /admin/v1/accounts` */
  adminAccountCreate: { readonly request: { readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string; readonly body: AdminNewAccount }; readonly answer: AdminPreview | AdminMadeAccount };
  /** Disables an account, and ends its sessions and grants with their tokens. `POST /admin/v1/accounts/{sub}/disable` */
  adminAccountDisable: { readonly request: { readonly sub: string; readonly query?: { readonly force?: string | number | boolean; readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: AdminAccount | AdminPreview };
  /** Lets the end-user of a disabled account sign in again. `POST /admin/v1/accounts/{sub}/enable` */
  adminAccountEnable: { readonly request: { readonly sub: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: AdminAccount | AdminPreview };
  /** Ends all sessions of an account, and tells their clients. Grants with offline_access go on. `POST /admin/v1/accounts/{sub}/end-sessions` */
  adminAccountEndSessions: { readonly request: { readonly sub: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: AdminEnded | AdminPreview };
  /** Sets a password, or makes one, and ends the sessions and grants of the account. `POST /admin/v1/accounts/{sub}/password` */
  adminAccountPassword: { readonly request: { readonly sub: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string; readonly body: AdminPassword }; readonly answer: AdminMadePassword | AdminPreview };
  /** Exports all selected events of the audit, as fast as the caller reads. `GET /admin/v1/audit/export` */
  adminAuditExport: { readonly request: { readonly query?: { readonly action?: string | number | boolean; readonly actor?: string | number | boolean; readonly client_id?: string | number | boolean; readonly sub?: string | number | boolean; readonly address?: string | number | boolean; readonly outcome?: string | number | boolean; readonly request_id?: string | number | boolean; readonly since?: string | number | boolean; readonly until?: string | number | boolean; readonly sort?: string | number | boolean; readonly format?: string | number | boolean } }; readonly answer: string };
  /** Lists the events of the audit. A page can have fewer events than `limit`, or none, and `next` all the same: then the search goes on there. `GET /admin/v1/audit` */
  adminAuditList: { readonly request: { readonly query?: { readonly action?: string | number | boolean; readonly actor?: string | number | boolean; readonly client_id?: string | number | boolean; readonly sub?: string | number | boolean; readonly address?: string | number | boolean; readonly outcome?: string | number | boolean; readonly request_id?: string | number | boolean; readonly since?: string | number | boolean; readonly until?: string | number | boolean; readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean; readonly sort?: string | number | boolean } }; readonly answer: { readonly items: readonly (AuditEvent | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Follows the audit: sends each new event as it is committed (server-sent events). Reconnect with `Last-Event-ID`, and nothing is lost. `GET /admin/v1/events` */
  adminEvents: { readonly request: { readonly query?: { readonly action?: string | number | boolean; readonly actor?: string | number | boolean; readonly client_id?: string | number | boolean; readonly sub?: string | number | boolean; readonly address?: string | number | boolean; readonly outcome?: string | number | boolean; readonly request_id?: string | number | boolean; readonly cursor?: string | number | boolean }; readonly 'last-event-id'?: string }; readonly answer: string };
  /** Lists the requests of clients without a browser of the last hour, answered or not, in the order of their id. `GET /admin/v1/backchannel-requests` */
  adminBackchannelRequestList: { readonly request: { readonly query?: { readonly sub?: string | number | boolean; readonly client_id?: string | number | boolean; readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (AdminBackchannelRequest | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Returns one request of a client without a browser. `GET /admin/v1/backchannel-requests/{id}` */
  adminBackchannelRequestRead: { readonly request: { readonly id: string; readonly query?: { readonly fields?: string | number | boolean } }; readonly answer: AdminBackchannelRequest | Readonly<Record<string, unknown>> };
  /** Refuses a request that waits for an answer, in place of its person. No operation allows one. `POST /admin/v1/backchannel-requests/{id}/refuse` */
  adminBackchannelRequestRefuse: { readonly request: { readonly id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: AdminPreview };
  /** Lists the backups in the folder of the server, the newest first. `GET /admin/v1/backups` */
  adminBackupList: { readonly request: { readonly query?: { readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (AdminBackup | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Begins a backup of the database of all tenants. The answer comes at once; read the backup until its state is no longer `creating`. `POST /admin/v1/backups` */
  adminBackupCreate: { readonly request: { readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: AdminPreview | AdminBackup };
  /** Returns one backup with its manifest and its last verification. `GET /admin/v1/backups/{id}` */
  adminBackupRead: { readonly request: { readonly id: string; readonly query?: { readonly fields?: string | number | boolean } }; readonly answer: AdminBackup | Readonly<Record<string, unknown>> };
  /** Deletes a backup, for good. `DELETE /admin/v1/backups/{id}` */
  adminBackupDelete: { readonly request: { readonly id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'if-match': string; readonly 'audit-reason'?: string }; readonly answer: AdminPreview };
  /** Returns the file of a complete backup, as fast as the caller reads. `GET /admin/v1/backups/{id}/file` */
  adminBackupDownload: { readonly request: { readonly id: string; readonly 'range'?: string; readonly 'if-range'?: string }; readonly answer: ReadableStream<Uint8Array> };
  /** Begins to read a backup completely and to compare its digests. The answer comes at once; read the backup for the outcome. `POST /admin/v1/backups/{id}/verify` */
  adminBackupVerify: { readonly request: { readonly id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: AdminBackup | AdminPreview };
  /** Lists the deleted clients that can be restored, the latest deletion first. `GET /admin/v1/deleted-clients` */
  adminDeletedClientList: { readonly request: { readonly query?: { readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (AdminDeletedClient | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Returns a deleted client that can be restored. `GET /admin/v1/deleted-clients/{id}` */
  adminDeletedClientRead: { readonly request: { readonly id: string; readonly query?: { readonly fields?: string | number | boolean } }; readonly answer: AdminDeletedClient | Readonly<Record<string, unknown>> };
  /** Deletes a deleted client for good, with all its former versions. `DELETE /admin/v1/deleted-clients/{id}` */
  adminDeletedClientPurge: { readonly request: { readonly id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'if-match': string; readonly 'audit-reason'?: string }; readonly answer: AdminPreview };
  /** Registers a deleted client again, with its last metadata and its history. Its tokens, grants and consents stay ended. `POST /admin/v1/deleted-clients/{id}/restore` */
  adminDeletedClientRestore: { readonly request: { readonly id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string; readonly body: { readonly with_secrets?: boolean } }; readonly answer: AdminRestoredClient | AdminPreview };
  /** Compares two versions of a client, member by member. `GET /admin/v1/clients/{id}/diff` */
  adminClientDiff: { readonly request: { readonly id: string; readonly query?: { readonly from?: string | number | boolean; readonly to?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: AdminClientDiff | Readonly<Record<string, unknown>> };
  /** Lists the versions of a client, the present one first, with the changes that made them. `GET /admin/v1/clients/{id}/versions` */
  adminClientVersionList: { readonly request: { readonly id: string; readonly query?: { readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (AdminClientVersion | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Returns one version of a client with its content. `GET /admin/v1/clients/{id}/versions/{version}` */
  adminClientVersionRead: { readonly request: { readonly id: string; readonly version: string; readonly query?: { readonly fields?: string | number | boolean } }; readonly answer: AdminClientVersionContent | Readonly<Record<string, unknown>> };
  /** Makes a client what it was in a former version. The version is checked like a change, and the outcome is a new version. `POST /admin/v1/clients/{id}/restore` */
  adminClientRestore: { readonly request: { readonly id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string; readonly body: { readonly version?: number; readonly with_secrets?: boolean } }; readonly answer: AdminRestoredClient | AdminPreview };
  /** Returns one client, without its secrets. `GET /admin/v1/clients/{client_id}` */
  adminClientRead: { readonly request: { readonly client_id: string; readonly query?: { readonly fields?: string | number | boolean } }; readonly answer: AdminClient | Readonly<Record<string, unknown>> };
  /** Replaces the metadata of a client. The client keeps its secrets and its registration access token; a method that needs a secret makes one. `PUT /admin/v1/clients/{client_id}` */
  adminClientReplace: { readonly request: { readonly client_id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'if-match': string; readonly 'audit-reason'?: string; readonly body: { readonly metadata: Readonly<Record<string, unknown>> } }; readonly answer: AdminNewClient | AdminPreview };
  /** Changes members of the metadata of a client by a merge patch (RFC 7396): null removes a member. `PATCH /admin/v1/clients/{client_id}` */
  adminClientPatch: { readonly request: { readonly client_id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'if-match': string; readonly 'audit-reason'?: string; readonly body: { readonly metadata: Readonly<Record<string, unknown>> } }; readonly answer: AdminNewClient | AdminPreview };
  /** Deletes a client, and ends its tokens. It can be restored, without its tokens, for `history.deleted-lifetime`. `DELETE /admin/v1/clients/{client_id}` */
  adminClientDelete: { readonly request: { readonly client_id: string; readonly query?: { readonly purge?: string | number | boolean; readonly dry_run?: string | number | boolean }; readonly 'if-match': string; readonly 'audit-reason'?: string }; readonly answer: AdminPreview };
  /** Does one thing to many clients: those of a list, or those that a filter finds. A call does a part, all or nothing. Send its `next` as `cursor` with the same body until there is none. A dry run counts the clients and shows the first. `POST /admin/v1/clients/bulk` */
  adminClientBulk: { readonly request: { readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string; readonly body: { readonly action: 'delete' | 'add_scope' | 'remove_scope' | 'revoke_tokens'; readonly ids?: readonly string[]; readonly filter?: { readonly name?: string; readonly name_contains?: string; readonly registered_via?: string; readonly grant_type?: 'authorization_code' | 'implicit' | 'refresh_token' | 'password' | 'client_credentials' | 'urn:ietf:params:oauth:grant-type:device_code' | 'urn:openid:params:grant-type:ciba' | 'urn:ietf:params:oauth:grant-type:token-exchange' | 'urn:ietf:params:oauth:grant-type:jwt-bearer' | 'urn:ietf:params:oauth:grant-type:saml2-bearer'; readonly scope?: string; readonly type?: 'public' | 'confidential'; readonly redirect_host?: string; readonly entity_id?: string; readonly trust_anchor?: string; readonly owner?: string; readonly state?: 'active' | 'expired'; readonly created_after?: string; readonly created_before?: string; readonly used_after?: string; readonly used_before?: string; readonly expires_after?: string; readonly expires_before?: string; readonly secret_expires_after?: string; readonly secret_expires_before?: string }; readonly scope?: readonly string[]; readonly purge?: boolean; readonly cursor?: string } }; readonly answer: AdminBulkResult | AdminPreview };
  /** Lists the clients that meet all filters. A filter that few clients meet may give a short page, or an empty one, with `next`: go on until it is absent. `GET /admin/v1/clients` */
  adminClientList: { readonly request: { readonly query?: { readonly name?: string | number | boolean; readonly name_contains?: string | number | boolean; readonly registered_via?: string | number | boolean; readonly grant_type?: string | number | boolean; readonly scope?: string | number | boolean; readonly type?: string | number | boolean; readonly redirect_host?: string | number | boolean; readonly entity_id?: string | number | boolean; readonly trust_anchor?: string | number | boolean; readonly owner?: string | number | boolean; readonly state?: string | number | boolean; readonly created_after?: string | number | boolean; readonly created_before?: string | number | boolean; readonly used_after?: string | number | boolean; readonly used_before?: string | number | boolean; readonly expires_after?: string | number | boolean; readonly expires_before?: string | number | boolean; readonly secret_expires_after?: string | number | boolean; readonly secret_expires_before?: string | number | boolean; readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean; readonly sort?: string | number | boolean } }; readonly answer: { readonly items: readonly (AdminClient | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Registers a client. The answer has its secret and its registration access token, once. `POST /admin/v1/clients` */
  adminClientCreate: { readonly request: { readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string; readonly body: { readonly client_id?: string; readonly client_secret?: string; readonly metadata: Readonly<Record<string, unknown>> } }; readonly answer: AdminPreview | AdminNewClient };
  /** Lists the refusals that the audit has about a client id, the newest first: refused changes, by parties that showed a token. The log has every refusal. `GET /admin/v1/clients/{client_id}/refusals` */
  adminClientRefusalList: { readonly request: { readonly client_id: string; readonly query?: { readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (AdminClientRefusal | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Makes a new registration access token (RFC 7592 §3), and returns it once. The one before ends at once. `POST /admin/v1/clients/{client_id}/reissue-registration-token` */
  adminClientReissueRegistrationToken: { readonly request: { readonly client_id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: AdminRegistrationToken | AdminPreview };
  /** Lists the secrets of a client with their last uses, never their values. `GET /admin/v1/clients/{client_id}/secrets` */
  adminClientSecretList: { readonly request: { readonly client_id: string; readonly query?: { readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (AdminClientSecret | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Adds a secret to a client, and returns it once. The others stay as they are, ten in all at most. `POST /admin/v1/clients/{client_id}/secrets` */
  adminClientSecretCreate: { readonly request: { readonly client_id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string; readonly body: {  } }; readonly answer: AdminPreview | AdminNewClientSecret };
  /** Removes one of several secrets. The last live one stays: rotate it first. `DELETE /admin/v1/clients/{client_id}/secrets/{secret_id}` */
  adminClientSecretRetire: { readonly request: { readonly client_id: string; readonly secret_id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'if-match': string; readonly 'audit-reason'?: string }; readonly answer: AdminPreview };
  /** Makes a new secret, and returns it once. The others end after a time. `POST /admin/v1/clients/{client_id}/rotate-secret` */
  adminClientSecretRotate: { readonly request: { readonly client_id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string; readonly body: { readonly keep_previous_seconds: number } }; readonly answer: AdminNewClientSecret | AdminPreview };
  /** Lists what end-users have allowed clients, by subject and client. `GET /admin/v1/consents` */
  adminConsentList: { readonly request: { readonly query?: { readonly sub?: string | number | boolean; readonly client_id?: string | number | boolean; readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (AdminConsent | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Withdraws the consent of an end-user to a client, and ends all grants for it with their tokens. The client must ask again. `POST /admin/v1/consents/{sub}/{client_id}/withdraw` */
  adminConsentWithdraw: { readonly request: { readonly sub: string; readonly client_id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: AdminPreview };
  /** Applies steps of a plan in one transaction: all of them, or none. A client that is not as the plan has seen it is a conflict. `POST /admin/v1/declarations/apply` */
  adminDeclarationApply: { readonly request: { readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string; readonly body: { readonly owner: string; readonly steps: readonly AdminDeclarationStep[] } }; readonly answer: { readonly applied: number; readonly clients: Readonly<Record<string, unknown>> } | AdminPreview };
  /** Compares declared clients with the registry, and changes nothing. `POST /admin/v1/declarations/plan` */
  adminDeclarationPlan: { readonly request: { readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string; readonly body: { readonly owner: string; readonly clients: readonly AdminDeclaredClient[]; readonly adopt?: readonly string[]; readonly adopt_unowned?: boolean; readonly replace?: readonly string[] } }; readonly answer: AdminDeclarationPlan | AdminPreview };
  /** Lists the clients of an owner, with the versions that a deletion by a plan needs. `GET /admin/v1/declarations` */
  adminDeclarationList: { readonly request: { readonly query?: { readonly owner?: string | number | boolean; readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (AdminOwnedClient | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Lists the tenants of an owner, with the versions that a deletion by a plan needs. `GET /admin/v1/declarations/tenants` */
  adminTenantDeclarationList: { readonly request: { readonly query?: { readonly owner?: string | number | boolean; readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (AdminOwnedTenant | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Applies steps of a plan in one transaction, all of them or none. A deletion is a request of its own. A tenant that is not as the plan has seen it is a conflict. Steps for several tenants also need `admin:all-tenants`, and settings of a federation `admin:federation`. `POST /admin/v1/declarations/tenants/apply` */
  adminTenantDeclarationApply: { readonly request: { readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string; readonly body: { readonly owner: string; readonly steps: readonly AdminTenantDeclarationStep[] } }; readonly answer: { readonly applied: number; readonly tenants: Readonly<Record<string, unknown>> } | AdminPreview };
  /** Compares declared tenants, with their settings, with those that are there, and changes nothing. `POST /admin/v1/declarations/tenants/plan` */
  adminTenantDeclarationPlan: { readonly request: { readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string; readonly body: { readonly owner: string; readonly tenants: readonly AdminDeclaredTenant[]; readonly adopt?: readonly string[]; readonly adopt_unowned?: boolean } }; readonly answer: AdminTenantDeclarationPlan | AdminPreview };
  /** Lists the requests of devices (RFC 8628) until they expire, answered or not, in the order of their id. It shows neither the device code nor the code for people. `GET /admin/v1/device-authorizations` */
  adminDeviceAuthorizationList: { readonly request: { readonly query?: { readonly client_id?: string | number | boolean; readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (AdminDeviceAuthorization | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Returns one request of a device. `GET /admin/v1/device-authorizations/{id}` */
  adminDeviceAuthorizationRead: { readonly request: { readonly id: string; readonly query?: { readonly fields?: string | number | boolean } }; readonly answer: AdminDeviceAuthorization | Readonly<Record<string, unknown>> };
  /** Refuses a device that waits for an answer, in place of its person. No operation allows one. `POST /admin/v1/device-authorizations/{id}/refuse` */
  adminDeviceAuthorizationRefuse: { readonly request: { readonly id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: AdminPreview };
  /** Lists the events of a stream that failed, in their order. `GET /admin/v1/event-streams/{id}/events` */
  adminEventStreamEventList: { readonly request: { readonly id: string; readonly query?: { readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (HeldSecurityEvent | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Returns one stream, without the parts that may hold a secret. `GET /admin/v1/event-streams/{id}` */
  adminEventStreamRead: { readonly request: { readonly id: string; readonly query?: { readonly fields?: string | number | boolean } }; readonly answer: EventStream | Readonly<Record<string, unknown>> };
  /** Deletes a stream with the events that it holds. Its client is not told. `DELETE /admin/v1/event-streams/{id}` */
  adminEventStreamDelete: { readonly request: { readonly id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'if-match': string; readonly 'audit-reason'?: string }; readonly answer: AdminPreview };
  /** Disables a stream, and tells its client by an event. The events that wait are dropped. `POST /admin/v1/event-streams/{id}/disable` */
  adminEventStreamDisable: { readonly request: { readonly id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: EventStream | AdminPreview };
  /** Drops all failed events of a stream. `POST /admin/v1/event-streams/{id}/drop` */
  adminEventStreamDrop: { readonly request: { readonly id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: EventCount | AdminPreview };
  /** Enables a stream. It sends the events that it held. `POST /admin/v1/event-streams/{id}/enable` */
  adminEventStreamEnable: { readonly request: { readonly id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: EventStream | AdminPreview };
  /** Lists the streams of security events of all clients, or of one. `GET /admin/v1/event-streams` */
  adminEventStreamList: { readonly request: { readonly query?: { readonly client_id?: string | number | boolean; readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (EventStream | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Pauses a stream, and tells its client by an event. The stream holds later events. `POST /admin/v1/event-streams/{id}/pause` */
  adminEventStreamPause: { readonly request: { readonly id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: EventStream | AdminPreview };
  /** Tries all failed events of a stream again. `POST /admin/v1/event-streams/{id}/redeliver` */
  adminEventStreamRedeliver: { readonly request: { readonly id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: EventCount | AdminPreview };
  /** Says of each client what it lacks for a FAPI 2.0 profile, whether or not the server has that profile, and how to change it. With `fits`, a page may be short, or empty with `next`: go on until it is absent. `GET /admin/v1/fapi-report` */
  adminFapiReport: { readonly request: { readonly query?: { readonly profile?: string | number | boolean; readonly client_id?: string | number | boolean; readonly fits?: string | number | boolean; readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (AdminFapiReport | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Trusts the keys that a trust anchor announces, and no longer those that its newest configuration lacks. `POST /admin/v1/federation/trust-anchors/{entity_id}/accept` */
  adminTrustAnchorAccept: { readonly request: { readonly entity_id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string; readonly body: AdminAnchorAcceptance }; readonly answer: AdminTrustAnchor | AdminPreview };
  /** Lists the trust anchors of the settings with their keys: trusted, announced, missing. `GET /admin/v1/federation/trust-anchors` */
  adminTrustAnchorList: { readonly request: { readonly query?: { readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (AdminTrustAnchor | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Fetches the configuration of a trust anchor now, so that its new keys are seen. `POST /admin/v1/federation/trust-anchors/{entity_id}/look` */
  adminTrustAnchorLook: { readonly request: { readonly entity_id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: AdminTrustAnchor | AdminPreview };
  /** Returns one trust anchor with its keys. `GET /admin/v1/federation/trust-anchors/{entity_id}` */
  adminTrustAnchorRead: { readonly request: { readonly entity_id: string; readonly query?: { readonly fields?: string | number | boolean } }; readonly answer: AdminTrustAnchor | Readonly<Record<string, unknown>> };
  /** Forgets what servers have seen of a trust anchor, and every accepted key: the keys of the settings count. `POST /admin/v1/federation/trust-anchors/{entity_id}/reset` */
  adminTrustAnchorReset: { readonly request: { readonly entity_id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: AdminTrustAnchor | AdminPreview };
  /** Searches for a trust chain to an entity as the server does, and explains the outcome. Nothing is registered. `POST /admin/v1/federation/resolve` */
  adminFederationResolve: { readonly request: { readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string; readonly body: AdminResolutionRequest }; readonly answer: AdminResolution | AdminPreview };
  /** Searches for the trust chain of a client now, with statements that the server may have cached, and explains each check. Nothing is registered or renewed. `GET /admin/v1/federation/members/{client_id}/chain` */
  adminFederationMemberChain: { readonly request: { readonly client_id: string; readonly query?: { readonly fields?: string | number | boolean } }; readonly answer: AdminResolution | Readonly<Record<string, unknown>> };
  /** Returns one client that a federation vouches for, with its trust chain. `GET /admin/v1/federation/members/{client_id}` */
  adminFederationMemberRead: { readonly request: { readonly client_id: string; readonly query?: { readonly fields?: string | number | boolean } }; readonly answer: AdminFederationMember | Readonly<Record<string, unknown>> };
  /** Deletes a client of a federation and ends its tokens. While its federation vouches for it, it can register again. `DELETE /admin/v1/federation/members/{client_id}` */
  adminFederationMemberDelete: { readonly request: { readonly client_id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'if-match': string; readonly 'audit-reason'?: string }; readonly answer: AdminPreview };
  /** Lists the clients that a federation vouches for. A filter that few meet may give a short page, or an empty one, with `next`: go on until it is absent. `GET /admin/v1/federation/members` */
  adminFederationMemberList: { readonly request: { readonly query?: { readonly trust_anchor?: string | number | boolean; readonly entity_id?: string | number | boolean; readonly name_contains?: string | number | boolean; readonly state?: string | number | boolean; readonly expires_before?: string | number | boolean; readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean; readonly sort?: string | number | boolean } }; readonly answer: { readonly items: readonly (AdminFederationMember | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Resolves the entity of a client again now, and renews its clients. One that fails stays as it is. `POST /admin/v1/federation/members/{client_id}/refresh` */
  adminFederationMemberRefresh: { readonly request: { readonly client_id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: AdminFederationRefresh | AdminPreview };
  /** Lists the grants that have not expired, the latest first. `GET /admin/v1/grants` */
  adminGrantList: { readonly request: { readonly query?: { readonly sub?: string | number | boolean; readonly client_id?: string | number | boolean; readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (AdminGrant | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Returns one grant. `GET /admin/v1/grants/{grant_id}` */
  adminGrantRead: { readonly request: { readonly grant_id: string; readonly query?: { readonly fields?: string | number | boolean } }; readonly answer: AdminGrant | Readonly<Record<string, unknown>> };
  /** Ends a grant with all its tokens. The consent of the end-user stays. `POST /admin/v1/grants/{grant_id}/revoke` */
  adminGrantRevoke: { readonly request: { readonly grant_id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: AdminPreview };
  /** Lists the initial access tokens, the oldest first, each with the client that it registered. `GET /admin/v1/initial-access-tokens` */
  adminInitialAccessTokenList: { readonly request: { readonly query?: { readonly label?: string | number | boolean; readonly state?: string | number | boolean; readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (AdminInitialAccessToken | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Makes an initial access token, which is good for one registration, and returns it once. `POST /admin/v1/initial-access-tokens` */
  adminInitialAccessTokenCreate: { readonly request: { readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string; readonly body: { readonly label?: string; readonly scope?: readonly string[]; readonly redirect_hosts?: readonly string[]; readonly lifetime?: number } }; readonly answer: AdminPreview | AdminNewInitialAccessToken };
  /** Returns one initial access token, never its value. `GET /admin/v1/initial-access-tokens/{id}` */
  adminInitialAccessTokenRead: { readonly request: { readonly id: string; readonly query?: { readonly fields?: string | number | boolean } }; readonly answer: AdminInitialAccessToken | Readonly<Record<string, unknown>> };
  /** Revokes a live token. With `cascade`, a token that was used loses its client: this also needs `admin:clients:write`. `POST /admin/v1/initial-access-tokens/{id}/revoke` */
  adminInitialAccessTokenRevoke: { readonly request: { readonly id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string; readonly body: { readonly cascade?: boolean } }; readonly answer: AdminInitialAccessToken | AdminPreview };
  /** Imports the keys of a JWK set that was made elsewhere, all of them or none. `POST /admin/v1/keys/import` */
  adminKeyImport: { readonly request: { readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string; readonly body: AdminKeyImport }; readonly answer: AdminImportedKeys | AdminPreview };
  /** Lists the server keys with their states and times. `GET /admin/v1/keys` */
  adminKeyList: { readonly request: { readonly query?: { readonly use?: string | number | boolean; readonly state?: string | number | boolean; readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (AdminKey | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Returns one server key. `GET /admin/v1/keys/{kid}` */
  adminKeyRead: { readonly request: { readonly kid: string; readonly query?: { readonly fields?: string | number | boolean } }; readonly answer: AdminKey | Readonly<Record<string, unknown>> };
  /** Removes a compromised server key. Everything that it signed becomes invalid, and a new key takes over at once. `POST /admin/v1/keys/{kid}/revoke` */
  adminKeyRevoke: { readonly request: { readonly kid: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: AdminPreview };
  /** Gives each key a successor, which is announced and signs later. A key that has one gets no second. `POST /admin/v1/keys/rotate` */
  adminKeyRotate: { readonly request: { readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string; readonly body: AdminKeyRotation }; readonly answer: AdminRotatedKeys | AdminPreview };
  /** Lists the server keys that were removed, with the reason. `GET /admin/v1/removed-keys` */
  adminRemovedKeyList: { readonly request: { readonly query?: { readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (AdminRemovedKey | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Ends a session with the grants that depend on it, and tells its clients. `POST /admin/v1/sessions/{sid}/end` */
  adminSessionEnd: { readonly request: { readonly sid: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: AdminPreview };
  /** Lists the sessions that have not expired, the latest sign-in first; with `client_id`, those in which the client took part, the latest first. `GET /admin/v1/sessions` */
  adminSessionList: { readonly request: { readonly query?: { readonly sub?: string | number | boolean; readonly client_id?: string | number | boolean; readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (AdminSession | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Returns one session with the clients that took part. `GET /admin/v1/sessions/{sid}` */
  adminSessionRead: { readonly request: { readonly sid: string; readonly query?: { readonly fields?: string | number | boolean } }; readonly answer: AdminSession | Readonly<Record<string, unknown>> };
  /** Lists the settings with the values that the tenant uses, and where each comes from. `GET /admin/v1/settings` */
  adminSettingList: { readonly request: { readonly query?: { readonly search?: string | number | boolean; readonly changed?: string | number | boolean; readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (AdminSetting | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Returns one setting. `GET /admin/v1/settings/{name}` */
  adminSettingRead: { readonly request: { readonly name: string; readonly query?: { readonly fields?: string | number | boolean } }; readonly answer: AdminSetting | Readonly<Record<string, unknown>> };
  /** Lists the latest requests that the processes of the server refused, the newest first. `GET /admin/v1/refusals` */
  adminRefusalList: { readonly request: { readonly query?: { readonly client_id?: string | number | boolean; readonly reason?: string | number | boolean; readonly endpoint?: string | number | boolean; readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (AdminRefusal | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Returns figures of the server: its rows, its answers, and what expires next. `GET /admin/v1/statistics` */
  adminStatistics: { readonly request: { readonly query?: { readonly fields?: string | number | boolean } }; readonly answer: AdminStatistics | Readonly<Record<string, unknown>> };
  /** Lists the tenants beside the default one, ordered by id. `GET /admin/v1/tenants` */
  adminTenantList: { readonly request: { readonly query?: { readonly q?: string | number | boolean; readonly state?: string | number | boolean; readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (AdminTenant | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Makes a tenant: another issuer with clients, keys and settings of its own. `POST /admin/v1/tenants` */
  adminTenantCreate: { readonly request: { readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string; readonly body: AdminTenantCreation }; readonly answer: AdminPreview | AdminTenant };
  /** Returns one tenant, also a deleted one. `GET /admin/v1/tenants/{id}` */
  adminTenantRead: { readonly request: { readonly id: string; readonly query?: { readonly fields?: string | number | boolean } }; readonly answer: AdminTenant | Readonly<Record<string, unknown>> };
  /** Changes the aliases and the settings of a tenant. `PATCH /admin/v1/tenants/{id}` */
  adminTenantUpdate: { readonly request: { readonly id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'if-match': string; readonly 'audit-reason'?: string; readonly body: AdminTenantPatch }; readonly answer: AdminTenant | AdminPreview };
  /** Deletes a tenant with all its data, for good. The answer comes before all rows are removed if there are many; the server goes on. `DELETE /admin/v1/tenants/{id}` */
  adminTenantDelete: { readonly request: { readonly id: string; readonly query?: { readonly force?: string | number | boolean; readonly dry_run?: string | number | boolean }; readonly 'if-match': string; readonly 'audit-reason'?: string }; readonly answer: AdminPreview | AdminTenant };
  /** Takes a tenant out of service, and keeps its data. `POST /admin/v1/tenants/{id}/disable` */
  adminTenantDisable: { readonly request: { readonly id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: AdminTenant | AdminPreview };
  /** Takes a disabled tenant into service again. `POST /admin/v1/tenants/{id}/enable` */
  adminTenantEnable: { readonly request: { readonly id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: AdminTenant | AdminPreview };
  /** Counts the rows of a tenant by table: what a deletion would remove, or what is left of one that has begun. `GET /admin/v1/tenants/{id}/rows` */
  adminTenantRows: { readonly request: { readonly id: string; readonly query?: { readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (AdminTenantRows | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Drops one failed delivery. `POST /admin/v1/webhooks/{id}/deliveries/{delivery}/drop` */
  adminWebhookDeliveryDrop: { readonly request: { readonly id: string; readonly delivery: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: WebhookCount | AdminPreview };
  /** Lists the deliveries of a webhook that wait or have failed, in the order of the audit. `GET /admin/v1/webhooks/{id}/deliveries` */
  adminWebhookDeliveryList: { readonly request: { readonly id: string; readonly query?: { readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (WebhookDelivery | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Tries again, once, one failed delivery. `POST /admin/v1/webhooks/{id}/deliveries/{delivery}/redeliver` */
  adminWebhookDeliveryRedeliver: { readonly request: { readonly id: string; readonly delivery: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: WebhookCount | AdminPreview };
  /** Returns one webhook. `GET /admin/v1/webhooks/{id}` */
  adminWebhookRead: { readonly request: { readonly id: string; readonly query?: { readonly fields?: string | number | boolean } }; readonly answer: Webhook | Readonly<Record<string, unknown>> };
  /** Changes a webhook. The new actions also select among events that are not delivered yet. `PATCH /admin/v1/webhooks/{id}` */
  adminWebhookChange: { readonly request: { readonly id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'if-match': string; readonly 'audit-reason'?: string; readonly body: WebhookChange }; readonly answer: Webhook | AdminPreview };
  /** Deletes a webhook with its deliveries. `DELETE /admin/v1/webhooks/{id}` */
  adminWebhookDelete: { readonly request: { readonly id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'if-match': string; readonly 'audit-reason'?: string }; readonly answer: AdminPreview };
  /** Lists the webhooks. `GET /admin/v1/webhooks` */
  adminWebhookList: { readonly request: { readonly query?: { readonly limit?: string | number | boolean; readonly cursor?: string | number | boolean; readonly fields?: string | number | boolean } }; readonly answer: { readonly items: readonly (Webhook | Readonly<Record<string, unknown>>)[]; readonly next?: string; readonly estimated_total?: number } };
  /** Makes a webhook, which begins with the next event of the audit. `POST /admin/v1/webhooks` */
  adminWebhookCreate: { readonly request: { readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string; readonly body: WebhookRequest }; readonly answer: AdminPreview | NewWebhook };
  /** Disables a webhook. Its place in the audit and its deliveries are kept. `POST /admin/v1/webhooks/{id}/disable` */
  adminWebhookDisable: { readonly request: { readonly id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: Webhook | AdminPreview };
  /** Drops all failed deliveries of a webhook. `POST /admin/v1/webhooks/{id}/drop` */
  adminWebhookDrop: { readonly request: { readonly id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: WebhookCount | AdminPreview };
  /** Enables a webhook. It goes on where it was. `POST /admin/v1/webhooks/{id}/enable` */
  adminWebhookEnable: { readonly request: { readonly id: string; readonly query?: { readonly from?: string | number | boolean; readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: Webhook | AdminPreview };
  /** Tries again, once, all failed deliveries of a webhook. `POST /admin/v1/webhooks/{id}/redeliver` */
  adminWebhookRedeliver: { readonly request: { readonly id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: WebhookCount | AdminPreview };
  /** Makes a new secret. The former one signs beside it for `webhooks.secret-overlap`. `POST /admin/v1/webhooks/{id}/rotate` */
  adminWebhookRotate: { readonly request: { readonly id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: WebhookSecret | AdminPreview };
  /** Sends a signed delivery without events at once, also of a disabled webhook, and returns what came of it. `POST /admin/v1/webhooks/{id}/test` */
  adminWebhookTest: { readonly request: { readonly id: string; readonly query?: { readonly dry_run?: string | number | boolean }; readonly 'idempotency-key'?: string; readonly 'audit-reason'?: string }; readonly answer: WebhookTest | AdminPreview };
}

/** The place of each call. */
export const OPERATIONS = {
  backchannelApi: { method: 'GET', path: '/backchannel-api' },
  backchannelApiOutcome: { method: 'POST', path: '/backchannel-api/{id}', type: 'application/json' },
  backchannelAuthentication: { method: 'POST', path: '/backchannel_authentication', type: 'application/x-www-form-urlencoded' },
  clientRead: { method: 'GET', path: '/clients/{id}' },
  clientUpdate: { method: 'PUT', path: '/clients/{id}', type: 'application/json' },
  clientDelete: { method: 'DELETE', path: '/clients/{id}' },
  clientReadAtRegister: { method: 'GET', path: '/register/{id}' },
  clientUpdateAtRegister: { method: 'PUT', path: '/register/{id}', type: 'application/json' },
  clientDeleteAtRegister: { method: 'DELETE', path: '/register/{id}' },
  clientList: { method: 'GET', path: '/clients' },
  clientRegistration: { method: 'POST', path: '/clients', type: 'application/json' },
  clientRegistration201: { method: 'POST', path: '/register', type: 'application/json' },
  deviceAuthorization: { method: 'POST', path: '/device_authorization', type: 'application/x-www-form-urlencoded' },
  directAuthorization: { method: 'POST', path: '/direct-authz/rest/v2', type: 'application/json' },
  oauthAuthorizationServer: { method: 'GET', path: '/.well-known/oauth-authorization-server' },
  openidConfiguration: { method: 'GET', path: '/.well-known/openid-configuration' },
  entityConfiguration: { method: 'GET', path: '/.well-known/openid-federation' },
  eventStreamPoll: { method: 'POST', path: '/ssf/poll/{stream_id}', type: 'application/json' },
  eventStreamStatusRead: { method: 'GET', path: '/ssf/status' },
  eventStreamStatusUpdate: { method: 'POST', path: '/ssf/status', type: 'application/json' },
  eventStreamSubjectAdd: { method: 'POST', path: '/ssf/subjects/add', type: 'application/json' },
  eventStreamSubjectRemove: { method: 'POST', path: '/ssf/subjects/remove', type: 'application/json' },
  eventStreamVerification: { method: 'POST', path: '/ssf/verify', type: 'application/json' },
  eventStreamRead: { method: 'GET', path: '/ssf/streams' },
  eventStreamCreate: { method: 'POST', path: '/ssf/streams', type: 'application/json' },
  eventStreamReplace: { method: 'PUT', path: '/ssf/streams', type: 'application/json' },
  eventStreamUpdate: { method: 'PATCH', path: '/ssf/streams', type: 'application/json' },
  eventStreamDelete: { method: 'DELETE', path: '/ssf/streams' },
  externalSignIn: { method: 'GET', path: '/interaction-api/{id}' },
  externalSignInOutcome: { method: 'POST', path: '/interaction-api/{id}', type: 'application/json' },
  federationHistoricalKeys: { method: 'GET', path: '/federation/historical-keys' },
  federationRegistration: { method: 'POST', path: '/federation/clients', type: 'application/jose' },
  globalTokenRevocation: { method: 'POST', path: '/global-token-revocation', type: 'application/json' },
  introspection: { method: 'POST', path: '/token/introspect', type: 'application/x-www-form-urlencoded' },
  jwkSet: { method: 'GET', path: '/jwks.json' },
  openApi: { method: 'GET', path: '/openapi.json' },
  protectedResourceAdministration: { method: 'GET', path: '/.well-known/oauth-protected-resource/admin/v1' },
  protectedResourceUserinfo: { method: 'GET', path: '/.well-known/oauth-protected-resource/userinfo' },
  pushedAuthorizationRequest: { method: 'POST', path: '/par', type: 'application/x-www-form-urlencoded' },
  revocation: { method: 'POST', path: '/token/revoke', type: 'application/x-www-form-urlencoded' },
  revocationFeed: { method: 'POST', path: '/token/revocations', type: 'application/x-www-form-urlencoded' },
  signalsConfiguration: { method: 'GET', path: '/.well-known/ssf-configuration' },
  signedJwkSet: { method: 'GET', path: '/jwks.jwt' },
  token: { method: 'POST', path: '/token', type: 'application/x-www-form-urlencoded' },
  userinfo: { method: 'GET', path: '/userinfo' },
  userinfoPost: { method: 'POST', path: '/userinfo', type: 'application/x-www-form-urlencoded' },
  webfinger: { method: 'GET', path: '/.well-known/webfinger' },
  adminAccessTokenList: { method: 'GET', path: '/admin/v1/access-tokens' },
  adminAccessTokenRevoke: { method: 'POST', path: '/admin/v1/access-tokens/{token_id}/revoke' },
  adminAccountRead: { method: 'GET', path: '/admin/v1/accounts/{sub}' },
  adminAccountChange: { method: 'PATCH', path: '/admin/v1/accounts/{sub}', type: 'application/merge-patch+json' },
  adminAccountDelete: { method: 'DELETE', path: '/admin/v1/accounts/{sub}' },
  adminAccountList: { method: 'GET', path: '/admin/v1/accounts' },
  adminAccountCreate: { method: 'POST', path: '/admin/v1/accounts', type: 'application/json' },
  adminAccountDisable: { method: 'POST', path: '/admin/v1/accounts/{sub}/disable' },
  adminAccountEnable: { method: 'POST', path: '/admin/v1/accounts/{sub}/enable' },
  adminAccountEndSessions: { method: 'POST', path: '/admin/v1/accounts/{sub}/end-sessions' },
  adminAccountPassword: { method: 'POST', path: '/admin/v1/accounts/{sub}/password', type: 'application/json' },
  adminAuditExport: { method: 'GET', path: '/admin/v1/audit/export' },
  adminAuditList: { method: 'GET', path: '/admin/v1/audit' },
  adminEvents: { method: 'GET', path: '/admin/v1/events' },
  adminBackchannelRequestList: { method: 'GET', path: '/admin/v1/backchannel-requests' },
  adminBackchannelRequestRead: { method: 'GET', path: '/admin/v1/backchannel-requests/{id}' },
  adminBackchannelRequestRefuse: { method: 'POST', path: '/admin/v1/backchannel-requests/{id}/refuse' },
  adminBackupList: { method: 'GET', path: '/admin/v1/backups' },
  adminBackupCreate: { method: 'POST', path: '/admin/v1/backups' },
  adminBackupRead: { method: 'GET', path: '/admin/v1/backups/{id}' },
  adminBackupDelete: { method: 'DELETE', path: '/admin/v1/backups/{id}' },
  adminBackupDownload: { method: 'GET', path: '/admin/v1/backups/{id}/file' },
  adminBackupVerify: { method: 'POST', path: '/admin/v1/backups/{id}/verify' },
  adminDeletedClientList: { method: 'GET', path: '/admin/v1/deleted-clients' },
  adminDeletedClientRead: { method: 'GET', path: '/admin/v1/deleted-clients/{id}' },
  adminDeletedClientPurge: { method: 'DELETE', path: '/admin/v1/deleted-clients/{id}' },
  adminDeletedClientRestore: { method: 'POST', path: '/admin/v1/deleted-clients/{id}/restore', type: 'application/json' },
  adminClientDiff: { method: 'GET', path: '/admin/v1/clients/{id}/diff' },
  adminClientVersionList: { method: 'GET', path: '/admin/v1/clients/{id}/versions' },
  adminClientVersionRead: { method: 'GET', path: '/admin/v1/clients/{id}/versions/{version}' },
  adminClientRestore: { method: 'POST', path: '/admin/v1/clients/{id}/restore', type: 'application/json' },
  adminClientRead: { method: 'GET', path: '/admin/v1/clients/{client_id}' },
  adminClientReplace: { method: 'PUT', path: '/admin/v1/clients/{client_id}', type: 'application/json' },
  adminClientPatch: { method: 'PATCH', path: '/admin/v1/clients/{client_id}', type: 'application/merge-patch+json' },
  adminClientDelete: { method: 'DELETE', path: '/admin/v1/clients/{client_id}' },
  adminClientBulk: { method: 'POST', path: '/admin/v1/clients/bulk', type: 'application/json' },
  adminClientList: { method: 'GET', path: '/admin/v1/clients' },
  adminClientCreate: { method: 'POST', path: '/admin/v1/clients', type: 'application/json' },
  adminClientRefusalList: { method: 'GET', path: '/admin/v1/clients/{client_id}/refusals' },
  adminClientReissueRegistrationToken: { method: 'POST', path: '/admin/v1/clients/{client_id}/reissue-registration-token' },
  adminClientSecretList: { method: 'GET', path: '/admin/v1/clients/{client_id}/secrets' },
  adminClientSecretCreate: { method: 'POST', path: '/admin/v1/clients/{client_id}/secrets', type: 'application/json' },
  adminClientSecretRetire: { method: 'DELETE', path: '/admin/v1/clients/{client_id}/secrets/{secret_id}' },
  adminClientSecretRotate: { method: 'POST', path: '/admin/v1/clients/{client_id}/rotate-secret', type: 'application/json' },
  adminConsentList: { method: 'GET', path: '/admin/v1/consents' },
  adminConsentWithdraw: { method: 'POST', path: '/admin/v1/consents/{sub}/{client_id}/withdraw' },
  adminDeclarationApply: { method: 'POST', path: '/admin/v1/declarations/apply', type: 'application/json' },
  adminDeclarationPlan: { method: 'POST', path: '/admin/v1/declarations/plan', type: 'application/json' },
  adminDeclarationList: { method: 'GET', path: '/admin/v1/declarations' },
  adminTenantDeclarationList: { method: 'GET', path: '/admin/v1/declarations/tenants' },
  adminTenantDeclarationApply: { method: 'POST', path: '/admin/v1/declarations/tenants/apply', type: 'application/json' },
  adminTenantDeclarationPlan: { method: 'POST', path: '/admin/v1/declarations/tenants/plan', type: 'application/json' },
  adminDeviceAuthorizationList: { method: 'GET', path: '/admin/v1/device-authorizations' },
  adminDeviceAuthorizationRead: { method: 'GET', path: '/admin/v1/device-authorizations/{id}' },
  adminDeviceAuthorizationRefuse: { method: 'POST', path: '/admin/v1/device-authorizations/{id}/refuse' },
  adminEventStreamEventList: { method: 'GET', path: '/admin/v1/event-streams/{id}/events' },
  adminEventStreamRead: { method: 'GET', path: '/admin/v1/event-streams/{id}' },
  adminEventStreamDelete: { method: 'DELETE', path: '/admin/v1/event-streams/{id}' },
  adminEventStreamDisable: { method: 'POST', path: '/admin/v1/event-streams/{id}/disable' },
  adminEventStreamDrop: { method: 'POST', path: '/admin/v1/event-streams/{id}/drop' },
  adminEventStreamEnable: { method: 'POST', path: '/admin/v1/event-streams/{id}/enable' },
  adminEventStreamList: { method: 'GET', path: '/admin/v1/event-streams' },
  adminEventStreamPause: { method: 'POST', path: '/admin/v1/event-streams/{id}/pause' },
  adminEventStreamRedeliver: { method: 'POST', path: '/admin/v1/event-streams/{id}/redeliver' },
  adminFapiReport: { method: 'GET', path: '/admin/v1/fapi-report' },
  adminTrustAnchorAccept: { method: 'POST', path: '/admin/v1/federation/trust-anchors/{entity_id}/accept', type: 'application/json' },
  adminTrustAnchorList: { method: 'GET', path: '/admin/v1/federation/trust-anchors' },
  adminTrustAnchorLook: { method: 'POST', path: '/admin/v1/federation/trust-anchors/{entity_id}/look' },
  adminTrustAnchorRead: { method: 'GET', path: '/admin/v1/federation/trust-anchors/{entity_id}' },
  adminTrustAnchorReset: { method: 'POST', path: '/admin/v1/federation/trust-anchors/{entity_id}/reset' },
  adminFederationResolve: { method: 'POST', path: '/admin/v1/federation/resolve', type: 'application/json' },
  adminFederationMemberChain: { method: 'GET', path: '/admin/v1/federation/members/{client_id}/chain' },
  adminFederationMemberRead: { method: 'GET', path: '/admin/v1/federation/members/{client_id}' },
  adminFederationMemberDelete: { method: 'DELETE', path: '/admin/v1/federation/members/{client_id}' },
  adminFederationMemberList: { method: 'GET', path: '/admin/v1/federation/members' },
  adminFederationMemberRefresh: { method: 'POST', path: '/admin/v1/federation/members/{client_id}/refresh' },
  adminGrantList: { method: 'GET', path: '/admin/v1/grants' },
  adminGrantRead: { method: 'GET', path: '/admin/v1/grants/{grant_id}' },
  adminGrantRevoke: { method: 'POST', path: '/admin/v1/grants/{grant_id}/revoke' },
  adminInitialAccessTokenList: { method: 'GET', path: '/admin/v1/initial-access-tokens' },
  adminInitialAccessTokenCreate: { method: 'POST', path: '/admin/v1/initial-access-tokens', type: 'application/json' },
  adminInitialAccessTokenRead: { method: 'GET', path: '/admin/v1/initial-access-tokens/{id}' },
  adminInitialAccessTokenRevoke: { method: 'POST', path: '/admin/v1/initial-access-tokens/{id}/revoke', type: 'application/json' },
  adminKeyImport: { method: 'POST', path: '/admin/v1/keys/import', type: 'application/json' },
  adminKeyList: { method: 'GET', path: '/admin/v1/keys' },
  adminKeyRead: { method: 'GET', path: '/admin/v1/keys/{kid}' },
  adminKeyRevoke: { method: 'POST', path: '/admin/v1/keys/{kid}/revoke' },
  adminKeyRotate: { method: 'POST', path: '/admin/v1/keys/rotate', type: 'application/json' },
  adminRemovedKeyList: { method: 'GET', path: '/admin/v1/removed-keys' },
  adminSessionEnd: { method: 'POST', path: '/admin/v1/sessions/{sid}/end' },
  adminSessionList: { method: 'GET', path: '/admin/v1/sessions' },
  adminSessionRead: { method: 'GET', path: '/admin/v1/sessions/{sid}' },
  adminSettingList: { method: 'GET', path: '/admin/v1/settings' },
  adminSettingRead: { method: 'GET', path: '/admin/v1/settings/{name}' },
  adminRefusalList: { method: 'GET', path: '/admin/v1/refusals' },
  adminStatistics: { method: 'GET', path: '/admin/v1/statistics' },
  adminTenantList: { method: 'GET', path: '/admin/v1/tenants' },
  adminTenantCreate: { method: 'POST', path: '/admin/v1/tenants', type: 'application/json' },
  adminTenantRead: { method: 'GET', path: '/admin/v1/tenants/{id}' },
  adminTenantUpdate: { method: 'PATCH', path: '/admin/v1/tenants/{id}', type: 'application/merge-patch+json' },
  adminTenantDelete: { method: 'DELETE', path: '/admin/v1/tenants/{id}' },
  adminTenantDisable: { method: 'POST', path: '/admin/v1/tenants/{id}/disable' },
  adminTenantEnable: { method: 'POST', path: '/admin/v1/tenants/{id}/enable' },
  adminTenantRows: { method: 'GET', path: '/admin/v1/tenants/{id}/rows' },
  adminWebhookDeliveryDrop: { method: 'POST', path: '/admin/v1/webhooks/{id}/deliveries/{delivery}/drop' },
  adminWebhookDeliveryList: { method: 'GET', path: '/admin/v1/webhooks/{id}/deliveries' },
  adminWebhookDeliveryRedeliver: { method: 'POST', path: '/admin/v1/webhooks/{id}/deliveries/{delivery}/redeliver' },
  adminWebhookRead: { method: 'GET', path: '/admin/v1/webhooks/{id}' },
  adminWebhookChange: { method: 'PATCH', path: '/admin/v1/webhooks/{id}', type: 'application/merge-patch+json' },
  adminWebhookDelete: { method: 'DELETE', path: '/admin/v1/webhooks/{id}' },
  adminWebhookList: { method: 'GET', path: '/admin/v1/webhooks' },
  adminWebhookCreate: { method: 'POST', path: '/admin/v1/webhooks', type: 'application/json' },
  adminWebhookDisable: { method: 'POST', path: '/admin/v1/webhooks/{id}/disable' },
  adminWebhookDrop: { method: 'POST', path: '/admin/v1/webhooks/{id}/drop' },
  adminWebhookEnable: { method: 'POST', path: '/admin/v1/webhooks/{id}/enable' },
  adminWebhookRedeliver: { method: 'POST', path: '/admin/v1/webhooks/{id}/redeliver' },
  adminWebhookRotate: { method: 'POST', path: '/admin/v1/webhooks/{id}/rotate' },
  adminWebhookTest: { method: 'POST', path: '/admin/v1/webhooks/{id}/test' },
} as const;
