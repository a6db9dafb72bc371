import type { AccessToken } from './access-token.ts';
import type { Refusal } from './challenge.ts';
import type { CheckedRequest, Outcome, Rules } from './resource-server.ts';

type Check = (request: CheckedRequest, rules?: Rules) => Promise<Outcome>;
type HeaderValue = string | readonly string[] | undefined;

/** The parts of `node:http` requests that the adapters read; requests of Express and Fastify have them too. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, HeaderValue>>;
  readonly socket?: unknown;
}

export interface NodeResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body?: string): unknown;
}

/** A request of Express, whose `originalUrl` is the address before a router took its part away. */
export interface ExpressRequest extends NodeRequest {
  readonly originalUrl?: string;
  token?: AccessToken;
}

export interface FastifyRequest {
  readonly raw: NodeRequest;
  token?: AccessToken;
}

export interface FastifyReply {
  code(status: number): FastifyReply;
  headers(headers: Readonly<Record<string, string>>): FastifyReply;
  send(body: string): unknown;
}

export interface HonoContext {
  readonly req: { readonly raw: Request };
  readonly env?: unknown;
  set(name: 'token', token: AccessToken): void;
}

/** The check of tokens for each framework. Each gives the token to the handlers behind it, or answers with the refusal. */
export interface Adapters {
  /** For a web-standard request: returns the token, or the response that refuses. */
  request(
    request: Request,
    rules?: Rules,
  ): Promise<{ readonly token: AccessToken } | { readonly response: Response }>;
  /** For `node:http`: returns the token, or undefined if the response is already sent. */
  node(request: NodeRequest, response: NodeResponse, rules?: Rules): Promise<AccessToken | undefined>;
  /** Middleware for Express and Connect; the token is `request.token`. */
  express(
    rules?: Rules,
  ): (request: ExpressRequest, response: NodeResponse, next: (failure?: unknown) => void) => Promise<void>;
  /** A hook for Fastify (`onRequest` or `preHandler`); the token is `request.token`. */
  fastify(rules?: Rules): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
  /** Middleware for Hono; the token is `context.get('token')`. */
  hono(rules?: Rules): (context: HonoContext, next: () => Promise<void>) => Promise<Response | undefined>;
}

export function adaptersOf(check: Check): Adapters {
  const node: Adapters['node'] = async (request, response, rules) => {
    const outcome = await check(checkedOf(request), rules);
    if ('token' in outcome) return outcome.token;
    sendRefusal(response, outcome.refusal);
    return undefined;
  };
  const request: Adapters['request'] = async (asked, rules) => {
    const outcome = await check(checkedOfWeb(asked), rules);
    return 'token' in outcome ? outcome : { response: responseOf(outcome.refusal) };
  };
  return {
    request,
    node,
    express: (rules) => async (asked, response, next) => {
      let outcome: Outcome;
      try {
        outcome = await check({ ...checkedOf(asked), url: asked.originalUrl ?? asked.url ?? '/' }, rules);
      } catch (failure) {
        next(failure);
        return;
      }
      if ('refusal' in outcome) return sendRefusal(response, outcome.refusal);
      asked.token = outcome.token;
      next();
    },
    fastify: (rules) => async (asked, reply) => {
      const outcome = await check(checkedOf(asked.raw), rules);
      if ('refusal' in outcome) {
        const { status, headers, body } = outcome.refusal;
        return await reply.code(status).headers(headers).send(body);
      }
      asked.token = outcome.token;
      return undefined;
    },
    hono: (rules) => async (context, next) => {
      const certificate = certificateOf(socketOf(context.env));
      const outcome = await check({ ...checkedOfWeb(context.req.raw), certificate }, rules);
      if ('refusal' in outcome) return responseOf(outcome.refusal);
      context.set('token', outcome.token);
      await next();
      return undefined;
    },
  };
}

function sendRefusal(response: NodeResponse, { status, headers, body }: Refusal): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(body);
}

const responseOf = ({ status, headers, body }: Refusal): Response =>
  new Response(body === '' ? null : body, { status, headers });

const oneOf = (value: HeaderValue): string | undefined =>
  // Two values would be read differently by others, so they count as one that is wrong.
  typeof value === 'string' || value === undefined ? value : value.join(', ');

function checkedOf({ method = 'GET', url = '/', headers, socket }: NodeRequest): CheckedRequest {
  return {
    method,
    url,
    authorization: oneOf(headers['authorization']),
    dpop: oneOf(headers['dpop']),
    certificate: certificateOf(socket),
  };
}

const checkedOfWeb = ({ method, url, headers }: Request): CheckedRequest => ({
  method,
  url,
  authorization: headers.get('authorization') ?? undefined,
  dpop: headers.get('dpop') ?? undefined,
});

/** The request of `node:http` behind a web-standard one, as `@hono/node-server` gives it. */
function socketOf(env: unknown): unknown {
  if (typeof env !== 'object' || env === null || !('incoming' in env)) return undefined;
  const { incoming } = env;
  return typeof incoming === 'object' && incoming !== null && 'socket' in incoming
    ? incoming.socket
    : undefined;
}

/** Returns the certificate that the client showed on this connection, in DER. */
function certificateOf(socket: unknown): Uint8Array | undefined {
  if (typeof socket !== 'object' || socket === null || !('getPeerCertificate' in socket)) return undefined;
  const { getPeerCertificate } = socket;
  if (typeof getPeerCertificate !== 'function') return undefined;
  const certificate: unknown = getPeerCertificate.call(socket);
  return typeof certificate === 'object' && certificate !== null && 'raw' in certificate
    ? (certificate.raw as Uint8Array)
    : undefined;
}
