import { setTimeout as sleep } from 'node:timers/promises';
import type { Experiment } from '../experiment.ts';
import { type Injection, inject, noInjection } from '../io-injection.ts';
import { underFault } from '../under-fault.ts';

/** A few requests long, so that the failing call is one of their own. */
const EACH_MS = 400;
const BETWEEN_MS = 200;
/** Every how many calls, from the first. */
const STEP = 3;

/** SQLite calls fsync here, and not fdatasync. */
const FAILURES = [
  'pwrite64:error=EIO',
  'pwrite64:error=ENOSPC',
  'fsync:error=EIO',
  'ftruncate:error=EIO',
] as const;

export const ioErrors: Experiment = {
  name: 'io-errors',
  fault: 'F5 the n-th write, fsync or truncation of the database fails, n = 1, 4, 7, …',
  engines: ['sqlite'],
  async run(stand, { rounds }) {
    const skipped = noInjection();
    if (skipped !== undefined) return { skipped };
    const node = await stand.start();
    let failed = 0;
    const outcome = await underFault(stand, {
      nodes: [node],
      before_ms: 1_000,
      after_ms: 1_000,
      async fault() {
        for (let round = 0; round < rounds; round += 1) {
          const failure = FAILURES[round % FAILURES.length] ?? FAILURES[0];
          const nth = 1 + STEP * Math.floor(round / FAILURES.length);
          const injection: Injection = `${failure}:when=${nth}`;
          failed += await inject(node, stand.folder, [injection], () => sleep(EACH_MS));
          await sleep(BETWEEN_MS);
        }
      },
      expect: () => (failed === 0 ? ['no call failed'] : []),
    });
    const figures = { rounds: String(rounds), 'calls that failed': String(failed), ...outcome.figures };
    return { ...outcome, figures };
  },
};

const READ_ONLY_MS = 3_000;

/** Remounting read-only is refused while the database is open for writing; what a server sees then is this. */
export const readOnly: Experiment = {
  name: 'read-only',
  fault: 'F6 every write to the database fails with EROFS for three seconds',
  engines: ['sqlite'],
  async run(stand) {
    const skipped = noInjection();
    if (skipped !== undefined) return { skipped };
    const node = await stand.start();
    return await underFault(stand, {
      nodes: [node],
      before_ms: 1_000,
      after_ms: 1_000,
      async fault() {
        await inject(node, stand.folder, ['pwrite64:error=EROFS', 'ftruncate:error=EROFS'], () =>
          sleep(READ_ONLY_MS),
        );
      },
      expect(figures) {
        const { answered, failed } = figures.times('during', 'introspection');
        return failed > 0 || answered === 0 ? [`introspections: ${answered} answered, ${failed} failed`] : [];
      },
    });
  },
};
