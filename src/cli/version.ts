import { readFileSync } from 'node:fs';
import type { Run } from './commands.ts';

export const run: Run = async (_parameters, { print }) => {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  print(`chancery ${version} (Node ${process.versions.node})`);
  return 0;
};
