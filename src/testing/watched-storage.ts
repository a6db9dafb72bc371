import type { TenantStorage } from '../ports/storage.ts';

/** Shows a test the calls of a storage, and makes them fail. */
export interface Watch {
  /** Watches from now on: earlier calls are neither noted nor disturbed. */
  begin(): void;
  /** The verbs that were called, such as `clients.find`, in their order. */
  readonly calls: string[];
  /** Makes the named verbs fail with `cause` from now on; every verb where none is named. */
  fail(cause: unknown, ...verbs: readonly string[]): void;
  recover(): void;
  /** Acts once, just before the verb's next call, as another process could. */
  before(verb: string, act: () => Promise<void>): void;
}

/** Returns the same storage, watched. */
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
  let watching = false;
  const note: Note = (verb) => {
    if (!watching) return undefined;
    calls.push(verb);
    return failing === undefined && !meanwhile.has(verb) ? undefined : disturbance(verb);
  };
  const watch: Watch = {
    begin() {
      watching = true;
    },
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

/** Returns what to wait for before the verb is called; undefined where nothing disturbs it. */
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
