import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from '../../program/start.ts';
import { type Experiment, milliseconds } from '../experiment.ts';
import { megabytes, openDescriptors, residentBytes } from '../process-figures.ts';
import { underFault } from '../under-fault.ts';

const EACH = 1_000;
const BYTE_EVERY_MS = 1_000;
/** `listen.request-timeout` is 10 s, and is looked at every second. */
const CLOSED_BY_MS = 13_000;
const STALLED_MS = 2_000;
const RSS_GROWTH_MAX = 200_000_000;

interface SlowClient {
  readonly socket: Socket;
  readonly opened: number;
  closedAfter_ms: number | undefined;
}

export const slowClients: Experiment = {
  name: 'slow-clients',
  fault: 'F18 1,000 clients send a header slowly, 1,000 a body, and 1,000 do not read their answer',
  engines: ['sqlite'],
  async run(stand) {
    const node = await stand.start();
    const before = { rss: residentBytes(node), descriptors: openDescriptors(node) };
    let rss = 0;
    let stillOpen = 0;
    let slowest_ms = 0;
    const outcome = await underFault(stand, {
      nodes: [node],
      before_ms: 2_000,
      after_ms: 2_000,
      async fault() {
        const header = 'POST /clients HTTP/1.1\r\nHost: op.example.com\r\n';
        const body = `${header}Authorization: Bearer ${node.masterToken}\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{`;
        const get = `GET /clients HTTP/1.1\r\nHost: op.example.com\r\nAuthorization: Bearer ${node.masterToken}\r\n\r\n`;
        const slow = [...(await openAll(node, header)), ...(await openAll(node, body))];
        const deaf = await openAll(node, get);
        for (const { socket } of deaf) socket.pause();
        const dripping = setInterval(() => {
          for (const { socket } of slow) if (!socket.destroyed) socket.write('x');
          rss = Math.max(rss, residentBytes(node));
        }, BYTE_EVERY_MS);
        await sleep(CLOSED_BY_MS + STALLED_MS);
        clearInterval(dripping);
        stillOpen = slow.filter(({ closedAfter_ms }) => closedAfter_ms === undefined).length;
        slowest_ms = Math.max(...slow.map(({ closedAfter_ms }) => closedAfter_ms ?? 0));
        for (const { socket } of [...slow, ...deaf]) socket.destroy();
        await sleep(STALLED_MS);
      },
      expect(figures) {
        const { failed } = figures.times('during');
        return [
          ...(failed > 0 ? [`${failed} requests of others failed`] : []),
          ...(stillOpen > 0 ? [`${stillOpen} slow clients were not sent away`] : []),
          ...(rss - before.rss > RSS_GROWTH_MAX ? [`memory grew to ${megabytes(rss)}`] : []),
        ];
      },
    });
    const figures = {
      'slow clients closed after, at most': milliseconds(slowest_ms),
      'memory before / most': `${megabytes(before.rss)} / ${megabytes(rss)}`,
      'descriptors before / after': `${before.descriptors} / ${openDescriptors(node)}`,
      ...outcome.figures,
    };
    return { ...outcome, figures };
  },
};

async function openAll(node: Program, text: string): Promise<readonly SlowClient[]> {
  const clients: SlowClient[] = [];
  for (let index = 0; index < EACH; index += 1) {
    const socket = connect(node.port, node.host);
    const client: SlowClient = { socket, opened: performance.now(), closedAfter_ms: undefined };
    const closed = (): void => {
      client.closedAfter_ms ??= performance.now() - client.opened;
    };
    socket.on('error', closed).on('close', closed).on('end', closed);
    socket.write(text);
    socket.resume();
    clients.push(client);
    if (index % 50 === 0) await sleep(1);
  }
  return clients;
}

const CONNECTIONS = 20_000;
const AT_ONCE = 200;
/** Half of what the server may open is taken when it starts. */
const DESCRIPTORS_MAX = 256;
const HELD = 600;

export const flood: Experiment = {
  name: 'flood',
  fault:
    'F19 20,000 connections come and go as fast as they can; F29 600 stay at a server that may open 256 files',
  engines: ['sqlite'],
  async run(stand) {
    try {
      execFileSync('prlimit', ['--version'], { stdio: 'ignore' });
    } catch {
      return { skipped: 'prlimit is not installed' };
    }
    const node = await stand.start();
    let flooded_ms = 0;
    return await underFault(stand, {
      nodes: [node],
      before_ms: 2_000,
      after_ms: 2_000,
      async fault() {
        const started = performance.now();
        for (let opened = 0; opened < CONNECTIONS; opened += AT_ONCE) {
          await Promise.all(Array.from({ length: AT_ONCE }, () => comeAndGo(node)));
        }
        flooded_ms = performance.now() - started;
        execFileSync('prlimit', ['--pid', String(node.pid), `--nofile=${DESCRIPTORS_MAX}`]);
        const held = Array.from({ length: HELD }, () =>
          connect(node.port, node.host).on('error', () => undefined),
        );
        await sleep(3_000);
        for (const socket of held) socket.destroy();
      },
    }).then((outcome) => ({
      ...outcome,
      figures: {
        'connections a second': String(Math.round(CONNECTIONS / (flooded_ms / 1000))),
        ...outcome.figures,
      },
    }));
  },
};

async function comeAndGo(node: Program): Promise<void> {
  const socket = connect(node.port, node.host);
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  socket.on('connect', () => socket.resetAndDestroy());
  await closed.catch(() => undefined);
}
