import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from './start.ts';

/** The account that the development mode prints. */
export async function developer(program: Program): Promise<{ username: string; password: string }> {
  for (let attempt = 0; attempt < 500; attempt += 1) {
    const found = /Account \(name, password\) +(\S+) +(\S+)/.exec(program.output());
    if (found !== null) return { username: found[1] ?? '', password: found[2] ?? '' };
    await sleep(20);
  }
  throw new Error(`no account was printed:\n${program.output()}`);
}
