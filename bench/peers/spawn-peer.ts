import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

/** Starts a program that has no channel to this process: it gets a signal when this process ends, however early. */
export function spawnPeer(
  program: string,
  words: readonly string[],
  options: Pick<SpawnOptions, 'cwd' | 'env'> = {},
): ChildProcess {
  const child = spawn(program, words, { ...options, stdio: 'ignore' });
  process.once('exit', () => child.kill());
  return child;
}
