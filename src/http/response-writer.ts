import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EndpointResponse } from '../endpoints/contract.ts';
import type { Response } from './messages.ts';
import { dateLine, readyHead } from './ready-head.ts';

/** A stream gives way to other requests at least this often. */
const TURN_BYTES = 65_536;

/** What every answer of a host carries besides. */
export interface Envelope {
  /** Header names and values, in turn. */
  readonly lines: readonly string[];
  /** The header lines, as text, that say that the connection stays open; undefined where it does not. */
  readonly keepAlive: string | undefined;
}

const NO_SNIFFING: readonly string[] = ['x-content-type-options', 'nosniff'];
const NO_SNIFFING_LINE = `${NO_SNIFFING.join(': ')}\r\n`;

/** @param keepAliveTimeout milliseconds */
export function envelopeOf(keepAliveTimeout: number): Envelope {
  const timeout = Math.floor(keepAliveTimeout / 1_000);
  return { lines: NO_SNIFFING, keepAlive: `connection: keep-alive\r\nkeep-alive: timeout=${timeout}\r\n` };
}

/** Of answers that end their connections. */
export const LAST_ENVELOPE: Envelope = {
  lines: [...NO_SNIFFING, 'connection', 'close'],
  keepAlive: undefined,
};

/**
 * Writes head and body at once. `lines` holds further header names and values, in turn.
 * A stream's promise resolves when all is written or the client has gone, and rejects with what the iterator threw.
 * @param streamTurn resolves when a stream may go on
 */
export function writeResponse(
  response: Response,
  answered: EndpointResponse,
  lines: readonly string[],
  envelope: Envelope,
  streamTurn: () => Promise<void> = nextTurn,
): Promise<void> | undefined {
  const { headers, body } = answered;
  if (typeof body === 'string' && answered.cookies === undefined && envelope.keepAlive !== undefined) {
    if (writeReady(response, answered.status, headers, lines, envelope.keepAlive, body)) return undefined;
  }
  return writeAny(response, answered, lines, envelope, streamTurn);
}

/** Whether the head was ready, and so all is written. */
function writeReady(
  response: Response,
  status: number,
  headers: EndpointResponse['headers'],
  lines: readonly string[],
  keepAlive: string,
  body: string,
): boolean {
  const head = readyHead(status, headers, lines);
  if (head === undefined) return false;
  const length = Buffer.byteLength(body);
  // Only ASCII has as many bytes as characters; it need not be encoded.
  const encoding = length === body.length ? 'latin1' : 'utf8';
  const rest = `${dateLine()}${keepAlive}content-length: ${length}\r\n\r\n`;
  return response.sendReady(status, `${head}${NO_SNIFFING_LINE}${rest}`, body, encoding);
}

function writeAny(
  response: ServerResponse,
  { status, headers, cookies, body }: EndpointResponse,
  more: readonly string[],
  envelope: Envelope,
  streamTurn: () => Promise<void>,
): Promise<void> | undefined {
  const lines: string[] = [];
  for (const name in headers) lines.push(name, String(headers[name]));
  if (cookies !== undefined) for (const cookie of cookies) lines.push('set-cookie', cookie);
  lines.push(...more, ...envelope.lines);
  if (typeof body === 'object') {
    response.writeHead(status, lines);
    return writeStream(response, body, streamTurn);
  }
  // RFC 9110 §8.6: "A server MUST NOT send a Content-Length header field in any response with a status code
  // of 1xx (Informational) or 204 (No Content)"; that of a 304 would have to be the 200's.
  if (status !== 204 && status !== 304) lines.push('content-length', contentLength(body));
  response.writeHead(status, lines);
  if (body === undefined) response.end();
  else response.end(body);
  return undefined;
}

function contentLength(body: string | undefined): string {
  return body === undefined ? '0' : String(Buffer.byteLength(body));
}

async function writeStream(
  response: ServerResponse,
  chunks: AsyncIterable<string>,
  streamTurn: () => Promise<void>,
): Promise<void> {
  if (response.req.method === 'HEAD') {
    await chunks[Symbol.asyncIterator]().return?.();
    response.end();
    return;
  }
  // Not the response: one that waits behind others (pipelining) never learns that its socket has closed.
  const { socket } = response.req;
  try {
    let written_bytes = 0;
    for await (const chunk of chunks) {
      if (socket.destroyed) return;
      written_bytes += chunk.length;
      if (!response.write(chunk)) await drained(response, socket);
      else if (written_bytes < TURN_BYTES) continue;
      written_bytes = 0;
      // After `drain` too: otherwise a fast reader keeps every other request waiting.
      await streamTurn();
    }
    response.end();
  } catch (cause) {
    // Without the last chunk no client takes what it has for the whole.
    response.destroy();
    throw cause;
  }
}

function drained(response: ServerResponse, socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      response.off('drain', finish);
      socket.off('close', finish);
      resolve();
    };
    response.on('drain', finish);
    socket.on('close', finish);
  });
}
