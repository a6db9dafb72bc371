import { fork } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Log } from '../../ports/log.ts';
import type { FileReadingMessage } from './file-reading-process.ts';

/** A smaller file is in the system's cache after a few requests. A start checks it whole anyway. */
const BYTES_MIN = 64 * 1024 * 1024;
/** The share of the available memory that the file may fill. The rest is for the programs of the machine. */
const SHARE_MAX = 1 / 2;

export interface FileReading {
  /** Resolves with the number of bytes when the file was read to its end; with undefined if it was not. */
  readonly ended: Promise<number | undefined>;
  /** Ends the reading. */
  close(): Promise<void>;
}

/**
 * Reads the file of a database once, beside the requests, so that look-ups find its pages in the system's cache (ADR 110). Another
 * process does it: if this one closed the file, it would lose the locks that SQLite holds on it.
 * @returns undefined if the file is small, or larger than half of `available`
 */
export function readWholeFile(
  path: string,
  log: Log,
  available = process.availableMemory(),
): FileReading | undefined {
  const bytes = statSync(path).size;
  if (bytes < BYTES_MIN || bytes > available * SHARE_MAX) return undefined;
  const child = fork(fileURLToPath(new URL('./file-reading-process.ts', import.meta.url)), {
    // It needs neither the settings nor the secrets of the server.
    env: {},
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const began = performance.now();
  const { promise: ended, resolve } = Promise.withResolvers<number | undefined>();
  let closing = false;
  let read: number | undefined;
  child.once('message', (message: FileReadingMessage) => {
    read = message.bytes;
    const ms = Math.round(performance.now() - began);
    log.info({ bytes: read, ms }, 'the file of the database was read into the cache of the system');
  });
  const left = (reason: string): void => {
    resolve(read);
    if (read === undefined && !closing)
      log.warn({ reason }, 'the file of the database was not read ahead: look-ups may wait for the disk');
  };
  // A process that could not be started has no end.
  child.once('error', (error) => left(error.message));
  child.once('close', (code, signal) => left(`its process ended with ${signal ?? code}`));
  child.send(path, () => undefined);
  return {
    ended,
    async close() {
      closing = true;
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'close');
      child.kill('SIGKILL');
      await gone;
    },
  };
}
