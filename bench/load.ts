/**
 * The load generator, a separate process: keep-alive connections with one outstanding request each. It makes the requests
 * beforehand, and reads only the status and the length of an answer. With a client as expensive as the server, all servers
 * would look alike.
 */
import { connect, type Socket } from 'node:net';
import { percentile } from './latencies.ts';
import { openAnswers, requestBytes } from './load-connection.ts';

export interface LoadRequest {
  /** Request line and header lines, each with its line end; without Content-Length. */
  readonly head: string;
  /** `''` for a request without a body. */
  readonly body: string;
}

export interface LoadOrder {
  readonly port: number;
  /** The port of a second process with the same answers: every other connection goes there. */
  readonly secondPort?: number;
  /** The beginning of every request. */
  readonly head?: string;
  /** The generator sends them in turn, again and again. */
  readonly requests: readonly LoadRequest[];
  /** Each request is good for one answer. A load that runs out of requests ends the run. */
  readonly once?: boolean;
  /** How many connections are open at once; 64 by default. */
  readonly connections?: number;
}

export interface LoadRun {
  /** The index of an earlier order. */
  readonly order: number;
  readonly milliseconds: number;
  /** The index of an order whose first request is sent once, beside the load. Its answer is cut off at the end. */
  readonly beside?: number;
}

export interface LoadResult {
  /** Answers with status 200 or 201. */
  readonly answered: number;
  readonly refused: number;
  readonly seconds: number;
  /** The shortest body among the answers: an error or an inactive token is shorter than the right answer. */
  readonly bodyBytesMin: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  /** The share of the time in which the generator had work. Near 1 the generator is the limit, and the figure does not describe the server. */
  readonly busyShare: number;
}

const CONNECTIONS = 64;
/** The beginning of each run, which is not counted. */
const LEAD_MS = 300;
const RECEIVE_BYTES = 65_536;
const BUCKET_MS = 0.01;
const BUCKETS = 100_000;

interface Prepared {
  readonly ports: readonly number[];
  readonly requests: readonly Buffer[];
  readonly once: boolean;
  readonly connections: number;
  next: number;
}

const orders: Prepared[] = [];

function prepare(order: LoadOrder): void {
  const { port, secondPort = port, once = false, connections = CONNECTIONS } = order;
  orders.push({ ports: [port, secondPort], requests: requestBytes(order), once, connections, next: 0 });
}

interface Counts {
  answered: number;
  refused: number;
  bodyBytesMin: number;
  readonly latencies: Uint32Array;
}

const freshCounts = (): Counts => ({
  answered: 0,
  refused: 0,
  bodyBytesMin: Number.POSITIVE_INFINITY,
  latencies: new Uint32Array(BUCKETS),
});

function orderAt(index: number): Prepared {
  const order = orders[index];
  if (order === undefined) throw new Error(`no order ${index}`);
  return order;
}

const portAt = ({ ports }: Prepared, connection: number): number => ports[connection % ports.length] ?? 0;

async function run({ order, milliseconds, beside }: LoadRun): Promise<LoadResult> {
  const chosen = orderAt(order);
  let counts = freshCounts();
  const failure = Promise.withResolvers<never>();
  const next = (): Buffer => {
    chosen.next += 1;
    if (chosen.next === chosen.requests.length) {
      if (chosen.once) failure.reject(new Error(`the load has used up its ${chosen.next} requests`));
      chosen.next = 0;
    }
    return chosen.requests[chosen.next] ?? Buffer.alloc(0);
  };
  const sockets = Array.from({ length: chosen.connections }, (_, index) =>
    openConnection(portAt(chosen, index), next, () => counts, failure.reject),
  );
  if (beside !== undefined) sockets.push(openBeside(orderAt(beside), failure.reject));
  const wait = async (ms: number): Promise<unknown> =>
    await Promise.race([new Promise((resolve) => setTimeout(resolve, ms)), failure.promise]);
  await wait(LEAD_MS);
  counts = freshCounts();
  const begun = performance.now();
  const spinning = spin(() => counts.answered);
  await wait(milliseconds);
  const seconds = (performance.now() - begun) / 1000;
  const busy_ms = spinning.stop();
  const measured = counts;
  for (const socket of sockets) socket.removeAllListeners('close').destroy();
  return {
    answered: measured.answered,
    refused: measured.refused,
    seconds,
    bodyBytesMin: measured.bodyBytesMin,
    p50_ms: percentile(measured.latencies, 0.5) * BUCKET_MS,
    p99_ms: percentile(measured.latencies, 0.99) * BUCKET_MS,
    busyShare: busy_ms / 1000 / seconds,
  };
}

/** Keeps this process awake: waking it would be work for the server, and on a virtual machine much work. */
function spin(answered: () => number): { stop(): number } {
  let busy_ms = 0;
  let last = performance.now();
  let seen = answered();
  let stopped = false;
  const turn = (): void => {
    const now = performance.now();
    const count = answered();
    if (count !== seen) busy_ms += now - last;
    last = now;
    seen = count;
    if (!stopped) setImmediate(turn);
  };
  turn();
  return {
    stop() {
      stopped = true;
      return busy_ms;
    },
  };
}

function openConnection(
  port: number,
  next: () => Buffer,
  counts: () => Counts,
  fail: (reason: Error) => void,
): Socket {
  let sent = 0;
  const send = (): void => {
    sent = performance.now();
    socket.write(next());
  };
  const socket = openAnswers(port, {
    answered(status, length) {
      const now = counts();
      if (status === '200' || status === '201') now.answered += 1;
      else now.refused += 1;
      if (length < now.bodyBytesMin) now.bodyBytesMin = length;
      const bucket = Math.min(BUCKETS - 1, Math.floor((performance.now() - sent) / BUCKET_MS));
      now.latencies[bucket] = (now.latencies[bucket] ?? 0) + 1;
    },
    complete: send,
    fail,
  });
  socket.on('connect', send);
  return socket;
}

/** Reads a long answer as fast as it comes. If it ends before the load, the run fails. */
function openBeside(order: Prepared, fail: (reason: Error) => void): Socket {
  const port = portAt(order, 0);
  const { requests } = order;
  const buffer = Buffer.allocUnsafe(RECEIVE_BYTES);
  const socket = connect({
    host: '127.0.0.1',
    port,
    onread: {
      buffer,
      callback: (bytes) => {
        // The last chunk of a chunked answer (RFC 9112 §7.1).
        if (buffer.toString('latin1', Math.max(0, bytes - 5), bytes) === '0\r\n\r\n') {
          fail(new Error('the answer beside the load ended before the load'));
        }
        return true;
      },
    },
  });
  socket.on('connect', () => socket.write(requests[0] ?? ''));
  socket.on('error', fail);
  socket.on('close', () =>
    fail(new Error(`the server on port ${port} closed the connection beside the load`)),
  );
  return socket;
}

process.on('message', (message: LoadOrder | LoadRun) => {
  if ('requests' in message) {
    prepare(message);
    process.send?.({ prepared: orders.length - 1 });
  } else {
    run(message).then(
      (result) => process.send?.({ result }),
      (cause: unknown) => process.send?.({ failure: String(cause) }),
    );
  }
});
process.on('disconnect', () => process.exit());
