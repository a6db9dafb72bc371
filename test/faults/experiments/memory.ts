import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sqlitePlace } from '../../../bench/place.ts';
import { seedClients } from '../../../bench/seed-clients.ts';
import type { ClientId } from '../../../src/spec/identifiers.ts';
import type { Program } from '../../program/start.ts';
import { type Experiment, milliseconds, type Outcome, type Skipped } from '../experiment.ts';
import { megabytes } from '../process-figures.ts';
import { bearer } from '../registry-calls.ts';
import { readiness } from '../under-fault.ts';

const LIMIT_BYTES = 256 * 1024 * 1024;
const CLIENTS = 100_000;
const READERS = 3;
const CONTROL_GROUPS = '/sys/fs/cgroup/memory';

/** Nothing is changed here, so there is no ledger: what counts is that the server lives and answers wholly. */
export const memory: Experiment = {
  name: 'memory',
  fault: 'F20 100,000 clients are listed three times at once by a server that may use 256 MiB',
  engines: ['sqlite'],
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
      const node = await stand.start();
      writeFileSync(`${group}/cgroup.procs`, String(node.pid));
      const started = performance.now();
      const bytes = await Promise.all(Array.from({ length: READERS }, () => readList(node)));
      const took_ms = performance.now() - started;
      const status = readFileSync(`/proc/${node.pid}/status`, 'utf8');
      const peak = Number(/^VmHWM:\s+(\d+) kB$/mu.exec(status)?.[1] ?? Number.NaN) * 1024;
      const ready = await readiness(node);
      await node.stop();
      return {
        acked: 1,
        lost: [],
        half_written: [],
        used_twice: [],
        revoked_active: [],
        unknown: 0,
        broken: ready === 200 ? [] : [`/health/ready was ${ready} afterwards`],
        figures: {
          'bytes of each list': bytes.join(', '),
          'all three took': milliseconds(took_ms),
          'peak of memory': megabytes(peak),
        },
      };
    } finally {
      await sleep(200);
      rmdirSync(group);
    }
  },
};

/** Reads a list as it comes, and keeps nothing of it. @returns its length */
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
