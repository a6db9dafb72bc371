import type { StoredAccessToken } from '../ports/access-token-store.ts';
import type { Change } from '../ports/change-journal.ts';
import type { StoredClient } from '../ports/client-store.ts';
import type { StoredServerKey } from '../ports/server-key-store.ts';
import type { TenantStorage } from '../ports/storage.ts';
import { type Awaitable, whenKnown } from '../spec/awaitable.ts';
import type { BoundedMap } from '../spec/bounded-map.ts';
import { type Caches, SLOT_BYTES, textBytes } from '../spec/caches.ts';
import { DigestMap } from '../spec/digest-map.ts';
import type { AccessTokenKey, ClientId, ClientInstance } from '../spec/identifiers.ts';
import { type CatchUpReport, followJournal, type JournalFollower } from './journal-follower.ts';

/** Maximum numbers of records, beside the bound in bytes; undefined = no such bound. */
export interface RecordCacheLimits {
  readonly clients: number | undefined;
  readonly accessTokens: number | undefined;
}

/** The object, its short texts and the tables that hold the parsed metadata. */
const CLIENT_BYTES = SLOT_BYTES + 560;
const SECRET_BYTES = 320;
/** The parsed metadata take about as much as their text, twice. */
const PARSED_FACTOR = 3;
/** Keys in the metadata are imported once and stay outside the heap. */
const KEYS_BYTES = 2048;

function clientBytes({
  metadata,
  data,
  privileges,
  registered_via,
  secrets,
  document,
  federation,
}: StoredClient): number {
  const texts =
    textBytes(privileges) +
    textBytes(registered_via) +
    textBytes(document ?? '') +
    textBytes(federation ?? '');
  const text = PARSED_FACTOR * textBytes(metadata) + texts;
  const keys = metadata.includes('"jwks":') ? KEYS_BYTES : 0;
  return CLIENT_BYTES + SECRET_BYTES * secrets.length + text + (data === null ? 0 : textBytes(data)) + keys;
}

/** The object, its key and its short texts. */
const ACCESS_TOKEN_BYTES = SLOT_BYTES + 320;

const accessTokenBytes = ({ introspection, via = '' }: StoredAccessToken): number =>
  ACCESS_TOKEN_BYTES + textBytes(introspection) + textBytes(via);

const clientKey = ({ client_id }: StoredClient): ClientId => client_id;
const tokenKey = ({ key }: StoredAccessToken): AccessTokenKey => key;

/** Says whether the client of a token has ended, or one whose token it was exchanged from. */
function hasEndedClient(
  { client_instance, via }: StoredAccessToken,
  ended: ReadonlySet<ClientInstance>,
): boolean {
  if (client_instance !== null && ended.has(client_instance)) return true;
  return via?.split(' ').some((instance) => ended.has(instance as ClientInstance)) === true;
}

/** The number of ended client instances to remember. Their cached tokens are recognised by it instead of being searched. */
const ENDED_MAX = 10_000;

interface RecordMaps {
  readonly clients: BoundedMap<ClientId, StoredClient>;
  readonly tokens: DigestMap<AccessTokenKey, StoredAccessToken>;
}

const openMaps = (limits: RecordCacheLimits, caches: Caches): RecordMaps => ({
  clients: caches.open('clients', { weigh: clientBytes, entriesMax: limits.clients }),
  tokens: new DigestMap(
    caches.open('access-tokens', { weigh: accessTokenBytes, entriesMax: limits.accessTokens }),
    tokenKey,
  ),
});

/** The records and facts that a process keeps of one tenant. */
interface Kept extends RecordMaps {
  readonly ended: Set<ClientInstance>;
  serverKeys: readonly StoredServerKey[] | undefined;
}

function forget(kept: Kept, change: Change): void {
  if (change.kind === 'access-token-ended') return kept.tokens.delete(change.key);
  if (change.kind === 'server-keys-changed') {
    kept.serverKeys = undefined;
    return;
  }
  // Records of grants and sessions are not kept here.
  if (change.kind === 'grant-ended' || change.kind === 'session-ended') return;
  kept.clients.delete(change.client_id);
  if (change.kind === 'client-ended') kept.ended.add(change.instance);
}

/** @param changes undefined if anything may have changed */
function learnChanges(kept: Kept, changes: readonly Change[] | undefined): void {
  const { clients, tokens, ended } = kept;
  if (changes !== undefined && ended.size + changes.length <= ENDED_MAX)
    return changes.forEach((change) => forget(kept, change));
  for (const known of [clients, tokens, ended]) known.clear();
  kept.serverKeys = undefined;
}

/**
 * Caches a record that was read, unless the journal reported changes meanwhile: the record may be older than they are.
 * @param keyOf returns the record's own text, so that memory holds the key once
 */
function readThrough<Key, Value>(
  journal: Pick<JournalFollower, 'updates'>,
  cache: Pick<BoundedMap<Key, Value>, 'set'>,
  read: () => Awaitable<Value | undefined>,
  keyOf: (found: Value) => Key,
): Awaitable<Value | undefined> {
  const before = journal.updates();
  return whenKnown(read(), (found) => {
    if (found !== undefined && journal.updates() === before) cache.set(keyOf(found), found);
    return found;
  });
}

/**
 * Adds a cache of records to a storage. It reads the journal before each answer from memory and drops the records that
 * changed. So a revocation takes effect with the very next request, whichever process made it.
 */
export function withRecordCache(
  storage: TenantStorage,
  limits: RecordCacheLimits,
  caches: Caches,
  told?: CatchUpReport,
): TenantStorage {
  const kept: Kept = { ...openMaps(limits, caches), ended: new Set(), serverKeys: undefined };
  const { clients, tokens, ended } = kept;
  const learn = (changes: readonly Change[] | undefined): void => learnChanges(kept, changes);
  const journal = followJournal(storage.journal, learn, told);

  const readClient = (client_id: ClientId): Awaitable<StoredClient | undefined> =>
    readThrough(journal, clients, () => storage.clients.find(client_id), clientKey);
  const findClient = (client_id: ClientId): Awaitable<StoredClient | undefined> =>
    clients.get(client_id) ?? readClient(client_id);
  const readToken = (key: AccessTokenKey): Awaitable<StoredAccessToken | undefined> =>
    readThrough(journal, tokens, () => storage.accessTokens.find(key), tokenKey);
  const live = (token: StoredAccessToken): StoredAccessToken | undefined =>
    hasEndedClient(token, ended) ? undefined : token;
  const findToken = (key: AccessTokenKey): Awaitable<StoredAccessToken | undefined> => {
    const token = tokens.get(key);
    return token === undefined ? readToken(key) : live(token);
  };
  // A remote store is asked for what memory lacks beside the journal. A record in memory is right if nothing was learnt since.
  const findClientRemotely = (client_id: ClientId): Awaitable<StoredClient | undefined> => {
    const client = clients.get(client_id);
    if (client === undefined) return journal.askBeside(() => readClient(client_id));
    const before = journal.updates();
    return whenKnown(journal.catchUp(), () =>
      journal.updates() === before ? client : findClient(client_id),
    );
  };
  const findTokenRemotely = (key: AccessTokenKey): Awaitable<StoredAccessToken | undefined> => {
    const token = tokens.get(key);
    if (token === undefined) return journal.askBeside(() => readToken(key));
    const before = journal.updates();
    return whenKnown(journal.catchUp(), () => (journal.updates() === before ? live(token) : findToken(key)));
  };
  const allServerKeys = (): Awaitable<readonly StoredServerKey[]> => {
    if (kept.serverKeys !== undefined) return kept.serverKeys;
    const before = journal.updates();
    return whenKnown(storage.serverKeys.all(), (found) => {
      if (found.length > 0 && journal.updates() === before) kept.serverKeys = found;
      return found;
    });
  };

  return {
    ...storage,
    serverKeys: {
      ...storage.serverKeys,
      all: (from) =>
        from === 'last-reading' ? allServerKeys() : whenKnown(journal.catchUp(), allServerKeys),
    },
    clients: {
      ...storage.clients,
      find: (client_id) =>
        journal.isRemote()
          ? findClientRemotely(client_id)
          : whenKnown(journal.catchUp(), () => findClient(client_id)),
    },
    accessTokens: {
      ...storage.accessTokens,
      find: (key) =>
        journal.isRemote() ? findTokenRemotely(key) : whenKnown(journal.catchUp(), () => findToken(key)),
    },
  };
}
