import { AsyncLocalStorage } from 'node:async_hooks';
import { StorageUnavailable } from '../ports/storage.ts';

/** Runs an act, and everything that it waits for. */
export type Run = <T>(act: () => T) => T;

/** Gives each request one deadline for all its waits for the database together. */
export interface RequestWaits {
  /** Returns how to run a request that begins now. */
  begin(): Run;
  /** Runs what may outlive the deadline of its request, such as a long list. */
  readonly outside: Run;
}

/** Requests that begin within this time share one account. A frame for each request would cost a third of a microsecond. */
const FRAME_MS = 20;
/** A wait of a request that has waited less than this has the deadline of its connection or lock, which is as long as its own. */
const SLACK_MS = 500;
/** Work that a request began, such as the rounds of a tenant that it opened, runs on in its frame. Later it has no account. */
const LIFETIME_MS = 30_000;

/** The waits for the database of the requests that began in one moment. Waits side by side count once. */
class Account {
  readonly #deadline_ms: number;
  readonly #begun = performance.now();
  #active = 0;
  #since = 0;
  #used_ms = 0;
  #shared: { readonly waiting: Promise<unknown>; readonly counted: Promise<unknown> } | undefined;

  constructor(deadline_ms: number) {
    this.#deadline_ms = deadline_ms;
  }

  /** Returns an account with the same deadline, which nothing has used yet. */
  another(): Account {
    return new Account(this.#deadline_ms);
  }

  wait<T>(start: () => Promise<T>, queues: boolean): Promise<T> {
    const now = performance.now();
    if (now - this.#begun > LIFETIME_MS) return start();
    const remaining_ms = this.#deadline_ms - this.#used_ms - (this.#active === 0 ? 0 : now - this.#since);
    if (remaining_ms <= 0) return Promise.reject(tooLong(this.#deadline_ms));
    const isFresh = remaining_ms >= this.#deadline_ms - SLACK_MS;
    // Timers of one duration cost least.
    const waiting =
      isFresh && !queues ? start() : this.#within(start(), isFresh ? this.#deadline_ms : remaining_ms);
    if (this.#active === 0) this.#since = now;
    this.#active += 1;
    waiting.then(this.#end, this.#end);
    return waiting;
  }

  /** Waits for what other requests of this account wait for, too. It counts once for all of them. */
  share<T>(waiting: Promise<T>, queues: boolean): Promise<T> {
    if (this.#shared?.waiting !== waiting)
      this.#shared = { waiting, counted: this.wait(() => waiting, queues) };
    return this.#shared.counted as Promise<T>;
  }

  readonly #end = (): void => {
    this.#active -= 1;
    if (this.#active === 0) this.#used_ms += performance.now() - this.#since;
  };

  async #within<T>(waiting: Promise<T>, remaining_ms: number): Promise<T> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(tooLong(this.#deadline_ms)), remaining_ms);
    try {
      return await Promise.race([waiting, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

const tooLong = (deadline_ms: number): StorageUnavailable =>
  new StorageUnavailable(`the request has waited ${deadline_ms} ms for the database in all`, {
    mayComeBack: true,
  });

const present = new AsyncLocalStorage<Account | undefined>();

/** @param deadline_ms `storage.deadline`. A request may exceed it by half a second. */
export function requestWaits(deadline_ms: number): RequestWaits {
  let begun = -Infinity;
  let frame: Run = (act) => act();
  return {
    begin() {
      const now = performance.now();
      if (now - begun > FRAME_MS) {
        begun = now;
        frame = present.run(new Account(deadline_ms), () => AsyncLocalStorage.snapshot() as Run);
      }
      return frame;
    },
    outside: (act) => present.run(undefined, act),
  };
}

/**
 * Starts a wait for the database, which counts for the present request if there is one. Rejects with `StorageUnavailable` once
 * the request has waited for its deadline in all. A write that was begun may still be done then.
 * @param queues whether the wait may be longer than its own deadline, because it begins behind another one
 */
export function waitOfRequest<T>(start: () => Promise<T>, queues = false): Promise<T> {
  return present.getStore()?.wait(start, queues) ?? start();
}

/** As `waitOfRequest`, for something that has begun and that many requests wait for. */
export function shareWait<T>(waiting: Promise<T>, queues: boolean): Promise<T> {
  return present.getStore()?.share(waiting, queues) ?? waiting;
}

/** Starts a wait that several requests share. It has a deadline of its own, so that none of them pays for it. */
export const sharedWait: Run = (act) => present.run(present.getStore()?.another(), act);
