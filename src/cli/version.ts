import { readFileSync } from 'node:fs';
import type { Run } from './commands.ts';

export function programVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  return version;
}

export const run: Run = async (_parameters, { print }) => {
  print(`chancery ${programVersion()} (Node ${process.versions.node})`);
  return 0;
};
