import { answer } from '../endpoints/answer.ts';
import type { Endpoint, EndpointResponse } from '../endpoints/contract.ts';
import type { Log } from '../ports/log.ts';
import type { RequestTrace, Tracing } from '../ports/tracing.ts';
import { networkOf } from '../spec/ip-address.ts';
import type { EdgeReason } from '../spec/refusal-reasons.ts';
import type { ClientAddress } from './client-address.ts';
import type { CertificateReader } from './client-certificate.ts';
import { corsHeaders, preflightHeaders } from './cors.ts';
import type { TurnBatch } from './event-loop.ts';
import type { Request, Response } from './messages.ts';
import { addressOf, EDGE, noteEdgeRefusal, noteFailure, placeOf, queryOf } from './noted-refusal.ts';
import type { RequestHeaders } from './raw-headers.ts';
import { logFailure } from './refusal-log.ts';
import { discardBody, type EdgeRefusal, edgeRefusal, faultAnswer, refusalAnswer } from './refusals.ts';
import { EMPTY_BODY } from './request-body.ts';
import { absoluteTarget } from './request-target.ts';
import { type Envelope, type Envelopes, writeContinue, writeResponse } from './response-writer.ts';
import type { Match, Router, Segments } from './router.ts';
import { findAmongTenants, namesTenant, type Tenancy, TenantsBusy, VARY_BY_TENANT } from './tenancy.ts';

/**
 * Is called once per response. `name` is the contract's name, or `edge` if no endpoint was reached; `seconds` count from
 * the head of the request to its answer.
 */
export type Observe = (name: string, status: number, seconds: number) => void;

/** Is called once per refusal by an endpoint. `reason` is an error code, `not_found` or `too_many_requests`. */
export type ObserveRefusal = (name: string, reason: string) => void;

/** Everything that the requests of one host share. The edge is the code between Node's parser and an endpoint. */
export interface Edge {
  /** Finds the endpoints of the only site, or of the first of several. */
  readonly router: Router;
  /** Undefined if there can be one site only. */
  readonly tenancy: Tenancy | undefined;
  /** Whether a peer may name a tenant in a header. */
  readonly mayNameTenant: (peer: string) => boolean;
  readonly bodyLimit_bytes: number;
  readonly log: Log;
  readonly observe: Observe;
  readonly observeRefusal: ObserveRefusal;
  readonly clientAddress: ClientAddress;
  readonly clientCertificate: CertificateReader;
  readonly tracing: Pick<Tracing, 'begin'>;
  /** Whether a peer may decide that a trace is recorded. */
  readonly mayTrace: (peer: string) => boolean;
  /** Gathers requests that have arrived in full, for `handle`. */
  readonly complete: TurnBatch<CompleteRequest>;
  /** Runs a stream without the deadline of its request. */
  readonly outsideRequest: Run;
  /** Resolves when a stream may write its next share. */
  readonly streamTurn: () => Promise<void>;
  readonly envelopes: Envelopes;
  /** Changes when the host stops: from then on answers end their connections. */
  envelope: Envelope;
  /** Requests that wait until the listening socket is closed; undefined while none has to wait. */
  held: RequestContext[] | undefined;
}

/** Runs an act, and everything that it waits for. */
export type Run = <T>(act: () => T) => T;

/** One request and its response. */
export interface RequestContext {
  /** Runs it with the deadline of its waits for the database. */
  readonly run: Run;
  readonly request: Request;
  readonly response: Response;
  /** The request target: the path and query as they were sent. */
  readonly target: string;
  readonly id: string;
  /** `performance.now()` when its headers had arrived. */
  readonly started: number;
  /** The tenant that it is for, as soon as the edge knows it. */
  tenant: string | undefined;
  /** Undefined while it has none. */
  trace: RequestTrace | undefined;
}

/** A request that has arrived in full, with its endpoint. */
export interface CompleteRequest {
  readonly context: RequestContext;
  readonly endpoint: Endpoint;
  readonly segments: Segments;
  readonly headers: RequestHeaders;
  readonly body: Uint8Array;
  /** Header names and values of every answer to it, in turn. */
  readonly lines: readonly string[];
}

/** How much a refused client may still send. Closing at once would reset the connection before it reads the refusal (RFC 9112 §9.6). */
const DISCARD = { bytes: 1_048_576, milliseconds: 1_000 };

/** Bodies that arrive stay for `listen.request-timeout` at the longest, and most of them for less than a second. */
const COME_AGAIN = { 'retry-after': '1' };
const FULL = 'the bodies that are arriving fill limits.bodies';

/** Serves a request, or holds it back while the listening socket closes. */
export function receive(edge: Edge, context: RequestContext): void {
  if (edge.held === undefined) serve(edge, context);
  else edge.held.push(context);
}

/**
 * Holds requests back from now on. Returns a function that ends this and serves those that still wait: a connection may
 * have ended meanwhile, or its request may have been refused for its broken body.
 */
export function holdRequests(edge: Edge): () => void {
  edge.held = [];
  return () => {
    const { held = [] } = edge;
    edge.held = undefined;
    for (const context of held) {
      const { request, response } = context;
      if (!request.socket.destroyed && !response.headersSent) serve(edge, context);
    }
  };
}

/** Serves a request: headers → tenant → path → method → body → end of the turn → endpoint → response. */
function serve(edge: Edge, context: RequestContext): void {
  const { request, target } = context;
  const headers = request.fields;
  if (typeof headers === 'string')
    return refuseAndClose(edge, context, edgeRefusal(400, headers), 'malformed-http', headers);
  if (target.charCodeAt(0) !== 0x2f) return serveOtherTarget(edge, context, headers);
  findEndpoint(edge, context, headers);
}

/** Serves a target that is not a path: in absolute form, or `*` for the whole server. */
function serveOtherTarget(edge: Edge, context: RequestContext, headers: RequestHeaders): void {
  const { method } = context.request;
  const absolute = absoluteTarget(context.target, method);
  const target = absolute?.target ?? context.target;
  if (target === '*' && method === 'OPTIONS') {
    return send(edge, context, EDGE, { status: 204, headers: {} }, varied(edge, []));
  }
  if (absolute === undefined)
    return refuse(edge, context, edgeRefusal(400), 'malformed-http', 'target is not a path');
  // RFC 9112 §3.2.2: "When an origin server receives a request with an absolute-form of request-target, the origin
  // server MUST ignore the received Host header field (if any) and instead use the host information of the request-target."
  const own: RequestHeaders = Object.assign(Object.create(null), headers, { host: absolute.host });
  findEndpoint(edge, { ...context, target }, own);
}

function findEndpoint(edge: Edge, context: RequestContext, headers: RequestHeaders): void {
  const { target } = context;
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  const { tenancy } = edge;
  if (tenancy === undefined || !(tenancy.several() || namesTenant(headers))) {
    const match = edge.router.find(path);
    if (match !== undefined || tenancy === undefined) return route(edge, context, headers, match);
  }
  void context.run(() => findTenant(edge, tenancy, context, headers, path));
}

async function findTenant(
  edge: Edge,
  tenancy: Tenancy,
  context: RequestContext,
  headers: RequestHeaders,
  path: string,
): Promise<void> {
  const own = tenancy.own?.find(path);
  if (own !== undefined) return route(edge, context, headers, own);
  const peer = context.request.socket.remoteAddress ?? '';
  const believed = namesTenant(headers) && edge.mayNameTenant(peer);
  const from = (): string => networkOf(edge.clientAddress(peer, headers['x-forwarded-for']));
  try {
    const found = await findAmongTenants(tenancy, headers, path, believed, from);
    if (found === 'contradiction') {
      const words = 'The headers issuer and tenant-id name different tenants.';
      return refuse(edge, context, edgeRefusal(400, words), 'contradicting-tenants');
    }
    if (found === 'unknown') return refuse(edge, context, edgeRefusal(404), 'unknown-tenant');
    route(edge, context, headers, found);
  } catch (cause) {
    if (cause instanceof TenantsBusy) return refuseBusy(edge, context, cause);
    fail(edge, context, EDGE, cause);
  }
}

/** Refuses a request for a closed tenant that cannot even wait for its opening. */
function refuseBusy(edge: Edge, context: RequestContext, { message, retryAfterSeconds }: TenantsBusy): void {
  const words = 'The server is opening too many tenants; try again later.';
  const later = { 'retry-after': String(retryAfterSeconds) };
  refuse(edge, context, edgeRefusal(503, words, later), 'tenants-busy', message);
}

function route(edge: Edge, context: RequestContext, headers: RequestHeaders, match: Match | undefined): void {
  const { request } = context;
  if (match === undefined) return refuseUnknownPath(edge, context);
  context.tenant = match.resource.tenant;
  const endpoint = match.resource.routes.get(request.method ?? '');
  if (endpoint === undefined) return answerMethod(edge, context, match, headers);
  receiveBody(edge, context, endpoint, match, headers);
}

function refuseUnknownPath(edge: Edge, context: RequestContext): void {
  const traced = context.request.method === 'TRACE';
  refuse(
    edge,
    context,
    traced ? edgeRefusal(405, undefined, { allow: '' }) : edgeRefusal(404),
    traced ? 'unsupported-method' : 'unknown-path',
  );
}

/** Answers OPTIONS, and methods without an endpoint at this path. */
function answerMethod(
  edge: Edge,
  context: RequestContext,
  { resource }: Match,
  headers: RequestHeaders,
): void {
  const allow = { allow: resource.allow };
  if (context.request.method !== 'OPTIONS') {
    return refuse(edge, context, edgeRefusal(405, undefined, allow), 'unsupported-method');
  }
  send(edge, context, EDGE, { status: 204, headers: allow }, preflightHeaders(resource, headers));
}

function receiveBody(
  edge: Edge,
  context: RequestContext,
  endpoint: Endpoint,
  match: Match,
  headers: RequestHeaders,
): void {
  const { request, response } = context;
  const lines = varied(edge, corsHeaders(endpoint, match.resource, headers['origin']));
  const length = headers['content-length'];
  if (length !== undefined && Number(length) > edge.bodyLimit_bytes) {
    return refuseAndClose(edge, context, edgeRefusal(413), 'body-too-large', undefined, lines);
  }
  const expectation = request.httpVersion === '1.1' ? headers['expect'] : undefined;
  if (expectation !== undefined && expectation.toLowerCase() !== '100-continue') {
    return refuseAndClose(edge, context, edgeRefusal(417), 'unknown-expectation', undefined, lines);
  }
  const hasBody = headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
  const { segments } = match;
  if (endpoint.contract.body === 'none' || !hasBody) {
    if (hasBody) request.dropBody();
    return edge.complete.add({ context, endpoint, segments, headers, body: EMPTY_BODY, lines });
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    const refusal = edgeRefusal(400, 'The request body must not be compressed.');
    return refuseAndClose(edge, context, refusal, 'compressed-body', undefined, lines);
  }
  if (expectation !== undefined) writeContinue(response.whole());
  request.readBody((body) => {
    if (typeof body === 'object') edge.complete.add({ context, endpoint, segments, headers, body, lines });
    else if (body === 'too-large')
      refuseAndClose(edge, context, edgeRefusal(413), 'body-too-large', undefined, lines);
    else refuseAndClose(edge, context, edgeRefusal(503, undefined, COME_AGAIN), 'bodies-full', FULL, lines);
  });
}

function varied(edge: Edge, lines: readonly string[]): readonly string[] {
  if (edge.tenancy?.several() !== true) return lines;
  return lines.length === 0 ? VARY_BY_TENANT : [...VARY_BY_TENANT, ...lines];
}

/** Lets the endpoint answer, with the deadline of the request. Never throws. */
export function handle(edge: Edge, complete: CompleteRequest): void {
  const { context } = complete;
  const trace = traceOf(edge, complete);
  if (trace === undefined) return context.run(() => handleHere(edge, complete));
  context.trace = trace;
  context.run(() => trace.run(() => handleHere(edge, complete)));
}

function traceOf(edge: Edge, { context, endpoint, headers }: CompleteRequest): RequestTrace | undefined {
  const { method, path } = endpoint.contract;
  const traceparent = headers['traceparent'];
  const peer = context.request.socket.remoteAddress ?? '';
  const trusted = traceparent !== undefined && edge.mayTrace(peer);
  return edge.tracing.begin({ method, route: path, request_id: context.id, traceparent, trusted });
}

function handleHere(edge: Edge, complete: CompleteRequest): void {
  const { context, endpoint, segments, headers, body, lines } = complete;
  const { target, request } = context;
  const clientCertificate = edge.clientCertificate(request.socket, headers);
  if (typeof clientCertificate === 'string') {
    return refuse(
      edge,
      context,
      edgeRefusal(400, clientCertificate),
      'certificate-header',
      clientCertificate,
    );
  }
  const { name } = endpoint.contract;
  let failure: unknown;
  const finish = (answered: EndpointResponse): void => {
    const refused = failure ?? answered.refused;
    if (refused !== undefined) noteFailure(edge, complete, answered.status, refused);
    send(edge, context, name, answered, lines);
  };
  try {
    const answered = answer(
      endpoint,
      {
        method: request.method ?? '',
        segment: segments['id'] ?? '',
        segments,
        headers,
        query: queryOf(target),
        body,
        id: context.id,
        remoteAddress: addressOf(edge, request, headers),
        clientCertificate,
      },
      (thrown) => {
        failure = thrown;
      },
    );
    if (answered instanceof Promise)
      answered.then(finish).catch((cause: unknown) => fail(edge, context, name, cause));
    else finish(answered);
  } catch (cause) {
    fail(edge, context, name, cause);
  }
}

/** Answers 500 for a fault of the server that no endpoint turned into an answer. */
function fail(edge: Edge, context: RequestContext, name: string, cause: unknown): void {
  logFailure(edge.log, placeOf(context, name, 500), cause);
  send(edge, context, name, faultAnswer(context, cause), []);
}

function send(
  edge: Edge,
  context: RequestContext,
  name: string,
  answered: EndpointResponse,
  lines: readonly string[],
): void {
  const { response } = context;
  // Already answered: the body was refused meanwhile, or the endpoint failed after its answer.
  if (response.headersSent) return;
  const write = (): Promise<void> | undefined =>
    writeResponse(response, answered, lines, edge.envelope, edge.streamTurn);
  const writing = isStream(answered) ? edge.outsideRequest(write) : write();
  const observed = (): void => {
    // Also what still arrives: the answer may be written before the body.
    context.request.dropBody();
    context.trace?.end(answered.status);
    edge.observe(name, answered.status, (performance.now() - context.started) / 1_000);
  };
  if (writing === undefined) return observed();
  writing
    .catch((cause: unknown) => void logFailure(edge.log, placeOf(context, name, answered.status), cause))
    .finally(observed);
}

const isStream = ({ body }: EndpointResponse): boolean => typeof body === 'object';

function refuse(
  edge: Edge,
  context: RequestContext,
  refusal: EdgeRefusal,
  reason: EdgeReason,
  detail?: string,
): void {
  noteEdgeRefusal(edge, context, refusal.status, reason, detail);
  context.request.dropBody();
  send(edge, context, EDGE, refusalAnswer(refusal, context), varied(edge, []));
}

/** Refuses without reading the rest of the request, and ends the connection. */
function refuseAndClose(
  edge: Edge,
  context: RequestContext,
  refusal: EdgeRefusal,
  reason: EdgeReason,
  detail?: string,
  lines: readonly string[] = [],
): void {
  const { started } = context;
  const response = context.response.whole();
  if (response === undefined) return;
  const { status, headers, body } = refusalAnswer(refusal, context);
  noteEdgeRefusal(edge, context, status, reason, detail);
  const text = typeof body === 'string' ? body : '';
  const length = ['content-length', String(Buffer.byteLength(text))];
  response.writeHead(status, [
    ...Object.entries(headers).flat(),
    ...lines,
    ...edge.envelopes.last.lines,
    ...length,
  ]);
  response.write(text);
  edge.observe(EDGE, status, (performance.now() - started) / 1_000);
  discardBody(response.req, DISCARD, () => response.end());
}
