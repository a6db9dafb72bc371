import type { Endpoint } from '../endpoints/contract.ts';
import type { Site } from './site.ts';

/** What stands at one path: an endpoint per method. */
export interface Resource {
  /** By method; HEAD stands beside GET (RFC 9110 §9.3.2). */
  readonly routes: ReadonlyMap<string, Endpoint>;
  /** The value of `Allow` (RFC 9110 §10.2.1). */
  readonly allow: string;
  readonly allowedOrigins: ReadonlySet<string>;
  readonly tenant: string | undefined;
}

export interface Match {
  readonly resource: Resource;
  /** The raw segment that stands for `{id}`, still percent-encoded; `''` where the path has none. */
  readonly segment: string;
}

export interface Router {
  /** `path` is the raw request target without its query. */
  find(path: string): Match | undefined;
}

interface ResourceUnderway extends Resource {
  readonly routes: Map<string, Endpoint>;
  allow: string;
}

const LAST_SEGMENT = '/{id}';

/**
 * Paths are compared as they were sent: case-sensitive, nothing decoded, no dot segment removed, no slash
 * added. So no two spellings reach one resource, and `%2F` is never a separator.
 */
export function buildRouter(sites: readonly Site[]): Router {
  const exact = new Map<string, ResourceUnderway>();
  const parents = new Map<string, ResourceUnderway>();
  for (const site of sites) {
    const own = { allowedOrigins: new Set(site.allowedOrigins), tenant: site.tenant };
    for (const endpoint of site.endpoints) {
      place(exact, parents, site.issuerPath + endpoint.contract.path, endpoint, own);
    }
    for (const endpoint of site.endpointsOutsideIssuer ?? []) {
      place(exact, parents, endpoint.contract.path, endpoint, own);
    }
  }
  const matches = new Map([...exact].map(([path, resource]) => [path, { resource, segment: '' }]));
  return { find: (path) => matches.get(path) ?? findBySegment(parents, path) };
}

function findBySegment(parents: ReadonlyMap<string, Resource>, path: string): Match | undefined {
  const slash = path.lastIndexOf('/');
  const resource = parents.get(path.slice(0, slash));
  if (resource === undefined) return undefined;
  const segment = path.slice(slash + 1);
  // Dot segments and backslashes mean another resource to some parsers of URLs; here they mean none.
  if (segment === '' || segment === '.' || segment === '..' || segment.includes('\\')) return undefined;
  return { resource, segment };
}

function place(
  exact: Map<string, ResourceUnderway>,
  parents: Map<string, ResourceUnderway>,
  path: string,
  endpoint: Endpoint,
  own: Pick<Resource, 'allowedOrigins' | 'tenant'>,
): void {
  const bySegment = path.endsWith(LAST_SEGMENT);
  const table = bySegment ? parents : exact;
  const key = bySegment ? path.slice(0, -LAST_SEGMENT.length) : path;
  if (!key.startsWith('/') || key.includes('{')) {
    throw new Error(`${endpoint.contract.name}: ${path} is not a path that can be routed`);
  }
  const resource = table.get(key) ?? { routes: new Map<string, Endpoint>(), allow: '', ...own };
  const { method } = endpoint.contract;
  if (resource.routes.has(method)) throw new Error(`two endpoints stand at ${method} ${path}`);
  resource.routes.set(method, endpoint);
  if (method === 'GET') resource.routes.set('HEAD', endpoint);
  resource.allow = [...resource.routes.keys(), 'OPTIONS'].join(', ');
  table.set(key, resource);
}
