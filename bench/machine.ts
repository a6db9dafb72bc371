import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { CAN_PIN } from './processes/measured-process.ts';

/** Where the figures come from, in one paragraph. */
export function machine(): string {
  const processor = cpus()[0]?.model.trim() ?? 'unknown processor';
  const memory = Math.round(totalmem() / 2 ** 30);
  const pinned = CAN_PIN ? 'servers on CPU 0, load on CPU 1' : 'nothing held to a CPU';
  return (
    `${availableParallelism()} × ${processor}, ${memory} GiB, ${process.platform} ${release()}; ` +
    `Node ${process.versions.node}, SQLite ${process.versions['sqlite']}, oidc-provider ${versionOf('oidc-provider')}; ` +
    `64 connections, ${pinned}.`
  );
}

function versionOf(name: string): string {
  const url = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  return (JSON.parse(readFileSync(url, 'utf8')) as { version: string }).version;
}
