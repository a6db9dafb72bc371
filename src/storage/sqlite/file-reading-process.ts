import { openSync, readSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { giveWayToServers } from '../priority.ts';

/** The last message. `bytes`: how many were read. */
export interface FileReadingMessage {
  readonly bytes: number;
}

/** About a millisecond where the system has the file already. */
const STEP_BYTES = 4 * 1024 * 1024;
const REST_MS_MIN = 1;

/** Reads the file from its beginning to its end. After each step it rests as long as that took, so that requests keep the disk. */
async function read(path: string): Promise<FileReadingMessage> {
  const file = openSync(path, 'r');
  const buffer = Buffer.allocUnsafeSlow(STEP_BYTES);
  for (let bytes = 0; ; ) {
    const began = performance.now();
    const count = readSync(file, buffer, 0, STEP_BYTES, bytes);
    if (count === 0) return { bytes };
    bytes += count;
    await sleep(Math.max(REST_MS_MIN, performance.now() - began));
  }
}

process.once('message', (path: string) => {
  giveWayToServers();
  process.once('disconnect', () => process.exit(0));
  void read(path).then((message) => process.send?.(message, undefined, {}, () => process.exit(0)));
});
