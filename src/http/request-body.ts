import type { IncomingMessage } from 'node:http';

export const EMPTY_BODY = Buffer.alloc(0);

/**
 * Reads the body whole and calls `done` once; with undefined as soon as more than `limit_bytes` have come.
 * When the client goes away before its body is whole, `done` is never called and nothing is kept.
 */
export function readBody(
  request: IncomingMessage,
  limit_bytes: number,
  done: (body: Buffer | undefined) => void,
): void {
  let body: Buffer | undefined;
  let more: Buffer[] | undefined;
  let size_bytes = 0;
  const onData = (chunk: Buffer): void => {
    size_bytes += chunk.length;
    if (size_bytes > limit_bytes) {
      request.off('data', onData).off('end', onEnd);
      done(undefined);
    } else if (body === undefined) body = chunk;
    else (more ??= [body]).push(chunk);
  };
  const onEnd = (): void => {
    done(more === undefined ? (body ?? EMPTY_BODY) : Buffer.concat(more, size_bytes));
  };
  request.on('data', onData);
  request.on('end', onEnd);
}

/** Takes and drops what the client still sends, within limits, and then calls `done` once. */
export function discardBody(
  request: IncomingMessage,
  limits: { readonly bytes: number; readonly milliseconds: number },
  done: () => void,
): void {
  let size_bytes = 0;
  const finish = (): void => {
    clearTimeout(timer);
    request.off('data', onData).off('end', finish).off('close', finish);
    done();
  };
  const onData = (chunk: Buffer): void => {
    size_bytes += chunk.length;
    if (size_bytes > limits.bytes) finish();
  };
  const timer = setTimeout(finish, limits.milliseconds);
  request.on('data', onData).on('end', finish).on('close', finish);
}
