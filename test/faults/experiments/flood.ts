import { execFileSync } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { converse } from '../../program/raw-socket.ts';
import type { Program } from '../../program/start.ts';
import { type Experiment, HAPPENED, milliseconds } from '../experiment.ts';
import { openDescriptors } from '../process-figures.ts';
import { underFault } from '../under-fault.ts';

const CONNECTIONS = 20_000;
const AT_ONCE = 200;
/** Half of what the server may open is taken when it starts. */
const DESCRIPTORS_MAX = 256;
const HELD = 600;
const HELD_MS = 3_000;
const SERVED_BY_MS = 10_000;
/** As many as F19 asks for. */
const RECOVERED_MS = 2_000;

export const flood: Experiment = {
  name: 'flood',
  fault:
    'F19 20,000 connections come and go as fast as they can; F29 600 stay at a server that may open 256 files',
  engines: ['sqlite'],
  acked_min: () => 100,
  async run(stand) {
    try {
      execFileSync('prlimit', ['--version'], { stdio: 'ignore' });
    } catch {
      return { skipped: 'prlimit is not installed' };
    }
    const node = await stand.start();
    const flooded = { for_ms: 0, served_ms: 0, connected: 0 };
    const held = { descriptors: 0, served_ms: 0 };
    const outcome = await underFault(stand, {
      nodes: [node],
      before_ms: 2_000,
      after_ms: 2_000,
      async fault() {
        Object.assign(flooded, await comeAndGo(node));
        flooded.served_ms = await untilServed(node);
        execFileSync('prlimit', ['--pid', String(node.pid), `--nofile=${DESCRIPTORS_MAX}`]);
        held.descriptors = await holdMany(node);
        held.served_ms = await untilServed(node);
      },
      expect: () => [
        ...[flooded, held].flatMap(({ served_ms }) =>
          served_ms > RECOVERED_MS ? [`a new client was served after ${milliseconds(served_ms)}`] : [],
        ),
        ...(flooded.connected < CONNECTIONS * HAPPENED ? [`only ${flooded.connected} connections came`] : []),
        ...(held.descriptors < DESCRIPTORS_MAX * HAPPENED
          ? [`the server had ${held.descriptors} files open, and could have ${DESCRIPTORS_MAX}`]
          : []),
      ],
    });
    const figures = {
      'connections a second': String(Math.round(CONNECTIONS / (flooded.for_ms / 1000))),
      'a new client is served after': milliseconds(flooded.served_ms),
      'descriptors with 600 more': `${held.descriptors} of ${DESCRIPTORS_MAX}`,
      'a new client after those': milliseconds(held.served_ms),
      ...outcome.figures,
    };
    return { ...outcome, figures };
  },
};

/** @returns how long it took, and how many connections the server took */
async function comeAndGo(node: Program): Promise<{ readonly for_ms: number; readonly connected: number }> {
  const started = performance.now();
  let connected = 0;
  for (let opened = 0; opened < CONNECTIONS; opened += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        const socket = connect(node.port, node.host);
        socket
          .on('error', () => undefined)
          .on('connect', () => {
            connected += 1;
            socket.resetAndDestroy();
          });
        await new Promise((resolve) => socket.on('close', resolve));
      }),
    );
  }
  return { for_ms: performance.now() - started, connected };
}

/** @returns how many files the server had open then */
async function holdMany(node: Program): Promise<number> {
  const held = Array.from({ length: HELD }, () => connect(node.port, node.host).on('error', () => undefined));
  await sleep(HELD_MS);
  const descriptors = openDescriptors(node);
  for (const socket of held) socket.destroy();
  return descriptors;
}

/** Returns the time until a client with a connection of its own is answered. */
async function untilServed(node: Program): Promise<number> {
  const started = performance.now();
  for (;;) {
    const { answers } = await converse(node, ['GET /jwks.json HTTP/1.1\r\nHost: op.example.com\r\n\r\n']);
    if (answers[0]?.status === 200) return performance.now() - started;
    if (performance.now() - started > SERVED_BY_MS) return Number.POSITIVE_INFINITY;
    await sleep(20);
  }
}
