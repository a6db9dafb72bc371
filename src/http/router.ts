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
  /** The raw segments in the places of `{name}`, by name, still percent-encoded; empty if the path has none. */
  readonly segments: Segments;
}

/** Segments of a path by the names that a contract gives them. */
export type Segments = Readonly<Record<string, string>>;

export interface Router {
  /** `path` is the raw request target without its query. */
  find(path: string): Match | undefined;
}

interface ResourceUnderway extends Resource {
  readonly routes: Map<string, Endpoint>;
  allow: string;
}

/** Paths with `{name}` in them, as a tree: each level is a segment. */
interface Level {
  readonly literal: Map<string, Level>;
  /** The level below `{name}`. */
  named: Level | undefined;
  resource: (ResourceUnderway & { readonly names: readonly string[] }) | undefined;
}

const NONE: Segments = Object.freeze({});
const NAMED = /^\{([a-z_]+)\}$/u;

const emptyLevel = (): Level => ({ literal: new Map(), named: undefined, resource: undefined });

/**
 * Returns a router over the endpoints of all sites. Paths are compared as they were sent: case-sensitive, nothing decoded,
 * no dot segment removed, no slash added. So two spellings never reach one resource, and `%2F` is never a separator.
 * A path without `{name}` comes before one with it, and a literal segment before a named one.
 * @throws Error if two endpoints have the same method and path, or a path cannot be routed
 */
export function buildRouter(sites: readonly Site[]): Router {
  const exact = new Map<string, ResourceUnderway>();
  const root = emptyLevel();
  for (const site of sites) {
    const own = { allowedOrigins: new Set(site.allowedOrigins), tenant: site.tenant };
    for (const endpoint of site.endpoints) {
      place(exact, root, site.issuerPath + endpoint.contract.path, endpoint, own);
    }
    for (const endpoint of site.endpointsOutsideIssuer ?? []) {
      place(exact, root, endpoint.contract.path, endpoint, own);
    }
  }
  const matches = new Map([...exact].map(([path, resource]) => [path, { resource, segments: NONE }]));
  const depth = depthOf(root);
  return { find: (path) => matches.get(path) ?? findBySegments(root, path, depth) };
}

const depthOf = ({ literal, named }: Level): number =>
  [...literal.values(), ...(named === undefined ? [] : [named])].reduce(
    (depth, level) => Math.max(depth, 1 + depthOf(level)),
    0,
  );

function findBySegments(root: Level, path: string, depth: number): Match | undefined {
  // A longer path matches nothing, and costs no more than the longest that does.
  const segments = path.split('/', depth + 2);
  if (segments.length > depth + 1 || segments[0] !== '') return undefined;
  return matchFrom(root, segments, 1, []);
}

function matchFrom(
  level: Level,
  segments: readonly string[],
  at: number,
  taken: readonly string[],
): Match | undefined {
  const segment = segments[at];
  if (segment === undefined) return matchOf(level, taken);
  const literal = level.literal.get(segment);
  const found = literal === undefined ? undefined : matchFrom(literal, segments, at + 1, taken);
  if (found !== undefined || level.named === undefined || !isSegment(segment)) return found;
  return matchFrom(level.named, segments, at + 1, [...taken, segment]);
}

/** Some URL parsers resolve dot segments and backslashes to another resource; here they match nothing. */
const isSegment = (segment: string): boolean =>
  segment !== '' && segment !== '.' && segment !== '..' && !segment.includes('\\');

function matchOf({ resource }: Level, taken: readonly string[]): Match | undefined {
  if (resource === undefined) return undefined;
  const segments = Object.fromEntries(resource.names.map((name, index) => [name, taken[index] ?? '']));
  return { resource, segments };
}

function place(
  exact: Map<string, ResourceUnderway>,
  root: Level,
  path: string,
  endpoint: Endpoint,
  own: Pick<Resource, 'allowedOrigins' | 'tenant'>,
): void {
  const resource = path.includes('{')
    ? placeBySegments(root, path, endpoint, own)
    : (exact.get(path) ?? emptyResource(own));
  if (!path.startsWith('/')) throw unroutable(endpoint, path);
  if (!path.includes('{')) exact.set(path, resource);
  const { method } = endpoint.contract;
  if (resource.routes.has(method)) throw new Error(`two endpoints have the route ${method} ${path}`);
  resource.routes.set(method, endpoint);
  if (method === 'GET') resource.routes.set('HEAD', endpoint);
  resource.allow = [...resource.routes.keys(), 'OPTIONS'].join(', ');
}

const emptyResource = (own: Pick<Resource, 'allowedOrigins' | 'tenant'>): ResourceUnderway => ({
  routes: new Map<string, Endpoint>(),
  allow: '',
  ...own,
});

function placeBySegments(
  root: Level,
  path: string,
  endpoint: Endpoint,
  own: Pick<Resource, 'allowedOrigins' | 'tenant'>,
): ResourceUnderway {
  const names: string[] = [];
  let level = root;
  for (const segment of path.split('/').slice(1)) {
    const [, name] = NAMED.exec(segment) ?? [];
    if (name === undefined && segment.includes('{')) throw unroutable(endpoint, path);
    if (name !== undefined) names.push(name);
    level = below(level, name === undefined ? segment : undefined);
  }
  level.resource ??= { ...emptyResource(own), names };
  if (level.resource.names.join() !== names.join()) throw unroutable(endpoint, path);
  return level.resource;
}

function below(level: Level, literal: string | undefined): Level {
  if (literal === undefined) {
    level.named ??= emptyLevel();
    return level.named;
  }
  const next = level.literal.get(literal) ?? emptyLevel();
  level.literal.set(literal, next);
  return next;
}

const unroutable = (endpoint: Endpoint, path: string): Error =>
  new Error(
    `${endpoint.contract.name}: ${path} cannot be routed: begin with /, and give each {name} a whole segment and the same names at each method`,
  );
