import type { TenantStorage } from '../ports/storage.ts';

/** What a test sees of a storage, and how it makes it fail. */
export interface Watch {
  /** The verbs that were called, such as `clients.find`, in their order. */
  readonly calls: string[];
  /** From now on every verb fails with `cause`; the named ones only where some are named. */
  fail(cause: unknown, ...verbs: readonly string[]): void;
  recover(): void;
  /** Called once, just before the verb's next call: what somebody else does in that moment. */
  before(verb: string, act: () => Promise<void>): void;
}

/** The same storage, watched. */
export function watched(storage: TenantStorage): { storage: TenantStorage; watch: Watch } {
  const calls: string[] = [];
  const meanwhile = new Map<string, () => Promise<void>>();
  let failing: { readonly cause: unknown; readonly verbs: readonly string[] } | undefined;
  const disturbance = async (verb: string): Promise<void> => {
    const act = meanwhile.get(verb);
    meanwhile.delete(verb);
    await act?.();
    if (failing?.verbs.length === 0 || failing?.verbs.includes(verb) === true) throw failing.cause;
  };
  const note: Note = (verb) => {
    calls.push(verb);
    return failing === undefined && !meanwhile.has(verb) ? undefined : disturbance(verb);
  };
  const watch: Watch = {
    calls,
    fail(cause, ...verbs) {
      failing = { cause, verbs };
    },
    recover() {
      failing = undefined;
    },
    before: (verb, act) => void meanwhile.set(verb, act),
  };
  return { watch, storage: watchedNouns(storage, note) };
}

/** What to wait for before the verb is called; undefined where nothing disturbs it. */
type Note = (verb: string) => Promise<void> | undefined;

function watchedNouns(storage: TenantStorage, note: Note): TenantStorage {
  return new Proxy(storage, {
    get(target, noun) {
      const store: unknown = Reflect.get(target, noun);
      return typeof store === 'object' && store !== null ? watchedStore(String(noun), store, note) : store;
    },
  });
}

function watchedStore(noun: string, store: object, note: Note): object {
  return new Proxy(store, {
    get(target, name) {
      const verb: unknown = Reflect.get(target, name);
      if (typeof verb !== 'function') return verb;
      return (...values: readonly unknown[]): unknown => {
        const call = (): unknown => Reflect.apply(verb, target, values);
        return note(`${noun}.${String(name)}`)?.then(call) ?? call();
      };
    },
  });
}
