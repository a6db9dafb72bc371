import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, release, tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { CAN_PIN } from './processes/measured-process.ts';

const ROOT = join(import.meta.dirname, '..');

/** The origin of the figures. */
export interface Origin {
  /** The command as typed. */
  readonly command: string;
  /** The time at which the run began. */
  readonly at: string;
  /** The commit of the sources. A `+` behind it means that they have changed since. */
  readonly commit: string;
  readonly machine: string;
}

/** Describes this run. @param command with its options */
export function originOf(command: string): Origin {
  return { command, at: new Date().toISOString(), commit: commit(), machine: machine() };
}

/**
 * Returns the name of the data file of a run: whole ones are kept in the repository, shortened and partial ones in the
 * system's folder for temporary files.
 */
export function resultsPath({ at }: Origin, what: string, whole: boolean): string {
  const name = `${at.slice(0, 10)}-${what}.json`;
  return whole ? join(ROOT, 'bench/results', name) : join(tmpdir(), `chancery-bench-${name}`);
}

export function writeResults(path: string, results: object): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(results, undefined, 2)}\n`);
}

/** Describes the machine and the versions, in one line. */
export function machine(): string {
  const processor = cpus()[0]?.model.trim() ?? 'unknown processor';
  const memory = Math.round(totalmem() / 2 ** 30);
  const pinned = CAN_PIN ? 'servers on CPU 0, load on CPU 1' : 'processes not held to a CPU';
  return (
    `${availableParallelism()} × ${processor}, ${memory} GiB, ${process.platform} ${release()}; ` +
    `Node ${process.versions.node}, SQLite ${process.versions['sqlite']}, oidc-provider ${packageVersion('oidc-provider')}; ` +
    `64 connections, ${pinned}`
  );
}

/** Returns the version of an installed npm package. */
export function packageVersion(name: string): string {
  const url = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  return (JSON.parse(readFileSync(url, 'utf8')) as { version: string }).version;
}

function commit(): string {
  try {
    const git = (...words: string[]): string =>
      execFileSync('git', words, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    const changed = git('status', '--porcelain', '--untracked-files=no') !== '';
    return `${git('rev-parse', '--short', 'HEAD')}${changed ? '+' : ''}`;
  } catch {
    return 'unknown';
  }
}
