import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { connect as connectOverTls } from 'node:tls';

/** Bytes for the wire, as they are; strings go as latin1. */
export type Part =
  | string
  | Uint8Array
  | { readonly wait_ms: number }
  | { readonly end: 'half-close' | 'reset' };

export interface Address {
  readonly host: string;
  readonly port: number;
  /** TLS, with the authority of the server's certificate (PEM) and the name in it; plain where it is absent. */
  readonly tls?: { readonly ca: string; readonly servername: string };
}

export interface RawAnswer {
  readonly status: number;
  /** By lower-case name; repeated headers joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Conversation {
  /** Whole answers, in order; 1xx included. */
  readonly answers: readonly RawAnswer[];
  /** All that came, as latin1. */
  readonly text: string;
  /** Whether the other side ended the connection. */
  readonly closed: boolean;
  readonly duration_ms: number;
}

export interface Expectation {
  /** The number of complete final responses to wait for. Default 1; `closed` waits for the end of the connection. */
  readonly until?: number | 'closed';
  /** The most that is waited, whatever happens. Default 5,000. */
  readonly timeout_ms?: number;
  /** Whether the answers are to HEAD and have no bodies. */
  readonly head?: boolean;
}

/** Sends the parts over a new connection and collects what comes back. Never rejects for what the peer does. */
export async function converse(
  address: Address,
  parts: readonly Part[],
  { until = 1, timeout_ms = 5_000, head = false }: Expectation = {},
): Promise<Conversation> {
  const started = performance.now();
  const { socket, wire } = connectTo(address);
  const received: Buffer[] = [];
  let closed = false;
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const deadline = setTimeout(end, timeout_ms);
  const ended = (): void => {
    closed = true;
    end();
  };
  socket.on('error', ended).on('close', ended).on('end', ended);
  socket.on('data', (chunk: Buffer) => {
    received.push(chunk);
    if (until === 'closed') return;
    const finals = parseAnswers(textOf(received), head, false).filter(({ status }) => status >= 200);
    if (finals.length >= until) end();
  });
  await sendAll(socket, wire, parts);
  await over;
  clearTimeout(deadline);
  socket.destroy();
  const text = textOf(received);
  return {
    answers: parseAnswers(text, head, closed),
    text,
    closed,
    duration_ms: performance.now() - started,
  };
}

/** `wire` is what the bytes go over: a connection is reset there, whatever is spoken above. */
function connectTo({ host, port, tls }: Address): { readonly socket: Socket; readonly wire: Socket } {
  const wire = connect({ host, port, allowHalfOpen: true });
  if (tls === undefined) return { socket: wire, wire };
  wire.on('error', () => undefined);
  return { socket: connectOverTls({ socket: wire, ...tls }), wire };
}

function textOf(received: readonly Buffer[]): string {
  return Buffer.concat(received).toString('latin1');
}

async function sendAll(socket: Socket, wire: Socket, parts: readonly Part[]): Promise<void> {
  for (const part of parts) {
    if (socket.destroyed) return;
    if (typeof part === 'string') socket.write(part, 'latin1');
    else if (part instanceof Uint8Array) socket.write(part);
    else if ('wait_ms' in part) await new Promise((resolve) => setTimeout(resolve, part.wait_ms));
    else if (part.end === 'reset') wire.resetAndDestroy();
    else socket.end();
  }
}

/** As many whole answers as `text` holds. */
function parseAnswers(text: string, head: boolean, closed: boolean): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = text;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return answers;
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1] ?? Number.NaN);
    const headers = parseHeaderLines(lines);
    const read = readContent(rest.slice(end + 4), status, headers, head, closed);
    if (read === undefined) return answers;
    answers.push({ status, headers, body: read.body });
    rest = read.rest;
  }
}

function parseHeaderLines(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
}

function readContent(
  rest: string,
  status: number,
  headers: Readonly<Record<string, string>>,
  head: boolean,
  closed: boolean,
): { body: string; rest: string } | undefined {
  if (head || status < 200 || status === 204 || status === 304) return { body: '', rest };
  if (headers['transfer-encoding'] === 'chunked') return readChunks(rest);
  const length = Number(headers['content-length'] ?? Number.NaN);
  if (Number.isNaN(length)) return closed ? { body: rest, rest: '' } : undefined;
  return rest.length < length ? undefined : { body: rest.slice(0, length), rest: rest.slice(length) };
}

function readChunks(text: string): { body: string; rest: string } | undefined {
  let body = '';
  let rest = text;
  for (;;) {
    const line = rest.indexOf('\r\n');
    if (line === -1) return undefined;
    const size = Number.parseInt(rest.slice(0, line), 16);
    const next = line + 2 + size + 2;
    if (rest.length < next) return undefined;
    if (size === 0) return { body, rest: rest.slice(next) };
    body += rest.slice(line + 2, line + 2 + size);
    rest = rest.slice(next);
  }
}
