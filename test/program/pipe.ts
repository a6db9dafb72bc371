import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Pipe {
  /** A descriptor to start a process with. */
  readonly writeEnd: number;
  /** Has the bytes that were written there. It ends when no process has the other end. */
  readonly output: Socket;
  /** Call it when the process has its own. */
  closeWriteEnd(): void;
}

/** Makes a pipe, as a container runtime and a shell do. Where `stdio` says `pipe`, Node gives a process a socket. */
export function openPipe(): Pipe {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-pipe-'));
  try {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writeEnd = openSync(path, 'w');
    return {
      writeEnd,
      output: new Socket({ fd: readEnd, readable: true, writable: false }),
      closeWriteEnd: () => closeSync(writeEnd),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
