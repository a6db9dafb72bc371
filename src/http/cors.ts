import type { Endpoint } from '../endpoints/contract.ts';
import type { RequestHeaders } from './raw-headers.ts';
import type { Resource } from './router.ts';

type HeaderLines = readonly string[];

const NONE: HeaderLines = [];
const EXPOSED: HeaderLines = ['access-control-expose-headers', 'WWW-Authenticate, Link, DPoP-Nonce'];
const ANY: HeaderLines = ['access-control-allow-origin', '*', ...EXPOSED];
const VARY: HeaderLines = ['vary', 'Origin'];

/** Returns the header lines that let a page of the request's origin read the answer; never with credentials. */
export function corsHeaders(endpoint: Endpoint, resource: Resource, origin: string | undefined): HeaderLines {
  if (endpoint.contract.cors === 'any') {
    // A cache may give an answer to GET to a page of another origin, so every such answer carries the permission.
    return origin === undefined && endpoint.contract.method !== 'GET' ? NONE : ANY;
  }
  if (endpoint.contract.cors === 'none' || resource.allowedOrigins.size === 0) return NONE;
  if (origin === undefined || !resource.allowedOrigins.has(origin)) return VARY;
  return ['access-control-allow-origin', origin, ...EXPOSED, ...VARY];
}

/** Returns the header lines that answer a preflight (Fetch Standard, CORS-preflight fetch); none if the contract permits none. */
export function preflightHeaders(resource: Resource, headers: RequestHeaders): HeaderLines {
  const method = headers['access-control-request-method'];
  const endpoint = method === undefined ? undefined : resource.routes.get(method);
  if (method === undefined || endpoint === undefined || headers['origin'] === undefined) return NONE;
  const permission = corsHeaders(endpoint, resource, headers['origin']);
  if (!permission.includes('access-control-allow-origin')) return permission;
  return [
    ...permission,
    'access-control-allow-methods',
    method,
    'access-control-allow-headers',
    'Authorization, Content-Type, Accept, DPoP',
    'access-control-max-age',
    '600',
  ];
}
