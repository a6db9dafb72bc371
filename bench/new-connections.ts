/**
 * Measures how long clients that connect wait for a server whose core is full: 400 connections send requests without a pause, and others
 * connect at once and send one request each. Run: node bin/tool.mjs bench/new-connections.ts [CHECKOUT]. With another checkout, its server is
 * measured in turn.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from '../test/program/start.ts';
import { startLoadGenerator } from './load-generator.ts';
import { startHeld } from './start-held.ts';
import { terminalTable } from './table.ts';

const HEAD = 'GET /jwks.json HTTP/1.1\r\nhost: server.test\r\n';
const CONNECTIONS = 400;
const WARM_UP_MS = 3_000;
const LOAD_MS = 12_000;
const GAP_MS = 500;
/** Clients that connect at once. */
const COUNTS = [1, 50, 200, 1, 50, 200];
const ROUNDS = 2;

const [checkout] = process.argv.slice(2);
const programs = [undefined, ...(checkout === undefined ? [] : [checkout])];
const rows: (readonly string[])[] = [];
for (let round = 0; round < ROUNDS; round += 1)
  for (const folder of programs) {
    const options = folder === undefined ? {} : { program: resolve(folder, 'src/cli/chancery.ts') };
    const program = await startHeld(options);
    for (const row of await measured(program)) rows.push([folder ?? 'this checkout', ...row]);
    await program.stop();
  }
console.log(terminalTable([['server', 'at once', 'median, ms', 'last, ms'], ...rows]));

async function measured(program: Program): Promise<readonly (readonly string[])[]> {
  const load = startLoadGenerator();
  try {
    const requests = [{ head: HEAD, body: '' }];
    const order = await load.prepare({ port: program.port, requests, connections: CONNECTIONS });
    const running = load.run({ order, milliseconds: LOAD_MS });
    await sleep(WARM_UP_MS);
    const found: (readonly string[])[] = [];
    for (const count of COUNTS) {
      const waits = await Promise.all(
        Array.from({ length: count }, async () => await answered(program.port)),
      );
      const sorted = waits.toSorted((one, other) => one - other);
      const [median = 0, last = 0] = [sorted[Math.floor(count / 2)], sorted.at(-1)];
      found.push([String(count), median.toFixed(0), last.toFixed(0)]);
      await sleep(GAP_MS);
    }
    await running;
    return found;
  } finally {
    await load.close();
  }
}

/** Returns the milliseconds from the beginning of a connection to its first byte. */
async function answered(port: number): Promise<number> {
  const began = performance.now();
  const socket = connect(port, '127.0.0.1');
  socket.write(`${HEAD}connection: close\r\n\r\n`);
  await once(socket, 'data');
  socket.destroy();
  return performance.now() - began;
}
