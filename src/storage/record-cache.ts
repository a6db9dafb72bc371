import type { StoredAccessToken } from '../ports/access-token-store.ts';
import type { Change } from '../ports/change-journal.ts';
import type { StoredClient } from '../ports/client-store.ts';
import type { TenantStorage } from '../ports/storage.ts';
import { type Awaitable, whenKnown } from '../spec/awaitable.ts';
import { BoundedMap } from '../spec/bounded-map.ts';
import type { AccessTokenKey, ClientId, ClientInstance } from '../spec/identifiers.ts';

export interface RecordCacheLimits {
  /** Entries. */
  readonly clients: number;
  readonly accessTokens: number;
}

/** Instances that ended lately; their cached tokens are recognised by it instead of being searched for. */
const ENDED_MAX = 10_000;

/**
 * The same storage with records kept in memory. Before each answer from memory the journal is asked for its head: a
 * record that was read at that head, or was not touched since, is what the store would give. So a revocation shows in
 * the very next request, whichever process made it.
 */
export function withRecordCache(storage: TenantStorage, limits: RecordCacheLimits): TenantStorage {
  const { journal } = storage;
  const clients = new BoundedMap<ClientId, StoredClient>(limits.clients);
  const tokens = new BoundedMap<AccessTokenKey, StoredAccessToken>(limits.accessTokens);
  const ended = new Set<ClientInstance>();
  let known: number | undefined;

  const forgetEverything = (): void => {
    clients.clear();
    tokens.clear();
    ended.clear();
  };
  const forget = (change: Change): void => {
    if (change.kind === 'access-token-ended') return tokens.delete(change.key);
    clients.delete(change.client_id);
    if (change.kind === 'client-ended') ended.add(change.instance);
  };
  const apply = (changes: readonly Change[] | undefined, head: number): void => {
    if (changes === undefined || ended.size + changes.length > ENDED_MAX) forgetEverything();
    else changes.forEach(forget);
    known = head;
  };
  const catchUp = (): Awaitable<void> =>
    whenKnown(journal.head(), (head) => {
      if (head === known) return undefined;
      if (known === undefined) return apply(undefined, head);
      return whenKnown(journal.since(known), (changes) => apply(changes, head));
    });
  /** What is read is kept only if nothing was learnt meanwhile: it may be older than that. */
  const readThrough = <Key, Value>(
    cache: BoundedMap<Key, Value>,
    key: Key,
    read: () => Awaitable<Value | undefined>,
  ): Awaitable<Value | undefined> => {
    const before = known;
    return whenKnown(read(), (found) => {
      if (found !== undefined && known === before) cache.set(key, found);
      return found;
    });
  };

  return {
    ...storage,
    clients: {
      ...storage.clients,
      find: (client_id) =>
        whenKnown(
          catchUp(),
          () =>
            clients.get(client_id) ?? readThrough(clients, client_id, () => storage.clients.find(client_id)),
        ),
    },
    accessTokens: {
      ...storage.accessTokens,
      find: (key) =>
        whenKnown(catchUp(), () => {
          const token = tokens.get(key);
          if (token === undefined) return readThrough(tokens, key, () => storage.accessTokens.find(key));
          return token.client_instance !== null && ended.has(token.client_instance) ? undefined : token;
        }),
    },
  };
}
