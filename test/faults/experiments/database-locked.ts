import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Experiment, HAPPENED, milliseconds, type Outcome } from '../experiment.ts';
import { eventLoopDelayMax_ms } from '../process-figures.ts';
import type { Stand } from '../stand.ts';
import { underFault } from '../under-fault.ts';

/** Shorter than `storage.deadline`. */
const LOCKED_MS = 1_500;

/** Another program that writes to the file and takes its time, such as a backup tool or a curious operator. */
const LOCK = `
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(process.argv[1], { timeout: 5000 });
  database.exec('BEGIN IMMEDIATE');
  process.stdout.write('locked');
  process.stdin.on('end', () => { database.exec('ROLLBACK'); process.exit(); }).resume();
`;

export const databaseLocked: Experiment = {
  name: 'database-locked',
  fault: 'F7 another process holds the lock of the database for 1.5 seconds',
  engines: ['sqlite'],
  acked_min: () => 100,
  run: (stand) => locked(stand, 1),
};

export const databaseLockedWorkers: Experiment = {
  name: 'database-locked-workers',
  fault: 'F7 the same with two processes at the same ports (serve --workers 2)',
  engines: ['sqlite'],
  acked_min: () => 100,
  run: (stand) => locked(stand, 2),
};

async function locked(stand: Stand, workers: number): Promise<Outcome> {
  const node = await stand.start({ parameters: ['--workers', String(workers)] });
  let delay_ms = 0;
  const outcome = await underFault(stand, {
    nodes: [node],
    before_ms: 2_000,
    after_ms: 2_000,
    async fault() {
      await eventLoopDelayMax_ms(node);
      const holder = await lock(stand.url.slice('sqlite:'.length));
      await sleep(LOCKED_MS);
      delay_ms = await eventLoopDelayMax_ms(node);
      const exited = once(holder, 'exit');
      holder.stdin?.end();
      await exited;
    },
    expect(figures) {
      const { answered, failed } = figures.times('during', 'introspection');
      const { failed: failedWrites } = figures.times('during', 'write');
      return [
        ...(failed > 0 || answered === 0 ? [`introspections: ${answered} answered, ${failed} failed`] : []),
        ...(figures.writeGap_ms < LOCKED_MS * HAPPENED ? ['the lock kept no write waiting'] : []),
        ...(failedWrites > 0 ? [`${failedWrites} writes did not wait for the lock`] : []),
      ];
    },
  });
  return { ...outcome, figures: { 'event-loop delay, most': milliseconds(delay_ms), ...outcome.figures } };
}

async function lock(path: string): Promise<ChildProcess> {
  const holder = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '-e', LOCK, path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  return holder;
}
