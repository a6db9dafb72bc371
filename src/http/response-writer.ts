import { type ServerResponse, STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EndpointResponse } from '../endpoints/contract.ts';
import type { Response } from './messages.ts';

/** After this much a stream lets other requests run. */
const TURN_BYTES = 65_536;

/** Header lines that every answer of a host carries. */
export interface Envelope {
  /** Header names and values, in turn. */
  readonly lines: readonly string[];
  /** The same lines as text, with those that announce that the connection stays open; undefined if it closes. */
  readonly keepAlive: string | undefined;
}

/** The envelopes of one host. */
export interface Envelopes {
  readonly open: Envelope;
  /** For answers that end their connection. */
  readonly last: Envelope;
}

/**
 * @param keepAliveTimeout milliseconds
 * @param hstsMaxAge seconds; 0 for a host without TLS, whose browsers ignore the header (RFC 6797 §8.1)
 */
export function envelopesOf(keepAliveTimeout: number, hstsMaxAge: number): Envelopes {
  const lines = ['x-content-type-options', 'nosniff'];
  if (hstsMaxAge > 0) lines.push('strict-transport-security', `max-age=${hstsMaxAge}`);
  let keepAlive = '';
  for (let index = 0; index < lines.length; index += 2)
    keepAlive += `${lines[index]}: ${lines[index + 1]}\r\n`;
  const timeout = Math.floor(keepAliveTimeout / 1_000);
  keepAlive += `connection: keep-alive\r\nkeep-alive: timeout=${timeout}\r\n`;
  return {
    open: { lines, keepAlive },
    last: { lines: [...lines, 'connection', 'close'], keepAlive: undefined },
  };
}

/**
 * Writes an answer. A text is written at once, and the function returns undefined. The promise of a stream resolves when
 * everything is written or the client has gone, and rejects with the error of the iterator.
 * @param lines further header names and values, in turn
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
  const whole = response.whole();
  return whole === undefined ? undefined : writeAny(whole, answered, lines, envelope, streamTurn);
}

/**
 * Tells the client to send the body. A response that waits for the answer before it has no socket yet, and Node would write this
 * behind the head of an answer in bytes. Then the client sends the body after a while (RFC 9110 §10.1.1), or has sent it already.
 */
export function writeContinue(response: ServerResponse | undefined): void {
  if (response?.socket) response.writeContinue();
}

/** Writes the answer if its head is ready; returns whether it did. */
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
  // Only ASCII has as many bytes as characters, and latin1 writes ASCII without encoding it.
  const encoding = length === body.length ? 'latin1' : 'utf8';
  const rest = `${dateLine()}${keepAlive}content-length: ${length}\r\n\r\n`;
  return response.sendReady(status, `${head}${rest}`, body, encoding);
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
  if (typeof body === 'object' && !(body instanceof Uint8Array)) {
    response.writeHead(status, lines);
    return writeStream(response, body, streamTurn);
  }
  // RFC 9110 §8.6: "A server MUST NOT send a Content-Length header field in any response with a status code
  // of 1xx (Informational) or 204 (No Content)". The length of a 304 would have to be that of the 200.
  if (status !== 204 && status !== 304) lines.push('content-length', contentLength(body));
  response.writeHead(status, lines);
  if (body === undefined) response.end();
  else response.end(body);
  return undefined;
}

function contentLength(body: string | Uint8Array | undefined): string {
  return body === undefined ? '0' : String(Buffer.byteLength(body));
}

async function writeStream(
  response: ServerResponse,
  chunks: AsyncIterable<string | Uint8Array>,
  streamTurn: () => Promise<void>,
): Promise<void> {
  if (response.req.method === 'HEAD') {
    await chunks[Symbol.asyncIterator]().return?.();
    response.end();
    return;
  }
  // The socket, not the response: a pipelined response that waits for its turn never learns that the socket has closed.
  const { socket } = response.req;
  const iterator = chunks[Symbol.asyncIterator]();
  // A source that waits for its next event learns here that its reader has gone.
  const leave = (): void => void iterator.return?.().catch(() => undefined);
  socket.once('close', leave);
  try {
    let written_bytes = 0;
    for await (const chunk of { [Symbol.asyncIterator]: () => iterator }) {
      if (socket.destroyed) return;
      written_bytes += chunk.length;
      if (!response.write(chunk)) await drained(response, socket);
      else if (written_bytes < TURN_BYTES) continue;
      written_bytes = 0;
      // Also after `drain`: otherwise a fast reader makes every other request wait.
      await streamTurn();
    }
    response.end();
  } catch (cause) {
    // Without the last chunk the client knows that the answer is incomplete.
    response.destroy();
    throw cause;
  } finally {
    socket.off('close', leave);
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

interface ReadyHead {
  readonly status: number;
  readonly lines: readonly string[];
  readonly text: string;
}

type Headers = Readonly<Record<string, string>>;

const ready = new WeakMap<Headers, ReadyHead>();

/**
 * Returns status line and header lines as text if the headers are a frozen object; undefined for all others, which Node
 * checks in `writeHead`. An endpoint that answers with one frozen object again and again has it checked and joined once.
 * @param lines further names and values, in turn; the text is kept while they are the same array
 */
function readyHead(status: number, headers: Headers, lines: readonly string[]): string | undefined {
  const known = ready.get(headers);
  if (known?.status === status && known.lines === lines) return known.text;
  if (status < 200 || status === 204 || status === 304 || !Object.isFrozen(headers)) return undefined;
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (const name in headers) text += headerLine(name, String(headers[name]));
  for (let index = 0; index + 1 < lines.length; index += 2) {
    text += headerLine(String(lines[index]), String(lines[index + 1]));
  }
  ready.set(headers, { status, lines, text });
  return text;
}

function headerLine(name: string, value: string): string {
  validateHeaderName(name);
  validateHeaderValue(name, value);
  return `${name}: ${value}\r\n`;
}

let second = 0;
let date = '';

/** RFC 9110 §6.6.1: "An origin server with a clock … MUST generate a Date header field in all 2xx (Successful), 3xx (Redirection), and 4xx (Client Error) responses". */
function dateLine(): string {
  const now = Math.floor(Date.now() / 1_000);
  if (now !== second) {
    second = now;
    date = `date: ${new Date(now * 1_000).toUTCString()}\r\n`;
  }
  return date;
}
