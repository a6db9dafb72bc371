import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqlitePlace } from '../../../bench/place.ts';
import { seedClients } from '../../../bench/seed-clients.ts';
import type { ClientId } from '../../../src/spec/identifiers.ts';
import type { Program } from '../../program/start.ts';
import { type Experiment, milliseconds, type Outcome, type Skipped } from '../experiment.ts';
import type { Registration } from '../ledger.ts';
import { megabytes } from '../process-figures.ts';
import { bearer, call, read } from '../registry-calls.ts';
import { readiness } from '../under-fault.ts';

const LIMIT_BYTES = 256 * 1024 * 1024;
/** Beside the heap there are the caches of SQLite, the code and the buffers. */
const HEAP_MIB = 128;
const CLIENTS = 100_000;
const READERS = 3;
const LARGE_CLIENTS = 400;
const LARGE_AT_ONCE = 8;
const LARGE_TEXT = 'x'.repeat(60_000);
const CONTROL_GROUPS = '/sys/fs/cgroup/memory';

/** There is no mixed load here: what counts is that the server lives, answers wholly, and has what it has acknowledged. */
export const memory: Experiment = {
  name: 'memory',
  fault:
    'F20 100,000 clients are listed three times at once, and 400 of 60 KB registered, by a server that may use 256 MiB',
  engines: ['sqlite'],
  acked_min: () => LARGE_CLIENTS,
  async run(stand): Promise<Outcome | Skipped> {
    const group = `${CONTROL_GROUPS}/chancery-faults-${process.pid}`;
    try {
      mkdirSync(group);
      writeFileSync(`${group}/memory.limit_in_bytes`, String(LIMIT_BYTES));
    } catch {
      return { skipped: 'needs the right to make a control group (cgroup v1, memory)' };
    }
    try {
      const first = await stand.start();
      const inspector = await stand.inspector(first);
      await first.stop();
      await seedClients({
        place: sqlitePlace(stand.folder),
        example: inspector.client_id as ClientId,
        clients: CLIENTS,
        kept: 1,
      });
      const environment = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` };
      // From its first page on: what a process has before it comes into a group counts elsewhere.
      const runtime = join(stand.folder, 'in-group');
      writeFileSync(runtime, `#!/bin/sh\necho $$ >${group}/cgroup.procs\nexec ${process.execPath} "$@"\n`, {
        mode: 0o700,
      });
      const node = await stand.start({ environment, runtime });
      const outcome = await underPressure(node);
      const most = Number(readFileSync(`${group}/memory.max_usage_in_bytes`, 'utf8'));
      const broken = [...outcome.broken];
      if (most < LIMIT_BYTES / 2) broken.push(`the control group saw ${megabytes(most)} only`);
      const figures = { [`memory, most, heap of ${HEAP_MIB} MiB`]: megabytes(most), ...outcome.figures };
      return { ...outcome, broken, figures };
    } finally {
      await stand.end();
      rmdirSync(group);
    }
  },
};

async function underPressure(node: Program): Promise<Outcome> {
  const started = performance.now();
  const [registered, ...bytes] = await Promise.all([
    registerLarge(node),
    ...Array.from({ length: READERS }, () => readList(node)),
  ]);
  const took_ms = performance.now() - started;
  const lost: string[] = [];
  for (const { client_id, registration_access_token } of registered) {
    const { status } = await read(node, client_id, registration_access_token);
    if (status !== 200) lost.push(`client ${client_id}: ${status}`);
  }
  const ready = await readiness(node);
  return {
    acked: registered.length,
    lost,
    half_written: [],
    used_twice: [],
    revoked_active: [],
    unknown: 0,
    broken: ready === 200 ? [] : [`/health/ready was ${ready} afterwards`],
    figures: {
      'bytes of each list': bytes.join(', '),
      'all of it took': milliseconds(took_ms),
    },
  };
}

async function registerLarge(node: Program): Promise<readonly Registration[]> {
  const registered: Registration[] = [];
  const register = async (): Promise<void> => {
    for (let count = 0; count < LARGE_CLIENTS / LARGE_AT_ONCE; count += 1) {
      const { status, body } = await call(node, {
        method: 'POST',
        path: '/clients',
        authorization: bearer(node.masterToken),
        json: { redirect_uris: ['https://rp.example/callback'], data: { text: LARGE_TEXT } },
      });
      if (status !== 200) throw new Error(`a large registration: ${status}`);
      registered.push(body as Registration);
    }
  };
  await Promise.all(Array.from({ length: LARGE_AT_ONCE }, register));
  return registered;
}

/** Reads a list as it arrives and drops it. @returns its length */
async function readList(node: Program): Promise<number> {
  const answer = await fetch(`${node.url}/clients`, { headers: { authorization: bearer(node.masterToken) } });
  if (answer.status !== 200 || answer.body === null) throw new Error(`GET /clients: ${answer.status}`);
  let length = 0;
  let last = '';
  for await (const chunk of answer.body) {
    length += chunk.length;
    last = Buffer.from(chunk).toString('latin1').slice(-1);
  }
  if (last !== ']') throw new Error('the list was cut');
  return length;
}
