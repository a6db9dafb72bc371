import { StorageUnavailable } from '../../ports/storage.ts';
import { Connection } from './connection.ts';
import { unavailable } from './database-error.ts';
import type { DatabaseUrl } from './database-url.ts';
import type { Promotions } from './promotions.ts';

export interface PoolOptions {
  readonly connections_max: number;
  /** For connecting, and for each round trip. */
  readonly deadline_ms: number;
  /** Whether a standby will not do. */
  readonly writable: boolean;
  /** Where a former primary will not do either; shared by the pools of a process. */
  readonly promotions?: Promotions | undefined;
}

interface Waiting {
  readonly until: number;
  /** Whether it still waits: a connection that comes too late is somebody else's. */
  readonly take: (connection: Connection) => boolean;
  readonly refuse: (reason: Error) => void;
}

/** A bounded number of connections to the server that is the primary now. Each is lent to one user at a time. */
export class Pool {
  readonly #url: DatabaseUrl;
  readonly #options: PoolOptions;
  readonly #idle: Connection[] = [];
  #waiting: Waiting[] = [];
  #open = 0;
  #closed = false;
  /** The host that was the primary last. */
  #preferred = 0;

  constructor(url: DatabaseUrl, options: PoolOptions) {
    this.#url = url;
    this.#options = options;
  }

  /**
   * Lends a connection to `use`. Rejects with `StorageUnavailable` where none is to be had and has answered for the first
   * time by `until` (`performance.now`): waiting, connecting and asking have one deadline together.
   */
  async with<T>(use: (connection: Connection) => Promise<T>, until = this.deadline()): Promise<T> {
    const connection = await this.#acquire(until);
    try {
      connection.answerBy(until);
      return await use(connection);
    } finally {
      this.#release(connection);
    }
  }

  /** For what begins now. */
  deadline(): number {
    return performance.now() + this.#options.deadline_ms;
  }

  /** Closes what is idle; whoever still has a connection brings it back first. */
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

  /** Whoever waits must not wait for a connection that is gone. */
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

  /** Tries the host that was the primary last, then the others. */
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

  /** A host that hangs must not use up the time in which another one could have answered: they are asked side by side. */
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
