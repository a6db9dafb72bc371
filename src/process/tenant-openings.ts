import { TenantsBusy } from '../http/tenancy.ts';
import type { Elapsed } from '../system/clock.ts';
import { Budget } from './budget.ts';

export interface OpeningLimits {
  /** Openings that may begin in a second. */
  readonly perSecond: number;
  /** Openings that may begin at once after a rest. */
  readonly burst: number;
  /** Tenants that may wait for their opening. */
  readonly waitingMax: number;
}

/** Time, as the openings take it. */
export interface OpeningTime extends Elapsed {
  /** Calls `act` once after these seconds. Keeps no process running. */
  later(seconds: number, act: () => void): void;
}

/** One tenant that waits for its opening. */
export interface WaitingOpening {
  /** Resolves when the opening may begin, with the function to call at its end. @rejects TenantsBusy */
  readonly begins: Promise<() => void>;
  /** Lets another network wait for the same opening: it may begin in the turn of either. */
  join(network: string): void;
}

/**
 * Lets closed tenants open in turn. Opening one takes the main thread a millisecond, so a stranger who calls thousands of
 * them must not take the turn of the others: each network has a line of its own, and the lines take turns.
 */
export interface TenantOpenings {
  /** Queues one opening for a network. Rejects `begins` at once, or later, if too many wait. */
  enter(network: string): WaitingOpening;
}

/** The line of the server's own work, such as deliveries. It is never refused. */
export const OWN_WORK = '';

const AT_ONCE = 4;
/** One network cannot hold all places, for example with tenants that need keys. */
const AT_ONCE_FOR_ONE_NETWORK = 2;

interface Waiter {
  readonly lines: Set<string>;
  readonly begin: (end: () => void) => void;
  readonly refuse: (failure: TenantsBusy) => void;
}

/** The tenants that wait, in a line for each network. The lines are in the order of their turns. */
interface WaitingLines {
  join(waiter: Waiter, network: string): void;
  leave(waiter: Waiter, network: string): void;
  leaveAll(waiter: Waiter): void;
  /** Moves the line of a network to the end of the turns. */
  endTurn(network: string): void;
  /** Returns the first waiter of the first line that may have its turn. */
  next(
    mayRun: (network: string) => boolean,
  ): { readonly network: string; readonly waiter: Waiter } | undefined;
  /** Returns the longest line; among equals the newcomer's, so that who waits already keeps the place. */
  longest(newcomer: string): string;
  last(network: string): Waiter | undefined;
}

function waitingLines(): WaitingLines {
  /** A line without waiters has no entry. */
  const lines = new Map<string, Set<Waiter>>();
  const lengthOf = (network: string): number => lines.get(network)?.size ?? 0;
  const leave = (waiter: Waiter, network: string): void => {
    const line = lines.get(network);
    line?.delete(waiter);
    if (line?.size === 0) lines.delete(network);
    waiter.lines.delete(network);
  };
  return {
    leave,
    join(waiter, network) {
      const line = lines.get(network) ?? new Set();
      lines.set(network, line.add(waiter));
      waiter.lines.add(network);
    },
    leaveAll(waiter) {
      for (const network of waiter.lines) leave(waiter, network);
    },
    endTurn(network) {
      const line = lines.get(network);
      if (line !== undefined && lines.delete(network)) lines.set(network, line);
    },
    next(mayRun) {
      const network = lines.keys().find(mayRun);
      const [waiter] = (network === undefined ? undefined : lines.get(network)) ?? [];
      return network === undefined || waiter === undefined ? undefined : { network, waiter };
    },
    longest: (newcomer) =>
      [...lines.keys()]
        .filter((network) => network !== OWN_WORK)
        .reduce((longest, network) => (lengthOf(network) > lengthOf(longest) ? network : longest), newcomer),
    last: (network) => [...(lines.get(network) ?? [])].at(-1),
  };
}

/** The openings under way. */
interface RunningOpenings {
  areFull(): boolean;
  /** Tells whether a network may begin another opening. */
  readonly mayRun: (network: string) => boolean;
  begin(network: string): void;
  end(network: string): void;
}

function runningOpenings(): RunningOpenings {
  const running = new Map<string, number>();
  let runningInAll = 0;
  return {
    areFull: () => runningInAll >= AT_ONCE,
    mayRun: (network) => (running.get(network) ?? 0) < AT_ONCE_FOR_ONE_NETWORK,
    begin(network) {
      running.set(network, (running.get(network) ?? 0) + 1);
      runningInAll += 1;
    },
    end(network) {
      const left = (running.get(network) ?? 1) - 1;
      if (left === 0) running.delete(network);
      else running.set(network, left);
      runningInAll -= 1;
    },
  };
}

export function tenantOpenings(limits: OpeningLimits, time: OpeningTime): TenantOpenings {
  const budget = new Budget(limits, time);
  const lines = waitingLines();
  const running = runningOpenings();
  let waiting = 0;
  let isWaitingForBudget = false;

  const begin = (network: string, waiter: Waiter): void => {
    lines.leaveAll(waiter);
    waiting -= 1;
    lines.endTurn(network);
    running.begin(network);
    budget.spend(1);
    waiter.begin(() => {
      running.end(network);
      beginNext();
    });
  };
  const beginNext = (): void => {
    while (!running.areFull()) {
      const next = lines.next(running.mayRun);
      if (next === undefined) return;
      const seconds = budget.wait(1);
      if (seconds > 0) return beginLater(seconds);
      begin(next.network, next.waiter);
    }
  };
  const beginLater = (seconds: number): void => {
    if (isWaitingForBudget) return;
    isWaitingForBudget = true;
    time.later(seconds, () => {
      isWaitingForBudget = false;
      beginNext();
    });
  };

  const busy = (): TenantsBusy => new TenantsBusy(Math.ceil(waiting / limits.perSecond + budget.wait(1)));
  /** Refuses the last in the longest line. One that waits in another line too only leaves this one. */
  const refuseSome = (newcomer: string): void => {
    while (waiting > limits.waitingMax) {
      const network = lines.longest(newcomer);
      const last = lines.last(network);
      if (network === OWN_WORK || last === undefined) return;
      lines.leave(last, network);
      if (last.lines.size > 0) continue;
      waiting -= 1;
      last.refuse(busy());
    }
  };

  return {
    enter(network) {
      const { promise: begins, resolve, reject } = Promise.withResolvers<() => void>();
      let isWaiting = true;
      const waiter: Waiter = {
        lines: new Set(),
        begin(end) {
          isWaiting = false;
          resolve(end);
        },
        refuse(failure) {
          isWaiting = false;
          reject(failure);
        },
      };
      waiting += 1;
      lines.join(waiter, network);
      beginNext();
      refuseSome(network);
      return { begins, join: (other) => void (isWaiting && lines.join(waiter, other)) };
    },
  };
}
