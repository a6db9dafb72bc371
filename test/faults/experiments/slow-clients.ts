import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from '../../program/start.ts';
import { type Experiment, milliseconds } from '../experiment.ts';
import { megabytes, openDescriptors, residentBytes } from '../process-figures.ts';
import { bearer, call } from '../registry-calls.ts';
import type { Stand } from '../stand.ts';
import { underFault } from '../under-fault.ts';

const EACH = 1_000;
const BYTE_EVERY_MS = 1_000;
/** `listen.headers-timeout` is 5 s and `listen.request-timeout` 10 s; both are looked at every second. */
const HEADER_BY_MS = 8_000;
const BODY_BY_MS = 13_000;
/**
 * A connection on which nothing moves is cut after thirty seconds, or sixty where Node has a write half done (it looks twice);
 * before that the kernel takes some megabytes for each.
 */
const DEAF_BY_MS = 180_000;
/** The limit of the heap. Without one, the memory shows when V8 collects rather than what is in use. */
const HEAP_MIB = 768;
const MEMORY_MAX = 2 * HEAP_MIB * 2 ** 20;
/** The list is longer than the part of an unread answer that the kernel buffers. */
const LARGE_CLIENTS = 120;
const LARGE_TEXT = 'x'.repeat(50_000);

interface SlowClient {
  readonly socket: Socket;
  readonly opened: number;
  closedAfter_ms: number | undefined;
}

/** The measured cost of the attack. */
interface Course {
  memory: number;
  descriptors: number;
  headers: readonly SlowClient[];
  bodies: readonly SlowClient[];
  deafGone_ms: number | undefined;
}

export const slowClients: Experiment = {
  name: 'slow-clients',
  fault: 'F18 1,000 clients send a header slowly, 1,000 a body, and 1,000 do not read their answer',
  engines: ['sqlite'],
  acked_min: () => LARGE_CLIENTS + 100,
  async run(stand) {
    const environment = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` };
    const node = await stand.start({ environment });
    await registerLarge(stand, node);
    const before = { memory: residentBytes(node), descriptors: openDescriptors(node) };
    const course: Course = { memory: 0, descriptors: 0, headers: [], bodies: [], deafGone_ms: undefined };
    const outcome = await underFault(stand, {
      nodes: [node],
      before_ms: 3_000,
      after_ms: 3_000,
      fault: () => attack(node, course, before.descriptors),
      expect(figures) {
        const { failed } = figures.times('during');
        return [
          ...(failed > 0 ? [`${failed} requests of others failed`] : []),
          ...(course.descriptors - before.descriptors < 2 * EACH
            ? [`only ${course.descriptors - before.descriptors} connections were open at once`]
            : []),
          ...late('headers', course.headers, HEADER_BY_MS),
          ...late('bodies', course.bodies, BODY_BY_MS),
          ...(course.deafGone_ms === undefined ? ['clients that do not read were not sent away'] : []),
          ...(course.memory > MEMORY_MAX ? [`memory grew to ${megabytes(course.memory)}`] : []),
        ];
      },
    });
    const figures = {
      'slow headers closed after, at most': milliseconds(slowest(course.headers)),
      'slow bodies closed after, at most': milliseconds(slowest(course.bodies)),
      'deaf readers gone after': milliseconds(course.deafGone_ms),
      [`memory before / most, heap of ${HEAP_MIB} MiB`]: `${megabytes(before.memory)} / ${megabytes(course.memory)}`,
      'connections, most': String(course.descriptors - before.descriptors),
      ...outcome.figures,
    };
    return { ...outcome, figures };
  },
};

async function attack(node: Program, course: Course, idle: number): Promise<void> {
  const header = 'POST /clients HTTP/1.1\r\nHost: op.example.com\r\n';
  const authorization = `Authorization: ${bearer(node.masterToken)}\r\n`;
  const body = `${header}${authorization}Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n{`;
  const get = `GET /clients HTTP/1.1\r\nHost: op.example.com\r\n${authorization}\r\n`;
  course.headers = await openAll(node, header, true);
  course.bodies = await openAll(node, body, true);
  const deaf = await openAll(node, get, false);
  const started = performance.now();
  while (performance.now() - started < DEAF_BY_MS) {
    for (const { socket } of [...course.headers, ...course.bodies]) if (socket.writable) socket.write('x');
    const descriptors = openDescriptors(node);
    course.memory = Math.max(course.memory, residentBytes(node));
    course.descriptors = Math.max(course.descriptors, descriptors);
    if (descriptors < idle + EACH / 10) {
      course.deafGone_ms = performance.now() - started;
      break;
    }
    await sleep(BYTE_EVERY_MS);
  }
  for (const { socket } of [...course.headers, ...course.bodies, ...deaf]) socket.destroy();
}

const slowest = (clients: readonly SlowClient[]): number =>
  Math.max(...clients.map(({ closedAfter_ms = Number.POSITIVE_INFINITY }) => closedAfter_ms));

function late(what: string, clients: readonly SlowClient[], by_ms: number): readonly string[] {
  const count = clients.filter(
    ({ closedAfter_ms = Number.POSITIVE_INFINITY }) => closedAfter_ms > by_ms,
  ).length;
  return count === 0 ? [] : [`${count} clients with slow ${what} were still there after ${by_ms} ms`];
}

async function openAll(node: Program, text: string, reads: boolean): Promise<readonly SlowClient[]> {
  const clients: SlowClient[] = [];
  for (let index = 0; index < EACH; index += 1) {
    const socket = connect(node.port, node.host);
    const client: SlowClient = { socket, opened: performance.now(), closedAfter_ms: undefined };
    const closed = (): void => {
      client.closedAfter_ms ??= performance.now() - client.opened;
    };
    socket.on('error', closed).on('close', closed).on('end', closed);
    socket.write(text);
    if (reads) socket.resume();
    else socket.pause();
    clients.push(client);
    // The queue of connections that wait for acceptance is short (511); a flood is another experiment.
    if (index % 20 === 0) await sleep(20);
  }
  return clients;
}

async function registerLarge({ ledger }: Stand, node: Program): Promise<void> {
  for (let count = 0; count < LARGE_CLIENTS; count += 1) {
    const mark = randomUUID();
    const op = ledger.sent({ kind: 'create', mark });
    const { status, body } = await call(node, {
      method: 'POST',
      path: '/clients',
      authorization: bearer(node.masterToken),
      json: {
        client_name: mark,
        redirect_uris: ['https://rp.example/'],
        // Its secret is tried at this endpoint, which asks for the scope.
        scope: `${node.issuer}/token/introspect`,
        data: { mark, text: LARGE_TEXT },
      },
    });
    ledger.acked(op, status, body);
  }
}
