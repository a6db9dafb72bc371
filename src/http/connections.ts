import type { Socket } from 'node:net';
import type { Response } from './messages.ts';

interface Connection {
  /** The response that was begun last. */
  last: Response | undefined;
  /** The last response, as a check has seen it finished. */
  idleAfter: Response | undefined;
  /** `performance.now()` of that check. */
  idleSince: number;
  /** Whether it ends because its client has sent what is no request. */
  isBroken: boolean;
}

/** The times and the number that bound idle connections. Times are in milliseconds. */
export interface IdleLimits {
  readonly keepAliveTimeout: number;
  readonly headersTimeout: number;
  readonly maxConnections: number;
}

/** The keep-alive time while more than half of the permitted connections are open: idle ones must not keep new ones out. */
const CROWDED_MS = 5_000;

/** The connections that requests can come on, with the last response on each. */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  #openedAt = Number.NEGATIVE_INFINITY;

  /** `performance.now()` when the last connection was accepted, also one whose handshake is not finished. */
  get openedAt(): number {
    return this.#openedAt;
  }

  accepted(): void {
    this.#openedAt = performance.now();
  }

  add(socket: Socket): void {
    this.#open.set(socket, { last: undefined, idleAfter: undefined, idleSince: 0, isBroken: false });
    socket.once('close', () => this.#open.delete(socket));
  }

  /**
   * Notes that a response has begun. Returns false for a request that must be left alone. Every request calls it, so it is cheap.
   */
  began(socket: Socket, response: Response): boolean {
    const connection = this.#open.get(socket);
    if (connection === undefined) return true;
    if (connection.isBroken) return false;
    connection.last = response;
    return true;
  }

  /**
   * Notes that the connection ends after the answers that are due. Node's parser may go on after an error, and what it reads then
   * may be no request of the client: it has lost the bytes that arrive over TLS while it is paused.
   */
  broke(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection !== undefined) connection.isBroken = true;
  }

  /** Returns the last response that was begun on a connection. It tells which request a late error belongs to. */
  lastResponse(socket: Socket): Response | undefined {
    return this.#open.get(socket)?.last;
  }

  /**
   * Ends each connection that has had no request for the keep-alive time since its last answer. A request that begins in the last
   * moment of that time has the time of its headers. Node's keep-alive time-out begins anew with each byte, also with empty lines,
   * which begin no request.
   */
  endIdle({ keepAliveTimeout, headersTimeout, maxConnections }: IdleLimits, now = performance.now()): void {
    const isCrowded = 2 * this.#open.size > maxConnections;
    const kept_ms = isCrowded ? Math.min(keepAliveTimeout, CROWDED_MS) : keepAliveTimeout;
    const idle_ms = kept_ms + headersTimeout;
    for (const [socket, connection] of this.#open) {
      const { last } = connection;
      // Before its first request a connection has the time limit of the headers.
      if (last?.isOver !== true) continue;
      if (connection.idleAfter !== last) {
        connection.idleAfter = last;
        connection.idleSince = now;
      } else if (now - connection.idleSince >= idle_ms) socket.destroy();
    }
  }
}
