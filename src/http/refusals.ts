import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { EndpointResponse } from '../endpoints/contract.ts';
import { problemResponse, statusProblem } from '../endpoints/problem-response.ts';
import type { Response, WholeRequest, WholeResponse } from './messages.ts';
import { type Envelope, writeResponse } from './response-writer.ts';

/** Statuses of answers that no endpoint gives (decision 39), with their `error_description`. */
const DESCRIPTIONS = {
  400: 'The request is malformed.',
  404: undefined,
  405: 'This method is not supported here.',
  408: 'The request did not arrive in time.',
  413: 'The request body is too large.',
  417: 'This expectation cannot be met.',
  431: 'The request header is too large.',
  503: 'The server is receiving too many request bodies; try again later.',
} as const;

export type EdgeStatus = keyof typeof DESCRIPTIONS;

/** A refusal before any endpoint, in no form yet. */
export interface EdgeRefusal {
  readonly status: EdgeStatus;
  readonly error_description: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** @param error_description replaces the default; ASCII without `"` and `\` (RFC 6749 §5.2) */
export const edgeRefusal = (
  status: EdgeStatus,
  error_description: string | undefined = DESCRIPTIONS[status],
  headers: EdgeRefusal['headers'] = {},
): EdgeRefusal => ({ status, error_description, headers });

/** The request that an answer of the edge is for. */
export interface Addressed {
  /** The path and query as they were sent; undefined if they could not be read. */
  readonly target: string | undefined;
  /** Identifies the request in the log. */
  readonly id: string;
}

const ADMINISTRATION = /\/admin\/v1(?:[/?]|$)/u;

/** Says whether an address belongs to the administration, on any listener and below any issuer: all answers there have one form. */
const isAdministration = ({ target = '' }: Pick<Addressed, 'target'>): boolean => ADMINISTRATION.test(target);

/**
 * Returns the answer that refuses a request before any endpoint, in the form of the endpoints at its address.
 *
 * No cache may keep it: a cache would give one tenant's 404 to another (RFC 9110 §15.5.5: "heuristically cacheable").
 */
export function refusalAnswer(refusal: EdgeRefusal, addressed: Addressed): EndpointResponse {
  const { status, error_description, headers } = refusal;
  if (isAdministration(addressed)) return statusProblem(addressed, { ...refusal, detail: error_description });
  const uncached = { 'cache-control': 'no-store', ...headers };
  if (error_description === undefined) return { status, headers: uncached };
  return {
    status,
    headers: { 'content-type': 'application/json', ...uncached },
    body: JSON.stringify({
      error: status === 503 ? 'temporarily_unavailable' : 'invalid_request',
      error_description,
    }),
  };
}

/** Returns the answer to a request that met a fault of the server outside its endpoint. */
export const faultAnswer = (addressed: Addressed, cause: unknown): EndpointResponse =>
  isAdministration(addressed) ? problemResponse({}, addressed, cause) : { status: 500, headers: {} };

const STATUS_BY_CODE: Readonly<Record<string, EdgeStatus>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/**
 * Answers a request that Node's parser could not read, and closes the connection.
 *
 * Returns the status that was sent. Returns undefined if the client cannot read an answer any more, or if the request at
 * fault was answered already.
 * @param response the last one that was begun on the connection
 * @param envelope of an answer that ends its connection
 * @param id identifies the request in the log
 */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  response: Response | undefined,
  envelope: Envelope,
  id: string,
): EdgeStatus | undefined {
  // The handshake failed, or a record is not TLS: an answer cannot be encrypted.
  const withoutTls =
    error.code?.startsWith('ERR_SSL_') === true || error.code?.startsWith('ERR_TLS_') === true;
  if (error.code === 'ECONNRESET' || withoutTls || !socket.writable) {
    socket.destroy();
    return undefined;
  }
  // The header at fault began a request that has no response yet.
  if (response === undefined || response.isOver) {
    return sendAndClose(socket, statusOf(error), { target: targetIn(error), id });
  }
  const whole = response.whole();
  if (whole === undefined || whole.req.complete || whole.headersSent) {
    closeAfter(whole, socket);
    return undefined;
  }
  // The fault lies in this request's body. Its own response keeps pipelined answers in order.
  const status = statusOf(error);
  // Node destroys no request whose answer is written, so nothing else would give back its memory.
  whole.req.dropBody();
  const answer = refusalAnswer(edgeRefusal(status), { target: whole.req.url, id });
  void writeResponse(whole, answer, [], envelope);
  return status;
}

/**
 * Refuses CONNECT, after the answers that are due, and closes the connection. Returns the status if it was sent.
 * @param tunnel what Node hands over with the request: its socket, or a stream around it while a body arrives
 * @param response the last one that was begun on the connection
 */
export function refuseConnect(
  tunnel: Duplex,
  socket: Socket,
  response: Response | undefined,
  addressed: Addressed,
): EdgeStatus | undefined {
  // Node has taken its own listeners away. A client may reset its connection at any moment, or never read.
  for (const stream of new Set([tunnel, socket])) stream.on('error', () => socket.destroy());
  socket.on('timeout', () => socket.destroy());
  if (response === undefined || response.isOver) return sendAndClose(socket, 400, addressed);
  closeAfter(response.whole(), socket);
  return undefined;
}

const REQUEST_LINE = /^[A-Z]+ (\/\S*)/u;
/** A longer target is not looked for: what it has behind this decides nothing. */
const REQUEST_LINE_MAX = 2048;

/** Returns the target in the bytes that the parser could not read; undefined if they do not begin with a request line. */
function targetIn({
  rawPacket,
}: NodeJS.ErrnoException & { readonly rawPacket?: Buffer }): string | undefined {
  return REQUEST_LINE.exec(rawPacket?.toString('latin1', 0, REQUEST_LINE_MAX) ?? '')?.[1];
}

/** Connections that close after an answer that is due. Each further packet from their clients is a further error. */
const closing = new WeakSet<Socket>();

/** Lets answers that are due, and streams, finish before the connection closes. Without a response they are written. */
function closeAfter(response: WholeResponse | undefined, socket: Socket): void {
  if (closing.has(socket)) return;
  closing.add(socket);
  if (response === undefined) return socket.destroySoon();
  discarding.get(response.req)?.();
  if (response.writableFinished) socket.destroySoon();
  else response.once('close', () => socket.destroySoon());
}

function statusOf(error: NodeJS.ErrnoException): EdgeStatus {
  return STATUS_BY_CODE[error.code ?? ''] ?? 400;
}

/** Writes an answer to the socket itself: Node has no response object for a request that it could not read. */
function sendAndClose(socket: Socket, status: EdgeStatus, addressed: Addressed): EdgeStatus {
  const { headers, body } = refusalAnswer(edgeRefusal(status), addressed);
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

/** How to stop waiting for the rest of a request whose refusal is written. */
const discarding = new WeakMap<WholeRequest, () => void>();

/** Reads and drops the rest of the request until it ends or a limit is reached; then calls `done` once. */
export function discardBody(
  request: WholeRequest,
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
  discarding.set(request, finish);
  request.dropBody((bytes) => {
    size_bytes += bytes;
    if (bytes === 0 || size_bytes > limits.bytes) finish();
  });
}
