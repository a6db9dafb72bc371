import { constants, fstatSync, openSync, writeSync } from 'node:fs';

/** Up to this number, bytes go to a pipe together or not at all (POSIX, `PIPE_BUF`). */
const TOGETHER_BYTES_MAX = 4096;

/**
 * Returns a function that writes a text to the pipe which is open as `descriptor`, at once and without waiting. It returns false, and has
 * written nothing, if the pipe has no room, if its reader has closed it, or if the text is longer than 4,096 bytes. Undefined if there is
 * no pipe, or if the system cannot open it anew: whether a write waits belongs to the open file, and other processes share `descriptor`.
 */
export function pipeWriter(descriptor: number): ((text: string) => boolean) | undefined {
  const own = openedAnew(descriptor);
  if (own === undefined) return undefined;
  return (text) => {
    if (Buffer.byteLength(text) > TOGETHER_BYTES_MAX) return false;
    try {
      writeSync(own, text);
      return true;
    } catch {
      return false;
    }
  };
}

function openedAnew(descriptor: number): number | undefined {
  try {
    if (!fstatSync(descriptor).isFIFO()) return undefined;
    // Only Linux opens the pipe itself here. A container may forbid it to a user who does not own the pipe.
    return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}
