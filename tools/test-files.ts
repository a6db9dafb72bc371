import { relative, resolve } from 'node:path';
import { type EventData, run } from 'node:test';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { Counter, type Tally } from './test-tally.ts';

export interface FilesRun {
  readonly files: readonly string[];
  /** `none`: all files in this process. `process`: a process for each file. */
  readonly isolation: 'none' | 'process';
  /** With a process for each file: how many run at once. */
  readonly concurrency?: number;
  /** With a process for each file: instead of this process's own environment. */
  readonly environment?: NodeJS.ProcessEnv;
  /** A regular expression: only tests with such a name run. */
  readonly name?: string | undefined;
  /** Stands beside the place of a failure, where several groups run the same files. */
  readonly group?: string;
  /** Tests that take longer are stuck. */
  readonly timeout_ms: number;
}

export interface FileTime {
  readonly file: string;
  readonly took_ms: number;
}

export interface FilesResult {
  readonly tally: Tally;
  readonly times: readonly FileTime[];
}

/** Runs test files. Prints each failure in full, as it comes. */
export async function runTestFiles(given: FilesRun): Promise<FilesResult> {
  const { files, isolation, concurrency = 1, environment, name, timeout_ms } = given;
  const counter = new Counter();
  const times: FileTime[] = [];
  const stopping = new AbortController();
  /** Ends a run whose test file left a timer or a socket open: the runner itself would wait without a limit. */
  const { promise: stuck, resolve: giveUp } = Promise.withResolvers<'stuck'>();
  const silence = setTimeout(() => giveUp('stuck'), timeout_ms * 1.2).unref();
  /** Files whose load failure the runner has reported itself: it does so before a file's first test. */
  const failedToLoad = new Set<string>();
  const stream = run({
    files: files.map((file) => resolve(file)),
    isolation,
    ...(isolation === 'process'
      ? { concurrency, ...(environment === undefined ? {} : { env: environment }) }
      : {}),
    ...(name === undefined ? {} : { testNamePatterns: [name] }),
    timeout: timeout_ms,
    signal: stopping.signal,
  });
  const read = async (): Promise<'read'> => {
    for await (const event of stream) {
      silence.refresh();
      if (event.type === 'test:pass') counter.pass(event.data);
      if (event.type === 'test:fail' && counter.fail(event.data))
        process.stdout.write(failureText(event.data, given.group));
      if (event.type === 'test:fail' && event.data.file === event.data.name)
        failedToLoad.add(event.data.name);
      if (event.type === 'test:summary' && event.data.file !== undefined)
        times.push({ file: relative('.', event.data.file), took_ms: event.data.duration_ms });
      if (event.type === 'test:stderr') process.stderr.write(event.data.message);
    }
    return 'read';
  };
  if ((await Promise.race([read(), stuck])) === 'stuck') {
    stopping.abort();
    const left = files.length === 1 ? `${files[0]}: ` : '';
    process.stdout.write(
      `✖ ${left}the tests are done but do not end: one has left a timer, a socket or a process open\n`,
    );
    return { tally: { ...counter.tally, failed: counter.tally.failed + 1 }, times };
  }
  clearTimeout(silence);
  const lost = isolation === 'none' ? await reportLoadFailures(files, failedToLoad) : 0;
  return { tally: { ...counter.tally, failed: counter.tally.failed + lost }, times };
}

/**
 * Counts each file that stopped loading after its first test as one failure. The runner does not: it drops the tests behind a
 * rejected top-level await and stays green. A module that failed to load rejects every later import with its error.
 */
async function reportLoadFailures(files: readonly string[], reported: ReadonlySet<string>): Promise<number> {
  let failed = 0;
  for (const file of files) {
    try {
      await import(pathToFileURL(resolve(file)).href);
    } catch (cause) {
      if (reported.has(resolve(file))) continue;
      failed += 1;
      process.stdout.write(
        `✖ ${file} stopped loading, and the tests behind that point did not run\n  ${inspect(cause)}\n`,
      );
    }
  }
  return failed;
}

/** Files that are named as the slowest of a group. */
const SLOWEST_SHOWN = 8;

/** Names the files that take longest, if there are many: `npm test` as a whole may take 20 minutes. */
export function slowestLine(times: readonly FileTime[]): string {
  if (times.length <= SLOWEST_SHOWN) return '';
  const longest = times.toSorted((one, other) => other.took_ms - one.took_ms).slice(0, SLOWEST_SHOWN);
  const words = longest.map(({ file, took_ms }) => `${file} ${(took_ms / 1000).toFixed(0)} s`);
  return `slowest: ${words.join(', ')}\n`;
}

function failureText({ name, file, line, details }: EventData.TestFail, group?: string): string {
  const { error } = details;
  const reason = inspect(error.cause ?? error, { depth: 8 }).replaceAll('\n', '\n  ');
  const where = group === undefined ? '' : ` (${group})`;
  return `✖ ${name}\n  ${file ?? ''}:${line ?? ''}${where}\n  ${reason}\n`;
}
