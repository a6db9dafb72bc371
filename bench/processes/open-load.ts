/**
 * A load with open arrivals: requests of several kinds are due at a fixed rate, whether the server answers or not, and a latency
 * counts from the time at which its request was due. A closed load would send nothing while the server pauses, and so hide the pause.
 */
import type { Socket } from 'node:net';
import { percentile } from '../latencies.ts';
import type { LoadOrder } from '../load.ts';
import { openAnswers, requestBytes } from '../load-connection.ts';

export interface OpenLoad {
  readonly port: number;
  /** Requests a second. */
  readonly rate: number;
  readonly seconds: number;
  /** The kinds of the requests, sent in this order again and again. */
  readonly turns: readonly string[];
  readonly kinds: Readonly<Record<string, OpenKind>>;
}

export interface OpenKind {
  readonly order: LoadOrder;
  /** A member of the JSON answer that becomes the body of a later request, behind this prefix: a rotated refresh token. */
  readonly renews?: { readonly member: string; readonly prefix: string };
}

export interface OpenResult {
  readonly kinds: readonly KindResult[];
  /** Tenths of a second with an answer that took longer than `SLOW_MS`, by their worst one. */
  readonly slow: readonly SlowTenth[];
  /** When the load itself did not run for a while: requests of that time were sent late, and their answers read late. */
  readonly late: readonly Span[];
  /** When the same piece of work took the load much longer than usual: its CPU was slower, and the server's may have been. */
  readonly slowed: readonly Span[];
  /** The most connections that were busy at once. */
  readonly connections: number;
}

/** In milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface KindResult {
  readonly kind: string;
  readonly answers: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly p999_ms: number;
  readonly max_ms: number;
}

export interface SlowTenth {
  /** When its first slow request was due, in milliseconds since 1970. */
  readonly from: number;
  /** When its last slow answer came. */
  readonly to: number;
  readonly worst_ms: number;
  readonly kind: string;
  readonly answers: number;
}

const CONNECTIONS_MAX = 512;
/** Requests of the beginning are sent and not counted. */
const LEAD_S = 5;
const SLOW_MS = 10;
/** A turn of the load's event loop that takes as long makes answers look slower than they were. */
const LATE_MS = 3;
/** How often the load looks how fast its CPU is. */
const PIECE_EVERY_MS = 50;
/** A piece of work is slowed if it takes this multiple of the usual time. */
const SLOWED = 1.5;
const BUCKET_MS = 0.05;
const BUCKETS = 200_000;

interface Request {
  readonly kind: Kind;
  readonly due: number;
}

interface Kind {
  readonly name: string;
  /** Bodies that are good once leave the queue; a renewed one joins it. */
  readonly requests: Buffer[];
  readonly renews: OpenKind['renews'];
  readonly order: LoadOrder;
  next: number;
  readonly latencies: Uint32Array;
  max_ms: number;
}

function kindOf(name: string, { order, renews }: OpenKind): Kind {
  const latencies = new Uint32Array(BUCKETS);
  return { name, requests: [...requestBytes(order)], renews, order, next: 0, latencies, max_ms: 0 };
}

function nextRequest(kind: Kind): Buffer {
  const { requests, order, renews } = kind;
  const isSpent = (order.once === true || renews !== undefined) && kind.next === requests.length;
  if (isSpent) throw new Error(`the load has used up its ${requests.length} requests of ${kind.name}`);
  const request = requests[kind.next % requests.length];
  kind.next += 1;
  return request ?? Buffer.alloc(0);
}

function renew({ requests, renews, order }: Kind, body: string): void {
  if (renews === undefined) return;
  const value = (JSON.parse(body) as Readonly<Record<string, unknown>>)[renews.member];
  const [head = ''] = order.requests.map((request) => request.head);
  requests.push(
    ...requestBytes({ ...order, requests: [{ head, body: `${renews.prefix}${String(value)}` }] }),
  );
}

interface Pool {
  /** Sends at once where a connection is idle or can be opened, and otherwise as soon as one is. */
  arrive(request: Request): void;
  /** Returns how many connections it needed. */
  close(): number;
}

function openPool(port: number, record: (request: Request) => void, fail: (cause: Error) => void): Pool {
  const waiting: Request[] = [];
  const idle: ((request: Request) => void)[] = [];
  const sockets = new Set<Socket>();
  let most = 0;
  const open = (first: Request): void => {
    let current = first;
    const send = (request: Request): void => {
      current = request;
      socket.write(nextRequest(request.kind));
    };
    const socket = openAnswers(port, {
      answered(status) {
        if (status !== '200' && status !== '201')
          fail(new Error(`${current.kind.name}: an answer has the status ${status}`));
      },
      complete(body) {
        record(current);
        renew(current.kind, body);
        const request = waiting.shift();
        if (request === undefined) idle.push(send);
        else send(request);
      },
      fail(cause) {
        const place = idle.indexOf(send);
        if (place === -1) return fail(cause);
        // The server ends connections that have had no request for long.
        idle.splice(place, 1);
        sockets.delete(socket);
      },
    });
    socket.on('connect', () => send(first));
    sockets.add(socket);
    most = Math.max(most, sockets.size);
  };
  return {
    arrive(request) {
      const send = idle.pop();
      if (send !== undefined) send(request);
      else if (sockets.size < CONNECTIONS_MAX) open(request);
      else waiting.push(request);
    },
    close() {
      for (const socket of sockets) socket.removeAllListeners('close').destroy();
      return most;
    },
  };
}

async function run({ port, rate, seconds, turns, kinds }: OpenLoad): Promise<OpenResult> {
  const all = new Map(Object.entries(kinds).map(([name, kind]) => [name, kindOf(name, kind)]));
  const inTurn = turns.map((name) => {
    const kind = all.get(name);
    if (kind === undefined) throw new Error(`no kind ${name}`);
    return kind;
  });
  const failure = Promise.withResolvers<never>();
  const tenths = new Map<number, SlowTenth>();
  const begin = performance.now() + 50;
  let answered = 0;
  const record = ({ kind, due }: Request): void => {
    answered += 1;
    if (due < begin + LEAD_S * 1000) return;
    const took = performance.now() - due;
    const bucket = Math.min(BUCKETS - 1, Math.floor(took / BUCKET_MS));
    kind.latencies[bucket] = (kind.latencies[bucket] ?? 0) + 1;
    kind.max_ms = Math.max(kind.max_ms, took);
    if (took > SLOW_MS) noteSlow(tenths, kind.name, due, took);
  };
  const pool = openPool(port, record, failure.reject);
  const total = Math.round(rate * seconds);
  const late: Span[] = [];
  const speed = new Speed();
  const sending = send(total, late, (index) => {
    speed.look();
    const kind = inTurn[index % inTurn.length];
    const due = begin + (index * 1000) / rate;
    if (kind === undefined || due > performance.now()) return false;
    pool.arrive({ kind, due });
    return true;
  });
  const isAnswered = (): boolean => answered === total;
  const everyAnswer = (async () => {
    await sending;
    while (!isAnswered()) await turn();
  })();
  await Promise.race([everyAnswer, failure.promise]);
  const connections = pool.close();
  return {
    kinds: resultsOf([...all.values()]),
    slow: [...tenths.values()],
    late,
    slowed: speed.slowed(),
    connections,
  };
}

/** Looks now and then how long the same piece of work takes. */
class Speed {
  /** The sum is kept, so that the compiler keeps the work. */
  readonly #pieces: { readonly at: number; readonly took: number; readonly sum: number }[] = [];
  #next = 0;

  look(): void {
    const began = performance.now();
    if (began < this.#next) return;
    this.#next = began + PIECE_EVERY_MS;
    let sum = 0;
    for (let step = 0; step < 10_000; step += 1) sum = (sum * 31 + step) | 0;
    this.#pieces.push({ at: performance.timeOrigin + began, took: performance.now() - began, sum });
  }

  slowed(): readonly Span[] {
    const usual = this.#pieces.map(({ took }) => took).toSorted((one, other) => one - other);
    const limit = SLOWED * (usual[Math.floor(usual.length / 2)] ?? 0);
    return this.#pieces
      .filter(({ took }) => took > limit)
      .map(({ at }) => ({ from: at, to: at + PIECE_EVERY_MS }));
  }
}

/** Calls for each index in turn, as soon as it is due. The process never sleeps: a timer would send late. */
async function send(total: number, late: Span[], ifDue: (index: number) => boolean): Promise<void> {
  let turned = performance.now();
  for (let sent = 0; sent < total; ) {
    if (ifDue(sent)) {
      sent += 1;
      continue;
    }
    await turn();
    const now = performance.now();
    if (now - turned >= LATE_MS)
      late.push({ from: performance.timeOrigin + turned, to: performance.timeOrigin + now });
    turned = now;
  }
}

const turn = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

function noteSlow(tenths: Map<number, SlowTenth>, kind: string, due: number, took: number): void {
  const from = performance.timeOrigin + due;
  const index = Math.floor(from / 100);
  const known = tenths.get(index);
  const isWorst = known === undefined || took > known.worst_ms;
  tenths.set(index, {
    from: Math.min(from, known?.from ?? from),
    to: Math.max(from + took, known?.to ?? 0),
    worst_ms: isWorst ? took : known.worst_ms,
    kind: isWorst ? kind : known.kind,
    answers: (known?.answers ?? 0) + 1,
  });
}

/** The first result is that of all kinds together. */
function resultsOf(kinds: readonly Kind[]): readonly KindResult[] {
  const all = new Uint32Array(BUCKETS);
  for (const { latencies } of kinds)
    for (const [bucket, count] of latencies.entries()) all[bucket] = (all[bucket] ?? 0) + count;
  const max_ms = Math.max(...kinds.map((kind) => kind.max_ms));
  return [
    resultOf('all', all, max_ms),
    ...kinds.map((kind) => resultOf(kind.name, kind.latencies, kind.max_ms)),
  ];
}

function resultOf(kind: string, latencies: Uint32Array, max_ms: number): KindResult {
  return {
    kind,
    answers: latencies.reduce((total, count) => total + count, 0),
    p50_ms: percentile(latencies, 0.5) * BUCKET_MS,
    p99_ms: percentile(latencies, 0.99) * BUCKET_MS,
    p999_ms: percentile(latencies, 0.999) * BUCKET_MS,
    max_ms,
  };
}

process.on('message', (load: OpenLoad) => {
  run(load).then(
    (result) => process.send?.({ result }),
    (cause: unknown) => process.send?.({ failure: String(cause) }),
  );
});
process.on('SIGTERM', () => process.exit());
process.on('disconnect', () => process.exit());
