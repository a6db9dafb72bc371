import { type Branch, branchOf, compareShares, Shares } from './shares.ts';

export interface SlotLimits {
  readonly total: number;
  readonly perHost: number;
  readonly perAddress: number;
  /** How many fetches may wait for a slot. */
  readonly waitingMax: number;
  /** How long a fetch waits at most, in milliseconds. */
  readonly waitMs: number;
  /** How long a fetch keeps its slot, in milliseconds, when a party with fewer fetches waits for one. */
  readonly graceMs: number;
}

/** The slot of a fetch that runs. */
export interface Slot {
  /** Aborts when the fetch must give way to a party with fewer fetches. */
  readonly signal: AbortSignal;
  /** Counts the fetch for these addresses too. Returns false if they have no room in time. */
  reach(addresses: readonly string[]): Promise<boolean>;
  /** Gives the slot back. */
  leave(): void;
}

/** A limit of fetches at a time: of the process, of a host, of an address. */
interface Gate {
  readonly name: string;
  readonly max: number;
}

interface Fetch {
  readonly branch: Branch;
  /** The time at which it got its slot, in milliseconds. */
  since: number | undefined;
  readonly gates: Set<string>;
  readonly gaveWay: AbortController;
  /** Set while it waits. */
  waiting: Waiting | undefined;
}

interface Waiting {
  readonly fetch: Fetch;
  readonly gates: readonly Gate[];
  readonly end: (entered: boolean) => void;
}

/**
 * Shares a bounded number of fetches (decision 50). A free slot goes to the waiting fetch whose purpose, tenant, network and
 * party hold the fewest slots, compared in this order. If no slot is free, the longest fetch of the party that holds the
 * most gives way, once it has run for `graceMs`. A full queue refuses a fetch of the party that has the most fetches.
 */
export class Slots {
  readonly #limits: SlotLimits;
  /** The fetches at each gate, the longest first. */
  readonly #at = new Map<string, Set<Fetch>>();
  /** In the order of their arrival. */
  readonly #waiting = new Set<Waiting>();
  readonly #running = new Shares();
  /** Counts the fetches that run and those that wait. */
  readonly #present = new Shares();
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /**
   * Takes a slot. Returns undefined if there is none in time.
   * @param names the purpose, the tenant, the network of the requester and the party
   */
  async enter(names: readonly string[], host: string): Promise<Slot | undefined> {
    const { total, perHost, perAddress } = this.#limits;
    const fetch: Fetch = {
      branch: branchOf(names),
      since: undefined,
      gates: new Set(),
      gaveWay: new AbortController(),
      waiting: undefined,
    };
    this.#present.add(fetch.branch);
    const gates = [
      { name: 'total', max: total },
      { name: `host ${host}`, max: perHost },
    ];
    if (!(await this.#pass(fetch, gates))) {
      this.#present.remove(fetch.branch);
      return undefined;
    }
    return {
      signal: fetch.gaveWay.signal,
      reach: async (addresses) =>
        await this.#pass(
          fetch,
          [...new Set(addresses)].map((address) => ({ name: `address ${address}`, max: perAddress })),
        ),
      leave: () => this.#leave(fetch),
    };
  }

  /** Returns how many fetches with this first name run, and how many wait. */
  lengths(name: string): { readonly running: number; readonly waiting: number } {
    const [running = 0] = this.#running.of([name]);
    const [present = 0] = this.#present.of([name]);
    return { running, waiting: present - running };
  }

  /** Passes all these gates at once, or none of them. */
  async #pass(fetch: Fetch, gates: readonly Gate[]): Promise<boolean> {
    if (fetch.gaveWay.signal.aborted) return false;
    if (this.#haveRoom(gates)) {
      this.#hold(fetch, gates);
      return true;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => waiting.end(false), this.#limits.waitMs);
    const waiting: Waiting = {
      fetch,
      gates,
      end: (entered) => {
        clearTimeout(timer);
        this.#waiting.delete(waiting);
        fetch.waiting = undefined;
        resolve(entered);
      },
    };
    fetch.waiting = waiting;
    this.#waiting.add(waiting);
    this.#boundQueue();
    this.#share();
    return await promise;
  }

  #leave(fetch: Fetch): void {
    for (const name of fetch.gates) {
      const at = this.#at.get(name);
      at?.delete(fetch);
      if (at?.size === 0) this.#at.delete(name);
    }
    this.#running.remove(fetch.branch);
    this.#present.remove(fetch.branch);
    this.#share();
  }

  #haveRoom(gates: readonly Gate[]): boolean {
    return gates.every(({ name, max }) => (this.#at.get(name)?.size ?? 0) < max);
  }

  #hold(fetch: Fetch, gates: readonly Gate[]): void {
    if (fetch.since === undefined) {
      fetch.since = performance.now();
      this.#running.add(fetch.branch);
    }
    for (const { name } of gates) {
      fetch.gates.add(name);
      const at = this.#at.get(name) ?? new Set();
      this.#at.set(name, at.add(fetch));
    }
  }

  /** Refuses one waiting fetch if too many wait: the newest of the party that has the most fetches. */
  #boundQueue(): void {
    if (this.#waiting.size <= this.#limits.waitingMax) return;
    let most: { readonly waiting: Waiting; readonly counts: readonly number[] } | undefined;
    for (const waiting of this.#waiting) {
      const counts = this.#present.of(waiting.fetch.branch);
      if (most === undefined || compareShares(counts, most.counts) >= 0) most = { waiting, counts };
    }
    most?.waiting.end(false);
  }

  /** Gives free slots to those who wait, and makes fetches give way where none is free. */
  #share(): void {
    clearTimeout(this.#timer);
    while (this.#waiting.size > 0) {
      const next = this.#neediestFirst().find(({ gates }) => this.#haveRoom(gates));
      if (next === undefined) break;
      // Held here, because the waiting function runs later.
      this.#hold(next.fetch, next.gates);
      next.end(true);
    }
    if (this.#waiting.size > 0) this.#makeRoom();
  }

  #neediestFirst(): readonly Waiting[] {
    return [...this.#waiting]
      .map((waiting) => ({ waiting, counts: this.#running.of(waiting.fetch.branch) }))
      .toSorted((one, other) => compareShares(one.counts, other.counts))
      .map(({ waiting }) => waiting);
  }

  #makeRoom(): void {
    /** How many places of a full gate become free without more fetches giving way. */
    const promised = new Map<string, number>();
    const stuck = new Set<string>();
    for (const waiting of this.#neediestFirst()) {
      for (const { name, max } of waiting.gates) {
        const at = this.#at.get(name);
        if (at === undefined || at.size < max || stuck.has(name)) continue;
        const free = promised.get(name) ?? [...at].filter(hasGivenWay).length;
        if (free === 0) {
          const victim = this.#victimAt(at, waiting.fetch.branch);
          if (victim === undefined) stuck.add(name);
          else giveWay(victim);
        }
        promised.set(name, Math.max(0, free - 1));
      }
    }
    this.#lookAgain();
  }

  /** Returns the longest fetch of the party that holds the most among those that hold more than `branch`. */
  #victimAt(at: ReadonlySet<Fetch>, branch: Branch): Fetch | undefined {
    const until = performance.now() - this.#limits.graceMs;
    let most: { readonly fetch: Fetch; readonly counts: readonly number[] } | undefined;
    for (const fetch of at) {
      if (hasGivenWay(fetch) || (fetch.since ?? until) > until) continue;
      if (!this.#running.holdsMore(fetch.branch, branch)) continue;
      const counts = this.#running.of(fetch.branch);
      if (most === undefined || compareShares(counts, most.counts) > 0) most = { fetch, counts };
    }
    return most?.fetch;
  }

  /** Shares again when the next fetch has run for its grace. */
  #lookAgain(): void {
    const { graceMs } = this.#limits;
    const now = performance.now();
    let next = Infinity;
    for (const { since = now } of this.#at.get('total') ?? [])
      if (since + graceMs > now) next = Math.min(next, since + graceMs);
    if (next < Infinity) this.#timer = setTimeout(() => this.#share(), Math.ceil(next - now));
  }
}

const hasGivenWay = ({ gaveWay }: Fetch): boolean => gaveWay.signal.aborted;

function giveWay(fetch: Fetch): void {
  fetch.gaveWay.abort();
  fetch.waiting?.end(false);
}

/** A signal with a time limit. Disposing of it stops the timer. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Aborts its signal after `ms` milliseconds, or when `within` aborts. Unlike `AbortSignal.timeout`, its timer keeps the
 * process alive and is not garbage-collected.
 */
export function deadline(ms: number, within?: AbortSignal): Deadline {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  // A fetch that waited for a slot may have no time left.
  const timer = setTimeout(abort, Math.max(0, ms));
  if (within?.aborted === true) abort();
  within?.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer);
      within?.removeEventListener('abort', abort);
    },
  };
}
