import { randomBytes } from 'node:crypto';
import type { InitialAccessTokenLabel, StoredAccessToken } from '../../ports/access-token-store.ts';
import type { AuditEvent } from '../../ports/audit-log.ts';
import type { StoredAuthorizationCode } from '../../ports/authorization-code-store.ts';
import type { AccessTokenEnd, Change } from '../../ports/change-journal.ts';
import type { CreateConditions, StoredClient } from '../../ports/client-store.ts';
import type { StoredGrant } from '../../ports/grant-store.ts';
import type { StoredServerKey } from '../../ports/server-key-store.ts';
import type { StoredTenant } from '../../ports/tenant-store.ts';
import type {
  AccessTokenKey,
  ClientId,
  ClientInstance,
  Digest,
  GrantId,
  TenantId,
} from '../../spec/identifiers.ts';

/** Records for the tests of the storage floor. */
export const NOW = 1_800_000_000;
export const TENANT = 'default' as TenantId;
export const OTHER_TENANT = 'other' as TenantId;

/** Texts that careless engines change: emoji, line separators, quotes, escapes, digits, spaces, long text. */
export const HARD_TEXTS: readonly string[] = [
  '{"client_name":"🦊 \u2028\u2029 é e\u0301","n":1.0,"n":1e400}',
  `{"quotes":"' \\" \\\\ \`; DROP TABLE client; --"}`,
  '  { "spaces" : [ 1 , 2 ] }  ',
  '007',
  '',
  JSON.stringify({ long: 'ü€😀'.repeat(40_000) }),
];

const random = (): string => randomBytes(12).toString('hex');

export function aClient(values: Partial<StoredClient> = {}): StoredClient {
  return {
    client_id: random() as ClientId,
    instance: random() as ClientInstance,
    version: 1,
    issued_at: NOW,
    metadata: '{"redirect_uris":["https://client.example/cb"]}',
    data: null,
    secrets: [],
    registration_token_digest: random() as StoredClient['registration_token_digest'],
    registration_token_sealed: 'sealed' as StoredClient['registration_token_sealed'],
    privileges: '{}',
    registered_via: 'open',
    shared_digest: null,
    entity_id: null,
    expires_at: null,
    document: null,
    federation: null,
    resolved_at: null,
    renew_at: null,
    owner: null,
    ...values,
  };
}

export function anEvent(values: Partial<AuditEvent> = {}): AuditEvent {
  return {
    at: NOW,
    action: 'client.create',
    outcome: 'done',
    actor: 'open',
    client_id: null,
    request_id: random(),
    detail: null,
    ...values,
  };
}

/** For tests that are not about events. */
export const EVENT: AuditEvent = anEvent();

export const OPEN: CreateConditions = { reuseDeletedId: false, now: NOW, event: EVENT };

export const LABEL: InitialAccessTokenLabel = {
  label: 'for the "new" 🦊 team',
  issued_at: NOW,
  scope: 'client-reg client-reg:scope',
  redirect_hosts: ['client.example', 'bücher.example'],
};

/** A token of `client`; of no registered client without one. */
export function aToken(client?: StoredClient, values: Partial<StoredAccessToken> = {}): StoredAccessToken {
  return {
    key: `0${random()}` as AccessTokenKey,
    expires_at: NOW + 600,
    client_id: client?.client_id ?? ('somebody' as ClientId),
    client_instance: client?.instance ?? null,
    grant_id: null,
    introspection: '{"active":true}',
    ...values,
  };
}

/** A grant of `client` that lives for an hour, with a refresh token. */
export function aGrant(client: StoredClient, values: Partial<StoredGrant> = {}): StoredGrant {
  return {
    grant_id: `0${random()}` as GrantId,
    client_id: client.client_id,
    client_instance: client.instance,
    sub: 'alice',
    authorization: '{"scope":["read"]}',
    created_at: NOW,
    expires_at: NOW + 3600,
    refresh_token: { digest: random() as Digest, expires_at: NOW + 3600 },
    ...values,
  };
}

/** An access token of a grant. */
export function aTokenOf(
  { client_id, client_instance, grant_id }: StoredGrant,
  values: Partial<StoredAccessToken> = {},
): StoredAccessToken {
  return aToken(undefined, { client_id, client_instance, grant_id, ...values });
}

/** The end of a token, as the journal tells it. */
export const endOfToken = ({ key, expires_at, client_id, sub }: StoredAccessToken): AccessTokenEnd => ({
  kind: 'access-token-ended',
  key,
  expires_at,
  client_id,
  ...(sub === undefined ? {} : { sub }),
});

/** The end of a grant with its tokens, as the journal tells it. */
export const endOfGrant = (
  { grant_id, client_id, sub }: StoredGrant,
  ...tokens: readonly StoredAccessToken[]
): Change[] => [{ kind: 'grant-ended', grant_id, client_id, sub }, ...tokens.map(endOfToken)];

/** An authorisation code of `client` that is good for a minute. */
export function aCode(
  client: StoredClient,
  values: Partial<StoredAuthorizationCode> = {},
): StoredAuthorizationCode {
  return {
    key: random() as Digest,
    client_id: client.client_id,
    client_instance: client.instance,
    content: '{"sub":"alice"}',
    expires_at: NOW + 60,
    kept_until: NOW + 3600,
    ...values,
  };
}

export function aServerKey(values: Partial<StoredServerKey> = {}): StoredServerKey {
  return {
    kid: random() as StoredServerKey['kid'],
    use: 'sig',
    created_at: NOW,
    active_at: NOW,
    retired_at: null,
    succeeds: null,
    public_jwk: '{"kty":"OKP"}',
    sealed_jwk: 'sealed' as StoredServerKey['sealed_jwk'],
    ...values,
  };
}

export function aTenant(values: Partial<StoredTenant> = {}): StoredTenant {
  const id = random() as TenantId;
  return {
    id,
    version: 1,
    issuer: `https://${id}.example`,
    aliases: [],
    settings: '{}',
    owner: null,
    created_at: NOW,
    disabled_at: null,
    deleted_at: null,
    ...values,
  };
}

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

export const occurrences = <T>(values: readonly T[], wanted: T): number =>
  values.filter((value) => value === wanted).length;
