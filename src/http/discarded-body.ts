import type { Request } from './messages.ts';

/** Takes and drops what the client still sends, within limits, and then calls `done` once. */
export function discardBody(
  request: Request,
  limits: { readonly bytes: number; readonly milliseconds: number },
  done: () => void,
): void {
  let size_bytes = 0;
  let finished = false;
  const finish = (): void => {
    if (finished) return;
    finished = true;
    clearTimeout(timer);
    request.off('close', finish);
    done();
  };
  const timer = setTimeout(finish, limits.milliseconds);
  request.on('close', finish);
  request.dropBody((bytes) => {
    size_bytes += bytes;
    if (bytes === 0 || size_bytes > limits.bytes) finish();
  });
}
