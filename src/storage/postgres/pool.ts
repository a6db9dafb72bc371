import { type PoolFigures, StorageUnavailable } from '../../ports/storage.ts';
import { Connection, type Promotions } from './connection.ts';
import { unavailable } from './database-error.ts';
import type { DatabaseUrl } from './database-url.ts';

export interface PoolOptions {
  readonly connections_max: number;
  /** For connecting, and for each round trip. */
  readonly deadline_ms: number;
  /** Whether only the primary is acceptable. */
  readonly writable: boolean;
  /** Given to reject a former primary. The pools of a process share it. */
  readonly promotions?: Promotions | undefined;
  /** Learns for how many seconds each user had a connection. */
  readonly used?: ((seconds: number) => void) | undefined;
}

interface Waiting {
  readonly until: number;
  /** Takes the connection; returns false if the deadline has passed, and the next in the queue gets it. */
  readonly take: (connection: Connection) => boolean;
  readonly refuse: (reason: Error) => void;
}

/** Holds a bounded number of connections to the current primary and lends each to one user at a time. */
export class Pool {
  readonly #url: DatabaseUrl;
  readonly #options: PoolOptions;
  readonly #idle: Connection[] = [];
  #waiting: Waiting[] = [];
  #open = 0;
  #closed = false;
  /** The index of the host that was the primary last. */
  #preferred = 0;

  constructor(url: DatabaseUrl, options: PoolOptions) {
    this.#url = url;
    this.#options = options;
  }

  /**
   * Lends a connection to `use`. Waiting, connecting and the first answer share the deadline `until` (`performance.now`);
   * after it `with` rejects with `StorageUnavailable`.
   */
  async with<T>(use: (connection: Connection) => Promise<T>, until = this.deadline()): Promise<T> {
    const connection = await this.#acquire(until);
    const begun = performance.now();
    try {
      connection.answerBy(until);
      return await use(connection);
    } finally {
      this.#options.used?.((performance.now() - begun) / 1000);
      this.#release(connection);
    }
  }

  /** Returns the connections, and the callers that wait for one. */
  figures(): Pick<PoolFigures, 'open' | 'idle' | 'waiting'> {
    return { open: this.#open, idle: this.#idle.length, waiting: this.#waiting.length };
  }

  /** Returns the deadline of a request that begins now. */
  deadline(): number {
    return performance.now() + this.#options.deadline_ms;
  }

  /** Closes the idle connections now, and each lent connection when its user returns it. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { refuse } of this.#waiting) refuse(closed());
    this.#waiting = [];
    await Promise.all(this.#idle.splice(0).map((connection) => connection.close()));
  }

  async #acquire(until: number): Promise<Connection> {
    if (this.#closed) throw closed();
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (isUsable(idle)) return idle;
      this.#open -= 1;
      void idle.close().catch(() => undefined);
    }
    if (this.#open >= this.#options.connections_max) return await this.#wait(until);
    this.#open += 1;
    try {
      return await this.#connect(until);
    } catch (error) {
      this.#open -= 1;
      this.#refuseOne(unavailable(error));
      throw error;
    }
  }

  #wait(until: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      let waits = true;
      const timer = setTimeout(
        () => {
          waits = false;
          this.#waiting = this.#waiting.filter((each) => each !== waiting);
          reject(new StorageUnavailable('all connections to the database are in use'));
        },
        Math.max(1, until - performance.now()),
      );
      const waiting: Waiting = {
        until,
        take(connection) {
          clearTimeout(timer);
          if (waits) resolve(connection);
          return waits;
        },
        refuse(reason) {
          clearTimeout(timer);
          reject(reason);
        },
      };
      this.#waiting.push(waiting);
    });
  }

  #release(connection: Connection): void {
    if (!isUsable(connection) || this.#closed) {
      this.#open -= 1;
      void connection.close().catch(() => undefined);
      void this.#replaceForWaiting();
      return;
    }
    this.#passOn(connection);
  }

  #passOn(connection: Connection): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.push(connection);
    else if (!next.take(connection)) this.#passOn(connection);
  }

  /** Opens a connection for the first in the queue, because the one it waits for is lost. */
  async #replaceForWaiting(): Promise<void> {
    const next = this.#waiting.shift();
    if (next === undefined) return;
    try {
      const connection = await this.#acquire(next.until);
      if (!next.take(connection)) this.#release(connection);
    } catch (error) {
      next.refuse(error as Error);
    }
  }

  #refuseOne(reason: Error): void {
    this.#waiting.shift()?.refuse(reason);
  }

  /** Connects to all hosts side by side. The host that was the primary last comes first. */
  async #connect(until: number): Promise<Connection> {
    const { hosts } = this.#url;
    const { deadline_ms, writable, promotions } = this.#options;
    const attempts = hosts.map(async (_host, distance) => {
      const index = (this.#preferred + distance) % hosts.length;
      const host = hosts[index];
      if (host === undefined) throw new Error('no host');
      const connection = await Connection.open(this.#url, host, {
        deadline_ms,
        writable,
        until,
        promotions,
      });
      return { connection, index };
    });
    const [first, ...others] = attempts;
    if (first === undefined) throw new StorageUnavailable('storage.url names no host');
    return await this.#firstOf([first, ...others]);
  }

  /** Returns the first connection that opens, so that a hanging host does not use up the time of the others. */
  async #firstOf(
    attempts: readonly Promise<{ readonly connection: Connection; readonly index: number }>[],
  ): Promise<Connection> {
    try {
      const { connection, index } = await Promise.any(attempts);
      this.#preferred = index;
      const closeOthers = attempts.map(async (attempt) => {
        const other = (await attempt).connection;
        if (other !== connection) await other.close();
      });
      void Promise.allSettled(closeOthers);
      return connection;
    } catch (error) {
      const reasons = (error instanceof AggregateError ? (error.errors as unknown[]) : [error]).map(
        unavailable,
      );
      throw new StorageUnavailable(reasons.map(({ message }) => message).join('; '), {
        cause: error,
        mayComeBack: reasons.every(({ mayComeBack }) => mayComeBack),
      });
    }
  }
}

const isUsable = ({ broken, outdated }: Connection): boolean => !broken && !outdated;

const closed = (): StorageUnavailable => new StorageUnavailable('the storage is closed');
