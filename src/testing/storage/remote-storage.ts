import type { StoredAccessToken } from '../../ports/access-token-store.ts';
import type { Change } from '../../ports/change-journal.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { StoredServerKey } from '../../ports/server-key-store.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import type { AccessTokenKey, ClientId } from '../../spec/identifiers.ts';

/** The data of a remote engine. Tests change it directly, as another process would. */
export interface RemoteState {
  readonly clients: Map<ClientId, StoredClient>;
  readonly tokens: Map<AccessTokenKey, StoredAccessToken>;
  serverKeys: readonly StoredServerKey[];
  readonly changes: Change[];
}

export type RemoteVerb = 'head' | 'since' | 'clients.find' | 'accessTokens.find' | 'serverKeys.all';

/** When a call is executed where the data is, and when its answer arrives; either may reject. */
export interface RemoteCall {
  readonly verb: RemoteVerb;
  execute(): void;
  arrive(): void;
  fail(cause: Error): void;
}

interface RemoteStorage {
  readonly storage: TenantStorage;
  readonly state: RemoteState;
}

/** A storage whose every read is executed and answered when `onCall` says so. Has only the verbs that caches use. */
export function remoteStorage(onCall: (call: RemoteCall) => void): RemoteStorage {
  const state: RemoteState = { clients: new Map(), tokens: new Map(), serverKeys: [], changes: [] };
  const ask = <T>(verb: RemoteVerb, read: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      let answer: { readonly value: T } | undefined;
      const execute = (): void => {
        answer ??= { value: read() };
      };
      const arrive = (): void => {
        execute();
        if (answer !== undefined) resolve(answer.value);
      };
      onCall({ verb, execute, arrive, fail: reject });
    });
  const storage = {
    clients: {
      find: (id: ClientId) => ask('clients.find', () => state.clients.get(id)),
    },
    accessTokens: {
      find: (key: AccessTokenKey) => ask('accessTokens.find', () => liveToken(state, key)),
    },
    serverKeys: {
      all: () => ask('serverKeys.all', () => state.serverKeys),
    },
    journal: {
      head: () => ask('head', () => state.changes.length),
      since: (sequence: number) => ask('since', () => state.changes.slice(sequence)),
    },
  };
  return { storage: storage as unknown as TenantStorage, state };
}

function liveToken(state: RemoteState, key: AccessTokenKey): StoredAccessToken | undefined {
  const token = state.tokens.get(key);
  if (token === undefined || token.client_instance === null) return token;
  return state.clients.get(token.client_id)?.instance === token.client_instance ? token : undefined;
}

export function replaceRemotely({ clients, changes }: RemoteState, client: StoredClient): void {
  clients.set(client.client_id, client);
  changes.push({ kind: 'client-changed', client_id: client.client_id });
}

export function deleteRemotely({ clients, changes }: RemoteState, client: StoredClient): void {
  const { client_id, instance } = client;
  clients.delete(client_id);
  changes.push({ kind: 'client-ended', client_id, instance });
}
