import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const running = new Set<ChildProcess>();

/** After the last test of a file, for its own hooks: stopping a busy program takes seconds. */
const GRACE_MS = 60_000;

/** Returns the child, and kills it at the end of this process's tests if a failed test leaves it running. */
export function endedWithTests<Child extends ChildProcess>(child: Child): Child {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Returns the processes that this one has started and that still run (Linux). */
export function childrenOf(pid: number): readonly number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8').trim().split(/\s+/u).filter(Boolean).map(Number);
}

function endAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

process.on('exit', endAll);

// A running child keeps a test file's process alive. Importing node:test in a program that is no test prints a summary
// of no tests, so this happens in test files only.
if (process.env['NODE_TEST_CONTEXT'] !== undefined) {
  const { after } = await import('node:test');
  after(() => {
    setTimeout(() => {
      process.stderr.write(`tests left ${running.size} processes running; they are killed\n`);
      endAll();
      process.exitCode = 1;
    }, GRACE_MS).unref();
  });
}
