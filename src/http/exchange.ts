import { answer } from '../endpoints/answer.ts';
import type { Endpoint, EndpointResponse } from '../endpoints/contract.ts';
import type { Log } from '../ports/log.ts';
import { NotFound, OAuthError, TooManyRequests } from '../spec/errors.ts';
import type { ClientAddress } from './client-address.ts';
import type { CertificateReader } from './client-certificate.ts';
import { corsHeaders, preflightHeaders } from './cors.ts';
import { discardBody } from './discarded-body.ts';
import { edgeRefusal } from './edge-refusal.ts';
import type { EndOfTurn } from './end-of-turn.ts';
import { EMPTY_BODY, type Request, type Response } from './messages.ts';
import type { RequestHeaders } from './raw-headers.ts';
import { type Envelope, LAST_ENVELOPE, writeResponse } from './response-writer.ts';
import type { Match, Router } from './router.ts';
import type { Observe } from './site.ts';
import { findAmongTenants, namesTenant, type Tenancy, VARY_BY_TENANT } from './tenancy.ts';

/** What all exchanges of one host have in common. */
export interface Edge {
  /** Of the only site, or of the first of several. */
  readonly router: Router;
  /** Absent where there is one site for ever. */
  readonly tenancy: Tenancy | undefined;
  /** Whether a peer may name a tenant in a header. */
  readonly mayNameTenant: (peer: string) => boolean;
  readonly bodyLimit_bytes: number;
  readonly log: Log;
  readonly observe: Observe;
  readonly clientAddress: ClientAddress;
  readonly clientCertificate: CertificateReader;
  /** Gathers exchanges whose requests are whole, for `handle`. */
  readonly whole: EndOfTurn<WholeExchange>;
  /** Resolves when a stream that has written enough for a turn may go on. */
  readonly streamTurn: () => Promise<void>;
  /** Another when the host stops: answers then end their connections. */
  envelope: Envelope;
}

/** One request and its response. */
export interface Exchange {
  readonly request: Request;
  readonly response: Response;
  /** The request target as it was sent. */
  readonly target: string;
  readonly id: string;
  /** `performance.now()` at its begin. */
  readonly started: number;
  /** Whose it is, as soon as that is known. */
  tenant: string | undefined;
}

/** All that its endpoint needs is there. */
export interface WholeExchange {
  readonly exchange: Exchange;
  readonly endpoint: Endpoint;
  readonly segment: string;
  readonly headers: RequestHeaders;
  readonly body: Uint8Array;
  /** Header names and values of every answer to it. */
  readonly lines: readonly string[];
}

const EDGE = 'edge';
/** How much a refused client may still send, so that it reads its refusal and not a reset (RFC 9112 §9.6). */
const DISCARD = { bytes: 1_048_576, milliseconds: 1_000 };

/** The story of a request: headers → tenant → path → method → body → end of the turn → endpoint → response. */
export function serve(edge: Edge, exchange: Exchange): void {
  const { request, target } = exchange;
  const headers = request.fields;
  if (typeof headers === 'string') return refuseAndClose(edge, exchange, edgeRefusal(400, headers), headers);
  if (target.charCodeAt(0) !== 0x2f) return refuse(edge, exchange, edgeRefusal(400), 'target is not a path');
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  const { tenancy } = edge;
  if (tenancy === undefined || !(tenancy.several() || namesTenant(headers))) {
    const match = edge.router.find(path);
    if (match !== undefined || tenancy === undefined) return route(edge, exchange, headers, match);
  }
  void findTenant(edge, tenancy, exchange, headers, path);
}

async function findTenant(
  edge: Edge,
  tenancy: Tenancy,
  exchange: Exchange,
  headers: RequestHeaders,
  path: string,
): Promise<void> {
  const believed = namesTenant(headers) && edge.mayNameTenant(exchange.request.socket.remoteAddress ?? '');
  try {
    const found = await findAmongTenants(tenancy, headers, path, believed);
    if (found === 'contradiction') {
      const words = 'The headers issuer and tenant-id name different tenants.';
      return refuse(edge, exchange, edgeRefusal(400, words), words);
    }
    if (found === 'unknown') return refuse(edge, exchange, edgeRefusal(404), 'unknown tenant');
    route(edge, exchange, headers, found);
  } catch (cause) {
    fail(edge, exchange, EDGE, cause);
  }
}

function route(edge: Edge, exchange: Exchange, headers: RequestHeaders, match: Match | undefined): void {
  const { request } = exchange;
  if (match === undefined) return refuseUnknownPath(edge, exchange);
  exchange.tenant = match.resource.tenant;
  const endpoint = match.resource.routes.get(request.method ?? '');
  if (endpoint === undefined) return answerMethod(edge, exchange, match, headers);
  receiveBody(edge, exchange, endpoint, match, headers);
}

function refuseUnknownPath(edge: Edge, exchange: Exchange): void {
  const traced = exchange.request.method === 'TRACE';
  refuse(
    edge,
    exchange,
    traced ? edgeRefusal(405, undefined, { allow: '' }) : edgeRefusal(404),
    'unknown path',
  );
}

/** OPTIONS, and methods that no endpoint of this path has. */
function answerMethod(edge: Edge, exchange: Exchange, { resource }: Match, headers: RequestHeaders): void {
  const allow = { allow: resource.allow };
  if (exchange.request.method !== 'OPTIONS') {
    return refuse(edge, exchange, edgeRefusal(405, undefined, allow), 'unsupported method');
  }
  send(edge, exchange, EDGE, { status: 204, headers: allow }, preflightHeaders(resource, headers));
}

function receiveBody(
  edge: Edge,
  exchange: Exchange,
  endpoint: Endpoint,
  match: Match,
  headers: RequestHeaders,
): void {
  const { request, response } = exchange;
  const lines = varied(edge, corsHeaders(endpoint, match.resource, headers['origin']));
  const length = headers['content-length'];
  if (length !== undefined && Number(length) > edge.bodyLimit_bytes) {
    return refuseAndClose(edge, exchange, edgeRefusal(413), 'content-length over the limit', lines);
  }
  const expectation = request.httpVersion === '1.1' ? headers['expect'] : undefined;
  if (expectation !== undefined && expectation.toLowerCase() !== '100-continue') {
    return refuseAndClose(edge, exchange, edgeRefusal(417), 'unknown expectation', lines);
  }
  const hasBody = headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
  const { segment } = match;
  if (endpoint.contract.body === 'none' || !hasBody) {
    if (hasBody) request.dropBody();
    return edge.whole.add({ exchange, endpoint, segment, headers, body: EMPTY_BODY, lines });
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    const refusal = edgeRefusal(400, 'The request body must not be compressed.');
    return refuseAndClose(edge, exchange, refusal, 'content-encoding', lines);
  }
  if (expectation !== undefined) response.writeContinue();
  request.readBody((body) => {
    if (body !== undefined) edge.whole.add({ exchange, endpoint, segment, headers, body, lines });
    else refuseAndClose(edge, exchange, edgeRefusal(413), 'body over the limit', lines);
  });
}

function varied(edge: Edge, lines: readonly string[]): readonly string[] {
  if (edge.tenancy?.several() !== true) return lines;
  return lines.length === 0 ? VARY_BY_TENANT : [...VARY_BY_TENANT, ...lines];
}

/** Lets the endpoint answer. Does not throw. */
export function handle(edge: Edge, whole: WholeExchange): void {
  const { exchange, endpoint, segment, headers, body, lines } = whole;
  const { target, request } = exchange;
  const clientCertificate = edge.clientCertificate(request.socket, headers);
  if (typeof clientCertificate === 'string') {
    return refuse(edge, exchange, edgeRefusal(400, clientCertificate), clientCertificate);
  }
  const mark = target.indexOf('?');
  const { name } = endpoint.contract;
  let failure: unknown;
  const finish = (answered: EndpointResponse): void => {
    if (failure !== undefined) logFailure(edge.log, exchange, name, answered.status, failure);
    send(edge, exchange, name, answered, lines);
  };
  try {
    const answered = answer(
      endpoint,
      {
        method: request.method ?? '',
        segment,
        headers,
        query: mark === -1 ? '' : target.slice(mark + 1),
        body,
        id: exchange.id,
        remoteAddress: edge.clientAddress(request.socket.remoteAddress ?? '', headers['x-forwarded-for']),
        clientCertificate,
      },
      (thrown) => {
        failure = thrown;
      },
    );
    if (answered instanceof Promise)
      answered.then(finish).catch((cause: unknown) => fail(edge, exchange, name, cause));
    else finish(answered);
  } catch (cause) {
    fail(edge, exchange, name, cause);
  }
}

/** For faults of ours that nobody below turned into an answer. */
function fail(edge: Edge, exchange: Exchange, name: string, cause: unknown): void {
  logFailure(edge.log, exchange, name, 500, cause);
  send(edge, exchange, name, { status: 500, headers: {} }, []);
}

function send(
  edge: Edge,
  exchange: Exchange,
  name: string,
  answered: EndpointResponse,
  lines: readonly string[],
): void {
  const { response } = exchange;
  // Answered already: refused for what came after its header, or failed after its answer was out.
  if (response.headersSent) return;
  const writing = writeResponse(response, answered, lines, edge.envelope, edge.streamTurn);
  const observed = (): void =>
    edge.observe(name, answered.status, (performance.now() - exchange.started) / 1_000);
  if (writing === undefined) return observed();
  writing
    .catch((cause: unknown) => logFailure(edge.log, exchange, name, answered.status, cause))
    .finally(observed);
}

function refuse(edge: Edge, exchange: Exchange, refusal: EndpointResponse, detail: string): void {
  edge.log.info({ endpoint: EDGE, status: refusal.status, detail, request_id: exchange.id }, 'refused');
  send(edge, exchange, EDGE, refusal, varied(edge, []));
}

/** Refuses without reading the rest of the request, which ends the connection. */
function refuseAndClose(
  edge: Edge,
  exchange: Exchange,
  refusal: EndpointResponse,
  detail: string,
  lines: readonly string[] = [],
): void {
  const { request, response, id, started } = exchange;
  const { status, headers, body } = refusal;
  edge.log.info({ endpoint: EDGE, status, detail, request_id: id }, 'refused');
  const text = typeof body === 'string' ? body : '';
  const length = ['content-length', String(Buffer.byteLength(text))];
  response.writeHead(status, [
    ...Object.entries(headers).flat(),
    ...lines,
    ...LAST_ENVELOPE.lines,
    ...length,
  ]);
  response.write(text);
  edge.observe(EDGE, status, (performance.now() - started) / 1_000);
  discardBody(request, DISCARD, () => response.end());
}

function logFailure(
  log: Log,
  { id, tenant }: Exchange,
  endpoint: string,
  status: number,
  failure: unknown,
): void {
  const members = { endpoint, status, request_id: id, ...(tenant === undefined ? {} : { tenant }) };
  if (failure instanceof OAuthError) {
    log.info(
      { ...members, error: failure.code, detail: failure.detail ?? failure.error_description },
      'refused',
    );
  } else if (failure instanceof NotFound || failure instanceof TooManyRequests) {
    log.info({ ...members, detail: failure.message || 'not found' }, 'refused');
  } else log.error({ ...members, cause: failure }, 'failed');
}
