import type { Endpoint } from '../endpoints/contract.ts';

/** The endpoints of one issuer, as a router takes them. */
export interface Site {
  /** The tenant's id, for the log. */
  readonly tenant?: string;
  /** The path of the issuer without a trailing slash: `''` or `/c2`. */
  readonly issuerPath: string;
  /** Their contracts' paths are relative to `issuerPath`. */
  readonly endpoints: readonly Endpoint[];
  /** Their contracts' paths are absolute: RFC 8414 §3.1 puts the well-known string before the issuer's path. */
  readonly endpointsOutsideIssuer?: readonly Endpoint[];
  /** Origins whose pages may read answers of `cors: 'configured'` endpoints; compared exactly, as serialised by RFC 6454 §6.2. */
  readonly allowedOrigins: readonly string[];
}

/** The endpoints at one path. */
export interface Resource {
  /** By method; HEAD is served by the endpoint of GET (RFC 9110 §9.3.2). */
  readonly routes: ReadonlyMap<string, Endpoint>;
  /** The value of `Allow` (RFC 9110 §10.2.1). */
  readonly allow: string;
  readonly allowedOrigins: ReadonlySet<string>;
  readonly tenant: string | undefined;
}

export interface Match {
  readonly resource: Resource;
  /** The raw segment in the place of `{id}`, still percent-encoded; `''` if the path has none. */
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
 * Returns a router over the endpoints of all sites. Paths are compared as they were sent: case-sensitive, nothing decoded,
 * no dot segment removed, no slash added. So two spellings never reach one resource, and `%2F` is never a separator.
 * @throws Error if two endpoints have the same method and path, or a path cannot be routed
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
  // Some URL parsers resolve dot segments and backslashes to another resource; here they match nothing.
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
    throw new Error(
      `${endpoint.contract.name}: ${path} cannot be routed: begin with / and use {id} as the last segment only`,
    );
  }
  const resource = table.get(key) ?? { routes: new Map<string, Endpoint>(), allow: '', ...own };
  const { method } = endpoint.contract;
  if (resource.routes.has(method)) throw new Error(`two endpoints have the route ${method} ${path}`);
  resource.routes.set(method, endpoint);
  if (method === 'GET') resource.routes.set('HEAD', endpoint);
  resource.allow = [...resource.routes.keys(), 'OPTIONS'].join(', ');
  table.set(key, resource);
}
