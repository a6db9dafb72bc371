import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { launcherWords } from '../../src/testing/program.ts';
import { endedWithTests } from '../program/children.ts';
import { inheritedEnvironment } from '../program/inherited-environment.ts';

export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

export interface LaunchOptions {
  readonly environment: Readonly<Record<string, string>>;
  /** The Node that runs the launcher; the one that runs this test where none is named. */
  readonly node?: string;
  /** The working directory; that of the repository where none is named. */
  readonly folder?: string;
}

export interface Launched {
  readonly pid: number;
  output(): string;
  /** Resolves with all of the output once it matches; rejects when the launcher ends or `timeout_ms` pass before that. */
  untilPrinted(pattern: RegExp, timeout_ms?: number): Promise<string>;
  signal(name: NodeJS.Signals): void;
  /** The exit code or the signal's name. */
  readonly exited: Promise<number | string>;
}

/** `node bin/chancery.mjs …`, or `chancery …` of the package, as an operator types it, with nothing in the environment but what is given. */
export function launch(
  words: readonly string[],
  { environment, node = process.execPath, folder = REPOSITORY }: LaunchOptions,
): Launched {
  const [launcher, ...before] = launcherWords(node);
  const child = endedWithTests(
    spawn(launcher, [...before, ...words], {
      cwd: folder,
      env: { ...inheritedEnvironment(), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  let output = '';
  const changed = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      for (const look of changed) look();
    });
  }
  const exited = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string);
  return {
    pid: child.pid ?? 0,
    output: () => output,
    async untilPrinted(pattern, timeout_ms = 60_000) {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const look = (): void => {
        if (pattern.test(output)) resolve(output);
      };
      changed.add(look);
      const fail = (how: string): void =>
        reject(new Error(`${how} before ${String(pattern)} was printed:\n${output}`));
      const deadline = setTimeout(() => {
        child.kill('SIGKILL');
        fail('time passed');
      }, timeout_ms);
      void exited.then((how) => fail(`ended with ${how}`));
      look();
      try {
        return await promise;
      } finally {
        clearTimeout(deadline);
        changed.delete(look);
      }
    },
    signal: (name) => child.kill(name),
    exited,
  };
}
