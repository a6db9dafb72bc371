import { once } from 'node:events';
import { Agent, type IncomingMessage, request as sendRequest } from 'node:http';
import type { Contract, EndpointRequest, EndpointResponse } from '../endpoints/contract.ts';
import { statusProblem } from '../endpoints/problem-response.ts';
import type { Match, Router } from '../http/router.ts';
import type { Tenancy } from '../http/tenancy.ts';
import { DEFAULT_TENANT } from '../spec/identifiers.ts';

/** The addresses of the workers that serve: where each has its part of the management listener. */
type Workers = () => readonly string[];

/** Paths of the management listener that workers serve. */
const OF_WORKERS = /^\/(?:admin|console)(?:\/|$)/u;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** The name of passed-on requests: the worker counts them under their own. */
export const FORWARDED = 'forwarded';

const CONTRACT: Omit<Contract, 'method'> = {
  name: FORWARDED,
  path: '/',
  purpose: 'Passes a request of the management listener on to a worker.',
  credentials: ['none'],
  answers: {},
  specifications: [],
  statuses: [],
  errors: 'problem',
  cors: 'none',
  body: 'json',
};

/** Leaves the choice of the tenant to the worker. */
export function forwardingTenancy(workers: Workers): Tenancy {
  const router = forwardingRouter(workers);
  const name = { tenant: DEFAULT_TENANT, issuer: '', path: '', closed: false };
  return {
    several: () => false,
    names: async () => ({ several: false, choose: () => name }),
    router: async () => router,
  };
}

/**
 * Returns a router for the requests of the management listener that belong to workers. The process that owns the listener
 * has no tenants: it passes them on, one worker after the other, and streams answers as they come.
 */
function forwardingRouter(workers: Workers): Router {
  // A kept connection may end just when a change is sent on it, and the caller would not know whether it happened.
  const agent = new Agent({ keepAlive: false });
  let turn = 0;
  const endpointFor = (path: string, method: (typeof METHODS)[number]) => ({
    contract: { ...CONTRACT, method: method === 'HEAD' || method === 'OPTIONS' ? ('GET' as const) : method },
    handle: async (request: EndpointRequest): Promise<EndpointResponse> => {
      const addresses = workers();
      turn += 1;
      const inTurn = addresses.map((_, index) => addresses[(turn + index) % addresses.length] ?? '');
      for (const address of inTurn) {
        const answer = await passOn(agent, address + path, request);
        if (answer !== undefined) return answer;
      }
      return noWorker(request);
    },
  });
  return {
    find(path): Match | undefined {
      if (!OF_WORKERS.test(path)) return undefined;
      const routes = new Map(METHODS.map((method) => [method as string, endpointFor(path, method)]));
      return { resource: { routes, allow: '', allowedOrigins: NO_ORIGINS, tenant: undefined }, segments: {} };
    },
  };
}

const NO_ORIGINS: ReadonlySet<string> = new Set();

/** Answers as the operations of the worker would. */
const noWorker = (request: EndpointRequest): EndpointResponse =>
  statusProblem(request, {
    status: 503,
    detail: 'no worker serves now: retry later',
    headers: { 'retry-after': '1' },
  });

/** Headers of one connection (RFC 9110 §7.6.1), and those that the host of the listener writes itself. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'content-length',
  'date',
  'x-content-type-options',
]);

/** Sends a request to a worker; undefined if the worker took no connection, so that it has not seen the request. */
async function passOn(
  agent: Agent,
  url: string,
  request: EndpointRequest,
): Promise<EndpointResponse | undefined> {
  const { method, headers, query, body, remoteAddress } = request;
  const forwarded = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || OF_CONNECTION.has(name) ? [] : [[name, value] as const],
  );
  const sent = sendRequest(query === '' ? url : `${url}?${query}`, {
    agent,
    method,
    headers: {
      ...Object.fromEntries(forwarded),
      // The peers of this process are not those of the worker.
      'x-forwarded-for': remoteAddress,
      ...(body.length === 0 ? {} : { 'content-length': String(body.length) }),
    },
  });
  sent.end(body);
  try {
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return responseOf(answer);
  } catch (failure) {
    if (failure instanceof Error && 'code' in failure && failure.code === 'ECONNREFUSED') return undefined;
    return noWorker(request);
  }
}

function responseOf(answer: IncomingMessage): EndpointResponse {
  const { statusCode = 500, headers } = answer;
  const { 'set-cookie': cookies, ...lines } = headers;
  const { 'content-length': length } = headers;
  const isEmpty = statusCode === 204 || statusCode === 304 || length === '0';
  if (isEmpty) answer.resume();
  const kept = Object.entries(lines).flatMap(([name, value]) =>
    OF_CONNECTION.has(name) || typeof value !== 'string' ? [] : [[name, value] as const],
  );
  return {
    status: statusCode,
    headers: {
      ...Object.fromEntries(kept),
      // The host writes the length of an answer without a body, and passes on that of a stream.
      ...(isEmpty || length === undefined ? {} : { 'content-length': length }),
    },
    ...(cookies === undefined ? {} : { cookies }),
    ...(isEmpty ? {} : { body: streamOf(answer) }),
  };
}

/** Passes chunks on as they come, and ends the worker's answer when the caller goes. */
function streamOf(answer: IncomingMessage): AsyncIterable<Uint8Array> {
  const chunks = answer[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => await chunks.next(),
      async return() {
        answer.destroy();
        return { value: undefined, done: true };
      },
    }),
  };
}
