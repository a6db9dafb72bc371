import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { EdgeStatus } from './edge-refusal.ts';
import { edgeRefusal } from './edge-refusal.ts';
import type { Response } from './messages.ts';
import { LAST_ENVELOPE, writeResponse } from './response-writer.ts';

/** The last response begun on each connection, to know what a late error on it would answer. */
export type LastResponses = WeakMap<Socket, Response>;

const STATUS_BY_CODE: Readonly<Record<string, EdgeStatus>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/**
 * Answers what Node's parser gave up on, and closes the connection.
 *
 * Returns the status that was sent; undefined where nobody is there to read it, or where the request at fault
 * has its answer already.
 */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  last: LastResponses,
): EdgeStatus | undefined {
  // There is no TLS to answer over: a handshake that failed, or a record that is none.
  const withoutTls =
    error.code?.startsWith('ERR_SSL_') === true || error.code?.startsWith('ERR_TLS_') === true;
  if (error.code === 'ECONNRESET' || withoutTls || !socket.writable) {
    socket.destroy();
    return undefined;
  }
  const response = last.get(socket);
  // The fault lies in a header that no exchange was begun for.
  if (response === undefined || (response.req.complete && response.writableFinished)) {
    return sendAndClose(socket, statusOf(error));
  }
  if (response.req.complete || response.headersSent) {
    closeAfter(response, socket);
    return undefined;
  }
  // The fault lies in this request's body. Its own response keeps the order of pipelined answers.
  const status = statusOf(error);
  void writeResponse(response, edgeRefusal(status), [], LAST_ENVELOPE);
  return status;
}

/** Answers under way to whole requests are finished: what follows them on the connection is not their fault. */
function closeAfter(response: Response, socket: Socket): void {
  if (!response.req.complete && !response.writableEnded) response.end();
  if (response.writableFinished) socket.destroySoon();
  else response.once('close', () => socket.destroySoon());
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
