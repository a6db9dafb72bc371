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
import { type CatchUpReport, followJournal } from './journal-follower.ts';

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
  const { clients, tokens } = openMaps(limits, caches);
  const ended = new Set<ClientInstance>();
  let serverKeys: readonly StoredServerKey[] | undefined;

  const forget = (change: Change): void => {
    if (change.kind === 'access-token-ended') return tokens.delete(change.key);
    if (change.kind === 'server-keys-changed') {
      serverKeys = undefined;
      return;
    }
    // Records of grants and sessions are not kept here.
    if (change.kind === 'grant-ended' || change.kind === 'session-ended') return;
    clients.delete(change.client_id);
    if (change.kind === 'client-ended') ended.add(change.instance);
  };
  const learn = (changes: readonly Change[] | undefined): void => {
    if (changes !== undefined && ended.size + changes.length <= ENDED_MAX) return changes.forEach(forget);
    for (const known of [clients, tokens, ended]) known.clear();
    serverKeys = undefined;
  };
  const journal = followJournal(storage.journal, learn, told);

  /**
   * Caches a record that was read, unless the journal reported changes meanwhile: the record may be older than they are.
   * @param keyOf returns the record's own text, so that memory holds the key once
   */
  const readThrough = <Key, Value>(
    cache: Pick<BoundedMap<Key, Value>, 'set'>,
    read: () => Awaitable<Value | undefined>,
    keyOf: (found: Value) => Key,
  ): Awaitable<Value | undefined> => {
    const before = journal.updates();
    return whenKnown(read(), (found) => {
      if (found !== undefined && journal.updates() === before) cache.set(keyOf(found), found);
      return found;
    });
  };
  const findClient = (client_id: ClientId): Awaitable<StoredClient | undefined> =>
    clients.get(client_id) ?? readThrough(clients, () => storage.clients.find(client_id), clientKey);
  const findToken = (key: AccessTokenKey): Awaitable<StoredAccessToken | undefined> => {
    const token = tokens.get(key);
    if (token === undefined) return readThrough(tokens, () => storage.accessTokens.find(key), tokenKey);
    return hasEndedClient(token, ended) ? undefined : token;
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
