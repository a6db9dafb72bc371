import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Experiment } from '../experiment.ts';
import { readiness, underFault } from '../under-fault.ts';

const SIZE = '24m';
const FULL_MS = 3_000;
const CHUNK = Buffer.alloc(65_536);

export const diskFull: Experiment = {
  name: 'disk-full',
  fault: 'F4 the disk is full for three seconds, and has room again',
  engines: ['sqlite'],
  acked_min: () => 100,
  async run(stand) {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', stand.folder], {
        stdio: 'ignore',
      });
    } catch {
      return { skipped: 'needs the right to mount a small file system' };
    }
    try {
      const node = await stand.start();
      const ballast = join(stand.folder, 'ballast');
      let ready = 0;
      const outcome = await underFault(stand, {
        nodes: [node],
        before_ms: 1_000,
        after_ms: 1_000,
        async fault() {
          const until = performance.now() + FULL_MS;
          while (performance.now() < until) {
            fill(ballast);
            await sleep(20);
          }
          ready = await readiness(node);
          rmSync(ballast);
        },
        expect(figures) {
          const { answered, failed } = figures.times('during', 'introspection');
          return [
            ...(failed > 0 || answered === 0
              ? [`introspections: ${answered} answered, ${failed} failed`]
              : []),
            ...(figures.times('during', 'write').failed > 0 ? [] : ['no write met the full disk']),
            ...(ready === 503 ? [] : [`/health/ready was ${ready} while the disk was full`]),
          ];
        },
      });
      await node.stop();
      return outcome;
    } finally {
      execFileSync('umount', ['-l', stand.folder]);
    }
  },
};

/** Takes whatever is free. */
function fill(ballast: string): void {
  const descriptor = openSync(ballast, 'a');
  try {
    for (;;) {
      const { bavail, bsize } = statfsSync(ballast);
      if (bavail === 0) return;
      writeSync(descriptor, CHUNK, 0, Math.min(CHUNK.length, bavail * bsize));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(descriptor);
  }
}
