import type { StoredAccessToken } from '../ports/access-token-store.ts';
import type { Change } from '../ports/change-journal.ts';
import type { StoredClient } from '../ports/client-store.ts';
import type { StoredServerKey } from '../ports/server-key-store.ts';
import type { TenantStorage } from '../ports/storage.ts';
import { type Awaitable, whenKnown } from '../spec/awaitable.ts';
import { BoundedMap } from '../spec/bounded-map.ts';
import type { AccessTokenKey, ClientId, ClientInstance } from '../spec/identifiers.ts';
import { followJournal } from './journal-follower.ts';

/** Limits in records of the usual size. A larger record counts as several, so that the limits bound memory. */
export interface RecordCacheLimits {
  readonly clients: number;
  readonly accessTokens: number;
}

/** The number of characters in a record of the usual size. */
const CLIENT_CHARACTERS = 2048;
const ACCESS_TOKEN_CHARACTERS = 1024;

const clientWeight = ({ metadata, data, privileges }: StoredClient): number =>
  1 + Math.floor((metadata.length + (data?.length ?? 0) + privileges.length) / CLIENT_CHARACTERS);

const accessTokenWeight = ({ introspection }: StoredAccessToken): number =>
  1 + Math.floor(introspection.length / ACCESS_TOKEN_CHARACTERS);

/** The number of ended client instances to remember. Their cached tokens are recognised by it instead of being searched. */
const ENDED_MAX = 10_000;

/**
 * Adds a cache of records to a storage. It reads the journal before each answer from memory and drops the records that
 * changed. So a revocation takes effect with the very next request, whichever process made it.
 */
export function withRecordCache(storage: TenantStorage, limits: RecordCacheLimits): TenantStorage {
  const clients = new BoundedMap<ClientId, StoredClient>(limits.clients, clientWeight);
  const tokens = new BoundedMap<AccessTokenKey, StoredAccessToken>(limits.accessTokens, accessTokenWeight);
  const ended = new Set<ClientInstance>();
  let serverKeys: readonly StoredServerKey[] | undefined;

  const forget = (change: Change): void => {
    if (change.kind === 'access-token-ended') return tokens.delete(change.key);
    if (change.kind === 'server-keys-changed') {
      serverKeys = undefined;
      return;
    }
    clients.delete(change.client_id);
    if (change.kind === 'client-ended') ended.add(change.instance);
  };
  const journal = followJournal(storage.journal, (changes) => {
    if (changes !== undefined && ended.size + changes.length <= ENDED_MAX) return changes.forEach(forget);
    clients.clear();
    tokens.clear();
    ended.clear();
    serverKeys = undefined;
  });

  /** Caches a record that was read, unless the journal reported changes meanwhile: the record may be older than they are. */
  const readThrough = <Key, Value>(
    cache: BoundedMap<Key, Value>,
    key: Key,
    read: () => Awaitable<Value | undefined>,
  ): Awaitable<Value | undefined> => {
    const before = journal.updates();
    return whenKnown(read(), (found) => {
      if (found !== undefined && journal.updates() === before) cache.set(key, found);
      return found;
    });
  };
  const findClient = (client_id: ClientId): Awaitable<StoredClient | undefined> =>
    clients.get(client_id) ?? readThrough(clients, client_id, () => storage.clients.find(client_id));
  const findToken = (key: AccessTokenKey): Awaitable<StoredAccessToken | undefined> => {
    const token = tokens.get(key);
    if (token === undefined) return readThrough(tokens, key, () => storage.accessTokens.find(key));
    return token.client_instance !== null && ended.has(token.client_instance) ? undefined : token;
  };
  const allServerKeys = (): Awaitable<readonly StoredServerKey[]> => {
    if (serverKeys !== undefined) return serverKeys;
    const before = journal.updates();
    return whenKnown(storage.serverKeys.all(), (found) => {
      if (found.length > 0 && journal.updates() === before) serverKeys = found;
      return found;
    });
  };

  return {
    ...storage,
    serverKeys: {
      ...storage.serverKeys,
      all: () => whenKnown(journal.catchUp(), allServerKeys),
    },
    clients: {
      ...storage.clients,
      find: (client_id) => whenKnown(journal.catchUp(), () => findClient(client_id)),
    },
    accessTokens: {
      ...storage.accessTokens,
      find: (key) => whenKnown(journal.catchUp(), () => findToken(key)),
    },
  };
}
