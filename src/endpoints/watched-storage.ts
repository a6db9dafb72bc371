import type { TenantStorage } from '../ports/storage.ts';

/** What a test sees of a storage, and how it makes it fail. */
export interface Watch {
  /** The verbs that were called, such as `clients.find`, in their order. */
  readonly calls: string[];
  /** From now on every verb fails with `cause`; the named ones only where some are named. */
  fail(cause: unknown, ...verbs: readonly string[]): void;
  /** Called once, just before the verb's next call: what somebody else does in that moment. */
  before(verb: string, act: () => Promise<void>): void;
}

/** The same storage, watched. */
export function breakable(storage: TenantStorage): { storage: TenantStorage; watch: Watch } {
  const calls: string[] = [];
  let failure: { readonly cause: unknown; readonly verbs: readonly string[] } | undefined;
  const meanwhile = new Map<string, () => Promise<void>>();
  const noted = async (verb: string): Promise<void> => {
    calls.push(verb);
    const act = meanwhile.get(verb);
    meanwhile.delete(verb);
    await act?.();
    if (failure !== undefined && (failure.verbs.length === 0 || failure.verbs.includes(verb))) {
      throw failure.cause;
    }
  };
  const { clients, accessTokens, serverKeys } = storage;
  const watched: TenantStorage = {
    clients: {
      find: (id) => noted('clients.find').then(() => clients.find(id)),
      hasRegistrationToken: (digest) =>
        noted('clients.hasRegistrationToken').then(() => clients.hasRegistrationToken(digest)),
      create: (client, conditions) => noted('clients.create').then(() => clients.create(client, conditions)),
      replace: (client, version) => noted('clients.replace').then(() => clients.replace(client, version)),
      delete: (id, version, now) => noted('clients.delete').then(() => clients.delete(id, version, now)),
      page: (after, limit) => noted('clients.page').then(() => clients.page(after, limit)),
    },
    accessTokens: {
      issue: (token) => noted('accessTokens.issue').then(() => accessTokens.issue(token)),
      issueInitial: (token, label) =>
        noted('accessTokens.issueInitial').then(() => accessTokens.issueInitial(token, label)),
      find: (key) => noted('accessTokens.find').then(() => accessTokens.find(key)),
      findInitial: (key) => noted('accessTokens.findInitial').then(() => accessTokens.findInitial(key)),
      sweepExpired: (now, limit) =>
        noted('accessTokens.sweepExpired').then(() => accessTokens.sweepExpired(now, limit)),
    },
    serverKeys: {
      all: () => noted('serverKeys.all').then(() => serverKeys.all()),
      addFirst: (keys) => noted('serverKeys.addFirst').then(() => serverKeys.addFirst(keys)),
      reseal: (kid, sealed) => noted('serverKeys.reseal').then(() => serverKeys.reseal(kid, sealed)),
    },
  };
  return {
    storage: watched,
    watch: {
      calls,
      fail(cause, ...verbs) {
        failure = { cause, verbs };
      },
      before: (verb, act) => void meanwhile.set(verb, act),
    },
  };
}
