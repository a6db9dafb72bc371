import { setTimeout as sleep } from 'node:timers/promises';
import type { Experiment } from '../experiment.ts';
import { type Injection, inject, noInjection } from '../io-injection.ts';
import { underFault } from '../under-fault.ts';

/** A few requests long, so that the failing call is one of their own. */
const EACH_MS = 400;
const BETWEEN_MS = 200;
/** Every how many calls, from the first. */
const STEP = 3;

const TRUNCATION = 'ftruncate:error=EIO';
/** SQLite calls fsync here, and not fdatasync. */
const FAILURES = ['pwrite64:error=EIO', 'pwrite64:error=ENOSPC', 'fsync:error=EIO', TRUNCATION] as const;

/** The log is truncated after a failed fsync only, so the truncation needs both. */
function injections(failure: (typeof FAILURES)[number], nth: number): readonly Injection[] {
  return failure === TRUNCATION
    ? ['fsync:error=EIO:when=1', `${TRUNCATION}:when=1`]
    : [`${failure}:when=${nth}`];
}

export const ioErrors: Experiment = {
  name: 'io-errors',
  fault: 'F5 the n-th write, fsync or truncation of the database fails, n = 1, 4, 7, …',
  engines: ['sqlite'],
  acked_min: () => 100,
  async run(stand, { rounds }) {
    const skipped = noInjection();
    if (skipped !== undefined) return { skipped };
    const node = await stand.start();
    let failed = 0;
    /** Kinds of failure that happened at least once. */
    const happened = new Set<string>();
    const outcome = await underFault(stand, {
      nodes: [node],
      before_ms: 1_000,
      after_ms: 1_000,
      async fault() {
        for (let round = 0; round < rounds; round += 1) {
          const failure = FAILURES[round % FAILURES.length] ?? FAILURES[0];
          const nth = 1 + STEP * Math.floor(round / FAILURES.length);
          const planned = injections(failure, nth);
          const tampered = await inject(node, stand.folder, planned, () => sleep(EACH_MS));
          if (tampered >= planned.length) happened.add(failure);
          failed += tampered;
          await sleep(BETWEEN_MS);
        }
      },
      expect: () =>
        FAILURES.slice(0, rounds)
          .filter((failure) => !happened.has(failure))
          .map((failure) => `strace never injected ${failure}`),
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
  acked_min: () => 100,
  async run(stand) {
    const skipped = noInjection();
    if (skipped !== undefined) return { skipped };
    const node = await stand.start();
    let tampered = 0;
    return await underFault(stand, {
      nodes: [node],
      before_ms: 1_000,
      after_ms: 1_000,
      async fault() {
        tampered = await inject(node, stand.folder, ['pwrite64:error=EROFS', 'ftruncate:error=EROFS'], () =>
          sleep(READ_ONLY_MS),
        );
      },
      expect(figures) {
        const { answered, failed } = figures.times('during', 'introspection');
        const { failed: failedWrites } = figures.times('during', 'write');
        return [
          ...(failed > 0 || answered === 0 ? [`introspections: ${answered} answered, ${failed} failed`] : []),
          ...(tampered === 0 || failedWrites === 0 ? ['strace tampered with no write'] : []),
        ];
      },
    });
  },
};
