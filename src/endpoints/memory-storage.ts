import type {
  AccessTokenStore,
  InitialAccessTokenLabel,
  StoredAccessToken,
} from '../ports/access-token-store.ts';
import type { ChangeOutcome, ClientStore, CreateConditions, StoredClient } from '../ports/client-store.ts';
import type { ServerKeyStore, StoredServerKey } from '../ports/server-key-store.ts';
import { type Storage, StorageUnavailable, type TenantStorage } from '../ports/storage.ts';
import type { AccessTokenKey, ClientId, ClientInstance, Sealed, TenantId } from '../spec/identifiers.ts';

type InitialAccessToken = InitialAccessTokenLabel & { readonly expires_at: number; readonly used: boolean };

interface TenantData {
  readonly clients: Map<ClientId, StoredClient>;
  readonly graves: Map<ClientId, Set<ClientInstance>>;
  readonly tokens: Map<AccessTokenKey, StoredAccessToken>;
  readonly initial: Map<AccessTokenKey, InitialAccessToken>;
  keys: readonly StoredServerKey[];
}

/** What several views of one memory storage share. */
export interface MemoryData {
  readonly tenants: Map<TenantId, TenantData>;
  canary: Sealed | undefined;
}

export function emptyMemory(): MemoryData {
  return { tenants: new Map(), canary: undefined };
}

/** The storage of the endpoint tests: a database in a file would take most of their time. It passes the storage contract. */
export function memoryStorage(memory: MemoryData): Storage {
  let isOpen = true;
  const requireOpen = (): void => {
    if (!isOpen) throw new StorageUnavailable('the memory storage is closed');
  };
  return {
    forTenant(tenant) {
      let data = memory.tenants.get(tenant);
      if (data === undefined) {
        data = { clients: new Map(), graves: new Map(), tokens: new Map(), initial: new Map(), keys: [] };
        memory.tenants.set(tenant, data);
      }
      return tenantStorage(data, requireOpen);
    },
    async sealCanary(sealed) {
      memory.canary ??= sealed;
      return memory.canary;
    },
    async replaceSealCanary(sealed) {
      memory.canary = sealed;
    },
    ready: async () => requireOpen(),
    async close() {
      isOpen = false;
    },
  };
}

function tenantStorage(data: TenantData, requireOpen: () => void): TenantStorage {
  return {
    clients: clientStore(data),
    accessTokens: accessTokenStore(data, requireOpen),
    serverKeys: keyStore(data),
  };
}

function clientStore(data: TenantData): ClientStore {
  const versionOf = (client_id: ClientId, version: number): ChangeOutcome => {
    const stored = data.clients.get(client_id);
    if (stored === undefined) return 'absent';
    return stored.version === version ? 'done' : 'changed_meanwhile';
  };
  return {
    find: (client_id) => structuredClone(data.clients.get(client_id)),
    hasRegistrationToken: (digest) =>
      [...data.clients.values()].some((client) => client.registration_token_digest === digest),
    create: async (client, conditions) => create(data, client, conditions),
    async replace(client, expectedVersion) {
      const outcome = versionOf(client.client_id, expectedVersion);
      if (outcome !== 'done') return outcome;
      if (data.clients.get(client.client_id)?.instance !== client.instance) return 'changed_meanwhile';
      data.clients.set(client.client_id, structuredClone(client));
      return 'done';
    },
    async delete(client_id, expectedVersion) {
      const outcome = versionOf(client_id, expectedVersion);
      const client = data.clients.get(client_id);
      if (outcome !== 'done' || client === undefined) return outcome;
      data.clients.delete(client_id);
      data.graves.set(client_id, (data.graves.get(client_id) ?? new Set()).add(client.instance));
      return 'done';
    },
    page: (after, limit) =>
      [...data.clients.keys()]
        .filter((client_id) => after === undefined || client_id > after)
        .sort()
        .slice(0, limit)
        .flatMap((client_id) => structuredClone(data.clients.get(client_id)) ?? []),
  };
}

function create(
  data: TenantData,
  client: StoredClient,
  { initialAccessToken, reuseDeletedId, now }: CreateConditions,
): Awaited<ReturnType<ClientStore['create']>> {
  const initial = initialAccessToken === undefined ? undefined : data.initial.get(initialAccessToken);
  if (
    initialAccessToken !== undefined &&
    (initial === undefined || initial.used || initial.expires_at <= now)
  ) {
    return 'initial_access_token_used';
  }
  if (data.clients.has(client.client_id)) return 'client_id_taken';
  const instances = data.graves.get(client.client_id);
  if (instances !== undefined && !reuseDeletedId) return 'client_id_deleted';
  if (instances?.has(client.instance) === true) throw new Error('an instance is used again');
  if (initialAccessToken !== undefined && initial !== undefined) {
    data.initial.set(initialAccessToken, { ...initial, used: true });
    data.tokens.delete(initialAccessToken);
  }
  data.clients.set(client.client_id, structuredClone(client));
  return 'created';
}

function accessTokenStore(data: TenantData, requireOpen: () => void): AccessTokenStore {
  const issue = (token: StoredAccessToken): void => {
    requireOpen();
    if (data.tokens.has(token.key) || data.initial.has(token.key))
      throw new Error('an access token key is used again');
    data.tokens.set(token.key, structuredClone(token));
  };
  return {
    issue: async (token) => issue(token),
    async issueInitial(token, label) {
      issue(token);
      data.initial.set(token.key, { ...label, expires_at: token.expires_at, used: false });
    },
    find(key) {
      const token = data.tokens.get(key);
      if (token === undefined || token.client_instance === null) return structuredClone(token);
      const alive = data.clients.get(token.client_id)?.instance === token.client_instance;
      return alive ? structuredClone(token) : undefined;
    },
    findInitial(key) {
      const found = data.initial.get(key);
      if (found === undefined || found.used) return undefined;
      return { label: found.label, issued_at: found.issued_at };
    },
    async sweepExpired(now, limit) {
      const expired = [...data.tokens.values()].filter((token) => token.expires_at < now).slice(0, limit);
      for (const { key } of expired) {
        data.tokens.delete(key);
        data.initial.delete(key);
      }
      return expired.length;
    },
  };
}

function keyStore(data: TenantData): ServerKeyStore {
  return {
    all: () => structuredClone(data.keys),
    async addFirst(keys) {
      if (data.keys.length === 0) data.keys = structuredClone(keys);
      return structuredClone(data.keys);
    },
    async reseal(kid, sealed_jwk) {
      if (!data.keys.some((key) => key.kid === kid)) throw new Error(`no server key ${kid}`);
      data.keys = data.keys.map((key) => (key.kid === kid ? { ...key, sealed_jwk } : key));
    },
  };
}
