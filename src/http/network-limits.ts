import type { Socket } from 'node:net';
import type { Log } from '../ports/log.ts';
import type { ConnectionRefusal } from '../ports/metrics.ts';
import { networkOf } from '../spec/ip-address.ts';
import type { EdgeReason } from '../spec/refusal-reasons.ts';

export interface NetworkLimitNeeds {
  /** The maximum number of open connections of one network; 0 = no limit. */
  readonly connections: number;
  /** The maximum number of TLS handshakes of one network that are not finished; 0 = no limit. */
  readonly handshakes: number;
  /** The maximum number of all TLS handshakes that are not finished. */
  readonly allHandshakes: number;
  /** Whether no limit per network applies to this peer, because it forwards the requests of many. */
  readonly isExempt: (address: string) => boolean;
  readonly refused: (reason: ConnectionRefusal, network?: string) => void;
}

interface Handshake {
  readonly socket: Socket;
  readonly network: string | undefined;
}

/** Limits the connections of each network, and the TLS handshakes that are not finished. */
export class NetworkLimits {
  readonly #needs: NetworkLimitNeeds;
  readonly #connections = new Map<string, number>();
  /** By both ends of the connection, oldest first: the socket of the handshake and that of its requests are two objects. */
  readonly #handshakes = new Map<string, Handshake>();
  readonly #handshakesOf = new Map<string, Set<string>>();

  constructor(needs: NetworkLimitNeeds) {
    this.#needs = needs;
  }

  /** Counts a new connection, or ends it and returns false if its network has too many. */
  admits(socket: Socket): boolean {
    const { connections: max, refused } = this.#needs;
    const network = max === 0 ? undefined : this.#networkOf(socket);
    if (network === undefined) return true;
    const count = this.#connections.get(network) ?? 0;
    if (count >= max) {
      socket.destroy();
      refused('network', network);
      return false;
    }
    this.#connections.set(network, count + 1);
    socket.once('close', () => {
      const left = (this.#connections.get(network) ?? 1) - 1;
      if (left === 0) this.#connections.delete(network);
      else this.#connections.set(network, left);
    });
    return true;
  }

  /**
   * Counts a handshake that begins. Beyond a limit it ends the oldest one that is not finished: an honest handshake takes
   * a round trip or two, a silent one stays.
   */
  beginHandshake(socket: Socket): void {
    const { handshakes: max, allHandshakes, refused } = this.#needs;
    const key = endsOf(socket);
    const network = this.#networkOf(socket);
    this.#handshakes.set(key, { socket, network });
    socket.once('close', () => this.#forget(key));
    if (network !== undefined) {
      const own = this.#handshakesOf.get(network) ?? new Set();
      this.#handshakesOf.set(network, own.add(key));
      if (max > 0 && own.size > max) this.#end(first(own), (ended) => refused('handshakes', ended));
    }
    if (this.#handshakes.size > allHandshakes) {
      this.#end(first(this.#handshakes.keys()), (ended) => refused('all-handshakes', ended));
    }
  }

  /** @param socket the one of the requests, which has the same ends as that of the handshake */
  finishHandshake(socket: Socket): void {
    this.#forget(endsOf(socket));
  }

  /** Ends all handshakes that are not finished. */
  endHandshakes(): void {
    for (const { socket } of this.#handshakes.values()) socket.destroy();
  }

  #end(key: string | undefined, ended: (network: string) => void): void {
    const handshake = key === undefined ? undefined : this.#handshakes.get(key);
    if (key === undefined || handshake === undefined) return;
    this.#forget(key);
    handshake.socket.destroy();
    ended(handshake.network ?? 'a trusted proxy');
  }

  #forget(key: string): void {
    const network = this.#handshakes.get(key)?.network;
    this.#handshakes.delete(key);
    if (network === undefined) return;
    const own = this.#handshakesOf.get(network);
    own?.delete(key);
    if (own?.size === 0) this.#handshakesOf.delete(network);
  }

  /** Returns undefined for a peer without limits, and for one that has gone already. */
  #networkOf({ remoteAddress }: Socket): string | undefined {
    return remoteAddress === undefined || this.#needs.isExempt(remoteAddress)
      ? undefined
      : networkOf(remoteAddress);
  }
}

function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}

function first<Item>(items: Iterable<Item>): Item | undefined {
  for (const item of items) return item;
  return undefined;
}

const LOG_INTERVAL_MS = 60_000;

const WORDS: Readonly<Record<ConnectionRefusal, string>> = {
  'max-connections': 'connections were refused (listen.max-connections)',
  network: 'connections of one network were refused (listen.connections-per-network)',
  handshakes: 'TLS handshakes of one network were ended unfinished (listen.tls-handshakes-per-network)',
  'all-handshakes': 'TLS handshakes were ended unfinished: they took half of listen.max-connections',
};

/** Returns a function that logs refusals, at most once a minute for each reason, with their number since the last line. */
export function refusalLog(log: Log): (reason: ConnectionRefusal, network?: string) => void {
  const last = new Map<ConnectionRefusal, number>();
  const counts = new Map<ConnectionRefusal, number>();
  return (reason, network) => {
    const count = (counts.get(reason) ?? 0) + 1;
    const now = performance.now();
    if (now - (last.get(reason) ?? Number.NEGATIVE_INFINITY) < LOG_INTERVAL_MS) {
      counts.set(reason, count);
      return;
    }
    counts.set(reason, 0);
    last.set(reason, now);
    const told: EdgeReason = 'too-many-connections';
    log.warn({ count, reason: told, ...(network === undefined ? {} : { network }) }, WORDS[reason]);
  };
}
