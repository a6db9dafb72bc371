import { createServer } from 'node:net';

/**
 * Ports for servers that start a moment later. They are below the ephemeral ports (from 32768 on Linux), so that an outgoing
 * connection cannot take one meanwhile. Concurrent processes, whose ids are close, search separate ranges.
 */
const PORTS = { first: 10_000, count: 22_000, forEachProcess: 100 };
let looked = 0;

/** A port that was free a moment ago, and another one each time. */
export async function freePort(): Promise<number> {
  const place = process.pid * PORTS.forEachProcess + looked;
  looked += 1;
  const port = PORTS.first + (place % PORTS.count);
  return (await isFree(port)) ? port : await freePort();
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  server.once('error', () => resolve(false));
  server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  return await promise;
}
