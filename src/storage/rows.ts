import type {
  InitialAccessToken,
  InitialAccessTokenLabel,
  StoredAccessToken,
} from '../ports/access-token-store.ts';
import type { StoredAccount } from '../ports/account-store.ts';
import type { AuditEvent, AuditPlace, RecordedAuditEvent } from '../ports/audit-log.ts';
import type { StoredAuthorizationCode } from '../ports/authorization-code-store.ts';
import type { BackchannelBlock, StoredBackchannelRequest } from '../ports/backchannel-request-store.ts';
import type { FormerVersion, VersionEnd } from '../ports/client-history.ts';
import type { ClientUse } from '../ports/client-store.ts';
import type { StoredConsent } from '../ports/consent-store.ts';
import type {
  ExcludedSubject,
  StoredSecurityEvent,
  StoredStream,
  TakenStream,
} from '../ports/event-stream-store.ts';
import type { StoredInteraction } from '../ports/interaction-store.ts';
import type {
  StoredLogoutNotification,
  TakenLogoutNotification,
} from '../ports/logout-notification-store.ts';
import type { RemovedServerKey, StoredServerKey } from '../ports/server-key-store.ts';
import type { SessionClient, SessionConditions, StoredSession } from '../ports/session-store.ts';
import type { SeenProcess } from '../ports/storage.ts';
import type { StoredTrustAnchor } from '../ports/trust-anchor-store.ts';
import type { StoredDelivery, StoredWebhook, TakenDelivery, WebhookBacklog } from '../ports/webhook-store.ts';
import { mapper } from './row-mapper.ts';

/** A list needs no `via`. */
export const ACCESS_TOKEN = mapper<Omit<StoredAccessToken, 'via'>>({
  key: 'plain',
  expires_at: 'plain',
  client_id: 'plain',
  client_instance: 'plain',
  grant_id: 'plain',
  introspection: 'plain',
  sub: 'optional',
});

const LABEL = { label: 'plain', issued_at: 'plain', scope: 'plain', redirect_hosts: 'json' } as const;

export const INITIAL_LABEL = mapper<InitialAccessTokenLabel>(LABEL);

export const INITIAL_ACCESS_TOKEN = mapper<InitialAccessToken>({
  key: 'plain',
  ...LABEL,
  expires_at: 'plain',
  used_at: 'plain',
  used_by_client_id: 'plain',
  used_by_instance: 'plain',
  revoked_at: 'plain',
});

export const ACCOUNT = mapper<StoredAccount>({
  sub: 'plain',
  version: 'plain',
  login_name: 'plain',
  username: 'plain',
  password_hash: 'plain',
  claims: 'plain',
  created_at: 'plain',
  updated_at: 'plain',
  disabled_at: 'plain',
  admin_role: 'role',
});

export const AUDIT_EVENT = mapper<RecordedAuditEvent>({
  sequence: 'plain',
  at: 'plain',
  action: 'plain',
  outcome: 'plain',
  actor: 'plain',
  client_id: 'plain',
  request_id: 'plain',
  detail: 'plain',
  sub: 'optional',
  address: 'optional',
  user_agent: 'optional',
  reason: 'optional',
});

export const AUDIT_PLACE = mapper<AuditPlace>({ at: 'plain', sequence: 'plain' });

export const AUTHORIZATION_CODE = mapper<StoredAuthorizationCode>({
  key: 'plain',
  client_id: 'plain',
  client_instance: 'plain',
  content: 'plain',
  expires_at: 'plain',
  kept_until: 'plain',
});

export const CLIENT_USE = mapper<ClientUse>({
  client_id: 'plain',
  instance: 'plain',
  secret_digest: 'plain',
  last_used_at: 'plain',
});

export const FORMER_VERSION = mapper<FormerVersion>({
  client_id: 'plain',
  instance: 'plain',
  version: 'plain',
  ended_at: 'plain',
  deleted_at: 'plain',
  action: 'plain',
  actor: 'plain',
  request_id: 'plain',
  reason: 'plain',
  issued_at: 'plain',
  registered_via: 'plain',
  registration_token_digest: 'plain',
  secrets: 'json',
  privileges: 'plain',
  metadata: 'plain',
  data: 'plain',
  shared_digest: 'plain',
  entity_id: 'plain',
  expires_at: 'plain',
  document: 'plain',
  federation: 'plain',
  owner: 'plain',
});

/** Returns the change that ends a version, from its audit event. */
export const versionEnd = ({
  at,
  action,
  actor,
  request_id,
  reason = null,
}: Omit<AuditEvent, 'reason'> & { readonly reason?: string | null }): VersionEnd => ({
  ended_at: at,
  action,
  actor,
  request_id,
  reason,
});

/** The columns that a former version has of its client. */
export const KEPT_OF_CLIENT = `issued_at, registered_via, registration_token_digest, secrets, privileges, metadata, data,
  shared_digest, entity_id, expires_at, document, federation, owner`;

export const BACKCHANNEL_REQUEST = mapper<StoredBackchannelRequest>({
  key: 'plain',
  id: 'plain',
  person: 'plain',
  sub: 'plain',
  client_id: 'plain',
  client_instance: 'plain',
  state: 'plain',
  code: 'plain',
  poll_interval: 'plain',
  content: 'plain',
  created_at: 'plain',
  expires_at: 'plain',
  kept_until: 'plain',
  attempts: 'plain',
  due_at: 'plain',
  problem: 'plain',
});

export const BACKCHANNEL_BLOCK = mapper<BackchannelBlock>({
  sub: 'plain',
  client_id: 'plain',
  client_instance: 'plain',
  blocked_at: 'plain',
  expires_at: 'plain',
});

export const CONSENT = mapper<StoredConsent>({
  sub: 'plain',
  client_id: 'plain',
  instance: 'plain',
  scope: 'json',
  claims: 'json',
  resources: 'json',
  granted_at: 'plain',
  updated_at: 'plain',
});

export const INTERACTION = mapper<StoredInteraction>({
  key: 'plain',
  kind: 'plain',
  browser: 'plain',
  version: 'plain',
  content: 'plain',
  created_at: 'plain',
  expires_at: 'plain',
});

const NOTIFIED = {
  sid: 'plain',
  client_id: 'plain',
  instance: 'plain',
  sub: 'plain',
  issuer: 'plain',
} as const;

export const LOGOUT_NOTIFICATION = mapper<StoredLogoutNotification>({
  ...NOTIFIED,
  state: 'plain',
  attempts: 'plain',
  attempted_at: 'plain',
  due_at: 'plain',
  problem: 'plain',
});

export const TAKEN_LOGOUT_NOTIFICATION = mapper<TakenLogoutNotification>({ ...NOTIFIED, attempts: 'plain' });

const PUBLIC_KEY = {
  kid: 'plain',
  use: 'plain',
  created_at: 'plain',
  active_at: 'plain',
  retired_at: 'plain',
  succeeds: 'plain',
  public_jwk: 'plain',
} as const;

export const SERVER_KEY = mapper<StoredServerKey>({ ...PUBLIC_KEY, sealed_jwk: 'plain' });

export const REMOVED_SERVER_KEY = mapper<RemovedServerKey>({
  ...PUBLIC_KEY,
  removed_at: 'plain',
  reason: 'plain',
});

export const SESSION = mapper<StoredSession>({
  key: 'plain',
  sid: 'plain',
  sub: 'plain',
  auth_time: 'plain',
  acr: 'plain',
  amr: 'json',
  created_at: 'plain',
  last_seen_at: 'plain',
  expires_at: 'plain',
  ends_at: 'plain',
});

/** The issuer is absent if the client took part under the tenant's first name. */
export const SESSION_CLIENT = mapper<SessionClient>({
  client_id: 'plain',
  instance: 'plain',
  first_used_at: 'plain',
  last_used_at: 'plain',
  issuer: 'optional',
});

/** Returns the consent after more was granted: everything that was granted before stays granted. */
export function widenedConsent(
  before: StoredConsent | undefined,
  {
    sub,
    client_id,
    instance,
    scope,
    claims,
    resources,
  }: Pick<StoredConsent, 'sub' | 'client_id' | 'instance' | 'scope' | 'claims' | 'resources'>,
  at: number,
): StoredConsent {
  return {
    sub,
    client_id,
    instance,
    scope: united(before?.scope, scope),
    claims: united(before?.claims, claims),
    resources: united(before?.resources, resources),
    granted_at: before?.granted_at ?? at,
    updated_at: at,
  };
}

const united = (one: readonly string[] = [], other: readonly string[]): readonly string[] =>
  [...new Set([...one, ...other])].sort();

/** Whether a session continues under its new key: it belongs to the same end-user and has not expired. */
export function isSameLiveSubject(
  replaced: StoredSession,
  { sub }: StoredSession,
  now: SessionConditions['now'],
): boolean {
  return replaced.sub === sub && replaced.expires_at > now;
}

export const processRow = mapper<SeenProcess>({ id: 'plain', name: 'plain', ring: 'json', beats: 'plain' });

export const TRUST_ANCHOR = mapper<StoredTrustAnchor>({
  entity_id: 'plain',
  version: 'plain',
  content: 'plain',
});

export const WEBHOOK = mapper<StoredWebhook>({
  id: 'plain',
  version: 'plain',
  configuration: 'plain',
  sealed: 'plain',
  created_at: 'plain',
  updated_at: 'plain',
  disabled_at: 'plain',
  position: 'plain',
  delivered_at: 'plain',
  delivered: 'plain',
  missed: 'plain',
});

const DELIVERY = {
  webhook_id: 'plain',
  after_sequence: 'plain',
  until_sequence: 'plain',
  events: 'plain',
  missed: 'plain',
  attempts: 'plain',
} as const;

export const TAKEN_DELIVERY = mapper<TakenDelivery>(DELIVERY);

export const WEBHOOK_DELIVERY = mapper<StoredDelivery>({
  ...DELIVERY,
  state: 'plain',
  created_at: 'plain',
  attempted_at: 'plain',
  due_at: 'plain',
  problem: 'plain',
});

export const WEBHOOK_BACKLOG = mapper<WebhookBacklog>({
  webhook_id: 'plain',
  waiting: 'plain',
  failed: 'plain',
});

export const EVENT_STREAM = mapper<StoredStream>({
  id: 'plain',
  client_id: 'plain',
  instance: 'plain',
  issuer: 'plain',
  version: 'plain',
  configuration: 'plain',
  sealed: 'plain',
  method: 'plain',
  events: 'plain',
  status: 'plain',
  status_reason: 'plain',
  held_max: 'plain',
  created_at: 'plain',
  updated_at: 'plain',
  verified_at: 'plain',
  sequence: 'plain',
  drains_to: 'plain',
  held: 'plain',
  delivered: 'plain',
  delivered_at: 'plain',
  attempts: 'plain',
  attempted_at: 'plain',
  due_at: 'plain',
  problem: 'plain',
});

export const TAKEN_STREAM = mapper<TakenStream>({ id: 'plain', lease: 'plain', attempts: 'plain' });

export const SECURITY_EVENT = mapper<StoredSecurityEvent>({
  stream_id: 'plain',
  sequence: 'plain',
  kind: 'plain',
  content: 'plain',
  at: 'plain',
  state: 'plain',
  attempted_at: 'plain',
  problem: 'plain',
});

export const EXCLUDED_SUBJECT = mapper<ExcludedSubject>({ key: 'plain', content: 'plain' });
