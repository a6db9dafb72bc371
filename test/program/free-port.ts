import { createServer } from 'node:net';

/** Names the lane of `npm test` in which a file runs. Files that run at once have different lanes. */
export const LANE_VARIABLE = 'CHANCERY_TEST_LANE';

/**
 * Ports for servers that start a moment later. They are below the ephemeral ports (from 32768 on Linux), so that an outgoing
 * connection cannot take one meanwhile. They are above 10080, the last port that `fetch` and browsers refuse (port
 * blocking in the Fetch Standard). Each lane has a range of its own. Without lanes, all processes share one range. Each begins at
 * a place that its process id decides, because the ids of concurrent processes are close together.
 */
const PORTS = { first: 10_100, count: 22_000, lanes: 8, forEachProcess: 100 };
const lane = process.env[LANE_VARIABLE];
const range = lane === undefined ? PORTS : { ...PORTS, ...rangeOfLane(Number(lane)) };
let looked = 0;

function rangeOfLane(number: number): { readonly first: number; readonly count: number } {
  const count = PORTS.count / PORTS.lanes;
  return { first: PORTS.first + (number % PORTS.lanes) * count, count };
}

/** A port that was free a moment ago, and another one each time. */
export async function freePort(): Promise<number> {
  const place = process.pid * PORTS.forEachProcess + looked;
  looked += 1;
  const port = range.first + (place % range.count);
  return (await isFree(port)) ? port : await freePort();
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  server.once('error', () => resolve(false));
  server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  return await promise;
}
