import type { Socket } from 'node:net';
import type { FetchOutcome, FetchQueue } from '../ports/metrics.ts';
import type { FetchCause, FetchPurpose } from '../ports/outbound-http.ts';
import { networkOf } from '../spec/ip-address.ts';
import { type ConnectionNeeds, openConnection } from './connection.ts';
import { FetchFailure } from './fetch-failure.ts';
import { deadline, type Slot, Slots } from './slots.ts';

/** A full queue holds this many fetches for each slot. */
const WAITING_PER_SLOT = 4;
const WAITING_MIN = 64;

/** A fetch keeps its slot for this time when others wait: an honest key host answers in less. */
const GRACE_MS = 500;

export interface VisitLimits {
  /** Limit for a whole fetch, including the wait for a slot. */
  readonly timeoutMs: number;
  readonly fetches: number;
  readonly fetchesPerHost: number;
  /** For an IPv4 address, or the /64 of an IPv6 address. */
  readonly fetchesPerAddress: number;
}

export interface VisitNeeds {
  readonly connection: Omit<ConnectionNeeds, 'reach'>;
  /** Counts the end of a fetch, and of one that never began. */
  readonly count: (purpose: FetchPurpose, outcome: FetchOutcome) => void;
}

/** A fetch and what causes it. */
export interface Visited {
  readonly url: URL;
  readonly cause: FetchCause;
  readonly tenant: string;
}

/** Opens permitted connections within the limits of a process. */
export class Visits {
  readonly #limits: VisitLimits;
  readonly #needs: VisitNeeds;
  readonly #slots: Slots;

  constructor(limits: VisitLimits, needs: VisitNeeds) {
    this.#limits = limits;
    this.#needs = needs;
    this.#slots = new Slots({
      total: limits.fetches,
      perHost: limits.fetchesPerHost,
      perAddress: limits.fetchesPerAddress,
      waitingMax: Math.max(WAITING_MIN, limits.fetches * WAITING_PER_SLOT),
      // Waiting may take half of the time limit, so that a fetch has time left after it gets a slot.
      waitMs: limits.timeoutMs / 2,
      graceMs: GRACE_MS,
    });
  }

  /** Returns how many fetches of a purpose run and how many wait. */
  lengths(purpose: FetchPurpose): FetchQueue {
    return this.#slots.lengths(purpose);
  }

  /**
   * Waits for a slot, opens a permitted connection and runs `act` over it.
   * @throws FetchFailure
   */
  async visit<T>(visited: Visited, act: (socket: Socket, signal: AbortSignal) => Promise<T>): Promise<T> {
    const { purpose } = visited.cause;
    try {
      const result = await this.#visit(visited, act);
      this.#needs.count(purpose, 'ok');
      return result;
    } catch (failure) {
      const isBusy = failure instanceof FetchFailure && ['busy', 'gave-way'].includes(failure.reason);
      this.#needs.count(purpose, isBusy ? 'busy' : 'failed');
      throw failure;
    }
  }

  async #visit<T>(
    { url, cause, tenant }: Visited,
    act: (socket: Socket, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const until = performance.now() + this.#limits.timeoutMs;
    const names = [cause.purpose, tenant, networkNameOf(cause), cause.party ?? url.href];
    const slot = await this.#slots.enter(names, url.hostname);
    if (slot === undefined) throw new FetchFailure('busy', `no slot for ${url.hostname}`);
    using limit = deadline(until - performance.now(), slot.signal);
    const connection = { ...this.#needs.connection, reach: reachOf(slot) };
    try {
      return await act(await openConnection(connection, url, limit.signal), limit.signal);
    } catch (failure) {
      if (!slot.signal.aborted) throw failure;
      throw new FetchFailure('gave-way', `${url.hostname} gave no answer in time`, { cause: failure });
    } finally {
      slot.leave();
    }
  }
}

/** A network of its own counts together what no request causes directly. */
const networkNameOf = ({ remoteAddress }: FetchCause): string =>
  remoteAddress === undefined ? 'none' : networkOf(remoteAddress);

const reachOf =
  (slot: Slot): ConnectionNeeds['reach'] =>
  async (addresses) =>
    await slot.reach(addresses.map(networkOf));
