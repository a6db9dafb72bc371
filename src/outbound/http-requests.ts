import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import type { CachingHeaders, Expectation, Fetched, PostedBody } from '../ports/outbound-http.ts';
import { FetchFailure, failureFrom } from './fetch-failure.ts';

const HEADER_BYTES_MAX = 16_384;

const CACHING = ['age', 'cache-control', 'date', 'etag', 'expires', 'vary'] as const;

const NOT_MODIFIED = 304;

/** RFC 6585 §4. */
const TOO_MANY_REQUESTS = 429;

const CONTENT_TYPE = /^\s*([\w!#$&^.+-]+\/[\w!#$&^.+-]+)\s*(?:;(.*))?$/u;
const CHARSET = /(?:^|;)\s*charset\s*=\s*"?([^\s";]*)"?/iu;

export type Document = Omit<Extract<Fetched, { readonly status: 'ok' }>, 'status'>;

export interface DocumentLimits extends Expectation {
  /** Bytes. */
  readonly bodyMax: number;
  /** Posted; absent: the document is fetched by GET. */
  readonly form?: Readonly<Record<string, string>>;
  readonly traceparent?: string | undefined;
}

/**
 * Sends one GET, or one POST of a form, over a connection of its own and reads the document.
 * @throws FetchFailure unless the answer is a complete 200 without content coding, of an expected type, within the limit, or a
 * 304 to a request with an entity tag
 */
export async function fetchDocument(
  socket: Socket,
  url: URL,
  limits: DocumentLimits,
  signal: AbortSignal,
): Promise<Document> {
  try {
    const { etag, mediaTypes, form, traceparent } = limits;
    const headers = {
      accept: mediaTypes.join(', '),
      ...(etag === undefined ? {} : { 'if-none-match': etag }),
      ...traced(traceparent),
    };
    const sent: Sent = form === undefined ? { method: 'GET', headers } : posted(form, headers);
    const response = await headersOf(socket, url, sent, signal);
    const caching = cachingHeaders(response);
    if (etag !== undefined && response.statusCode === NOT_MODIFIED)
      return { body: new Uint8Array(), mediaType: '', caching, unchanged: true };
    const mediaType = checkHeaders(response, limits);
    const body = await bodyOf(response, limits.bodyMax);
    // A body may end with the connection (RFC 9112 §6.3). If we ended it ourselves at the deadline, it is incomplete.
    signal.throwIfAborted();
    return { body, mediaType, caching };
  } catch (failure) {
    if (signal.aborted) throw new FetchFailure('timeout', 'while the answer was read', { cause: failure });
    throw failureFrom(failure, isHeaderOverflow(failure) ? 'too-large' : 'connection');
  } finally {
    socket.destroy();
  }
}

/**
 * Sends one POST over a connection of its own. Returns the status code and does not read the rest of the answer.
 * @throws FetchFailure if no answer arrives
 */
export async function post(
  socket: Socket,
  url: URL,
  { body, headers, traceparent }: PostedRequest,
  signal: AbortSignal,
): Promise<number> {
  try {
    const { statusCode = 0 } = await headersOf(
      socket,
      url,
      postedBody(body, { accept: '*/*', ...headers, ...traced(traceparent) }),
      signal,
    );
    return statusCode;
  } catch (failure) {
    if (signal.aborted) throw new FetchFailure('timeout', 'before an answer', { cause: failure });
    throw failureFrom(failure, isHeaderOverflow(failure) ? 'too-large' : 'connection');
  } finally {
    socket.destroy();
  }
}

/** The body with its headers, and the place of this request in a trace. */
export interface PostedRequest extends PostedBody {
  readonly traceparent: string | undefined;
}

/** Returns a form as a body. */
export const formBody = (form: Readonly<Record<string, string>>): PostedBody => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(form).toString(),
});

const traced = (traceparent: string | undefined): Readonly<Record<string, string>> =>
  traceparent === undefined ? {} : { traceparent };

interface Sent {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

function posted(form: Readonly<Record<string, string>>, headers: Sent['headers']): Sent {
  const { body, headers: ofForm } = formBody(form);
  return postedBody(body, { ...headers, ...ofForm });
}

const postedBody = (body: string, headers: Sent['headers']): Sent => ({
  method: 'POST',
  headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
  body,
});

/** Sends a request without an agent, so that neither a connection pool nor a proxy of the environment is used. */
function headersOf(
  socket: Socket,
  url: URL,
  { method, headers, body }: Sent,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request({
    method,
    createConnection: () => socket,
    path: url.pathname + url.search,
    headers: {
      host: url.host,
      ...headers,
      'accept-encoding': 'identity',
      connection: 'close',
    },
    setHost: false,
    maxHeaderSize: HEADER_BYTES_MAX,
    insecureHTTPParser: false,
    signal,
  })
    .on('response', resolve)
    .on('error', reject)
    .on('close', () => reject(new FetchFailure('connection', 'closed before an answer')))
    .end(body);
  return promise;
}

function cachingHeaders({ headers }: IncomingMessage): CachingHeaders {
  return Object.fromEntries(
    CACHING.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]] as const])),
  );
}

/** Returns the media type, or throws FetchFailure if the headers are not acceptable. */
function checkHeaders(response: IncomingMessage, limits: DocumentLimits): string {
  const { bodyMax } = limits;
  const { statusCode = 0, headers } = response;
  if (statusCode >= 300 && statusCode < 400 && statusCode !== NOT_MODIFIED) {
    throw new FetchFailure('redirected', `status ${statusCode}`);
  }
  if (statusCode !== 200)
    throw new FetchFailure('status', `status ${statusCode}`, {
      passing: statusCode >= 500 || statusCode === TOO_MANY_REQUESTS,
    });
  const coding = headers['content-encoding'] ?? 'identity';
  const transfer = headers['transfer-encoding'] ?? 'chunked';
  if (coding.toLowerCase() !== 'identity' || transfer.toLowerCase() !== 'chunked') {
    throw new FetchFailure('encoded', `content coding ${coding}, transfer coding ${transfer}`.slice(0, 200));
  }
  const mediaType = expectedType(headers['content-type'] ?? '', limits);
  if (Number(headers['content-length'] ?? 0) > bodyMax) {
    throw new FetchFailure('too-large', `announced ${headers['content-length']} bytes`);
  }
  return mediaType;
}

function expectedType(header: string, { mediaTypes, anyJson = false }: Expectation): string {
  const [, type, parameters = ''] = CONTENT_TYPE.exec(header) ?? [];
  const mediaType = type?.toLowerCase();
  const charset = CHARSET.exec(parameters)?.[1]?.toLowerCase() ?? 'utf-8';
  const fits = (type: string): boolean => mediaTypes.includes(type) || (anyJson && type.endsWith('+json'));
  if (mediaType === undefined || !fits(mediaType) || charset !== 'utf-8') {
    throw new FetchFailure('media-type', `type ${JSON.stringify(header.slice(0, 200))}`);
  }
  return mediaType;
}

async function bodyOf(response: IncomingMessage, bodyMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > bodyMax) throw new FetchFailure('too-large', `more than ${bodyMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function isHeaderOverflow(failure: unknown): boolean {
  return failure instanceof Error && 'code' in failure && failure.code === 'HPE_HEADER_OVERFLOW';
}
