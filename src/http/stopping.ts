import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Connections } from './connections.ts';

/** The listener closes once no connection has come for this time, so that the kernel's queue is empty. */
const QUIET_MS = 50;
/** For this time at the longest requests are held back. */
const HOLD_MS = 500;
const LOOK_EVERY_MS = 5;
/** For this time a connection may bring another request: its client has not been told that the connection ends. */
const GRACE_MS = 100;

export interface StoppingHost {
  readonly server: Server;
  /** Closes the other sockets that accept for the server. */
  readonly closeHelpers: () => void;
  readonly connections: Connections;
  /** `performance.now()` since when each answer ends its connection. */
  readonly lastAnswersSince: number;
  /** Holds back requests that arrive from now on. Returns a function that serves them, and holds back no more. */
  readonly hold: () => () => void;
  /** Whether other processes listen at the same port. They stop at the same time. */
  readonly shared: boolean;
}

/**
 * Closes the listening socket, then every connection after its last answer. Resolves when the last connection has ended.
 *
 * The kernel resets connections that wait in the queue of a socket that closes, also if their requests have been sent.
 * Clients come back at once while they get answers. So the host holds requests back, accepts what the queue holds, and
 * closes when no more connections come. Then it serves what it held back.
 */
export async function stopListening(host: StoppingHost): Promise<void> {
  const { server, connections, hold } = host;
  const closed = new Promise<void>((resolve) => server.once('close', () => resolve()));
  const serveHeld = hold();
  await untilQuiet(connections);
  // Node's HTTP server would also end connections that are idle for a moment only.
  NetServer.prototype.close.call(server);
  host.closeHelpers();
  // With their answers the clients come back, and the kernel would give them to a listener that is about to close.
  if (host.shared) await sleep(QUIET_MS);
  serveHeld();
  const graceEnds = Math.max(host.lastAnswersSince, connections.openedAt) + GRACE_MS;
  const waiting = new AbortController();
  const grace = sleep(graceEnds - performance.now(), undefined, { signal: waiting.signal });
  await Promise.race([closed, grace]);
  waiting.abort();
  await grace.catch(() => undefined);
  // Ends connections that are idle or were never used, and the checks of time limits: the deadline replaces these.
  server.close();
  // A stream that began before ends later, on a connection whose client was not told that it ends.
  const ending = setInterval(() => server.closeIdleConnections(), GRACE_MS);
  await closed;
  clearInterval(ending);
}

async function untilQuiet(connections: Connections): Promise<void> {
  const began = performance.now();
  for (;;) {
    const { openedAt } = connections;
    // Two turns: one whole look at the listening socket lies between them.
    await nextTurn();
    await nextTurn();
    const now = performance.now();
    const turnIsQuiet = connections.openedAt === openedAt;
    if (turnIsQuiet && now - openedAt >= QUIET_MS) return;
    const held_ms = now - began;
    if (held_ms >= 2 * HOLD_MS || (held_ms >= HOLD_MS && turnIsQuiet)) return;
    await sleep(LOOK_EVERY_MS);
  }
}
