import { createServer } from 'node:net';

/**
 * Ports for servers that are started a moment later. They are below those that systems give to whoever asks for any port
 * (from 32768 on Linux): a connection that somebody opens meanwhile cannot take one. Processes that run side by side, whose
 * ids are near each other, look in places of their own.
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
