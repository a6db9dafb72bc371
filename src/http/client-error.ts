import type { ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { EdgeStatus } from './edge-refusal.ts';
import { edgeRefusal } from './edge-refusal.ts';

/** The last response begun on each connection, to know what a late error on it would answer. */
export type LastResponses = WeakMap<Socket, ServerResponse>;

const STATUS_BY_CODE: Readonly<Record<string, EdgeStatus>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/**
 * Answers what Node's parser gave up on, and closes the connection.
 *
 * Returns the status that was sent; undefined where the client has gone or an answer to this request is already out.
 */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  last: LastResponses,
): EdgeStatus | undefined {
  const response = last.get(socket);
  if (error.code === 'ECONNRESET' || !socket.writable || response?.writableEnded === false) {
    return answerUnfinished(error, socket, response);
  }
  return sendAndClose(socket, statusOf(error));
}

function answerUnfinished(
  error: NodeJS.ErrnoException,
  socket: Socket,
  response: ServerResponse | undefined,
): EdgeStatus | undefined {
  if (response === undefined || error.code === 'ECONNRESET' || !socket.writable || response.headersSent) {
    socket.destroy();
    return undefined;
  }
  if (response.req.complete) {
    // A whole request is being answered; only what follows it is faulty. Its answer must be its own.
    response.once('close', () => socket.destroySoon());
    return undefined;
  }
  return sendAndClose(socket, statusOf(error));
}

function statusOf(error: NodeJS.ErrnoException): EdgeStatus {
  return STATUS_BY_CODE[error.code ?? ''] ?? 400;
}

/** Writes a whole answer past Node's HTTP machinery, which has none for a request it could not read. */
export function sendAndClose(socket: Socket, status: EdgeStatus): EdgeStatus {
  const { headers, body } = edgeRefusal(status);
  const text = typeof body === 'string' ? body : '';
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy());
  return status;
}
