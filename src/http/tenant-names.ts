import type { TenantId } from '../spec/identifiers.ts';
import { issuerPath } from '../spec/issuer.ts';

/** An issuer, or an alias of one. */
export interface TenantName {
  readonly tenant: TenantId;
  readonly issuer: string;
  readonly path: string;
  /** The tenant is disabled: its names stay taken, and requests to them are refused. */
  readonly closed: boolean;
}

/** The parts of a request that can name its tenant. */
export interface Asked {
  /** The headers `Issuer` and `Tenant-ID`; undefined if the request has none, or if its peer may not send them. */
  readonly issuer: string | undefined;
  readonly tenantId: string | undefined;
  readonly host: string | undefined;
  readonly path: string;
}

/** `unknown`: no tenant has this name. `contradiction`: the two headers name two tenants. */
export type Choice = TenantName | 'unknown' | 'contradiction';

export interface TenantNames {
  /** Whether there is more than one name to choose from. */
  readonly several: boolean;
  /** Chooses among the configured names (decision 38). No part of a request ever becomes a part of an address. */
  choose(asked: Asked): Choice;
}

export interface NamedTenant {
  readonly tenant: TenantId;
  /** The issuer, then its aliases. */
  readonly issuers: readonly [string, ...string[]];
  /** Whether the tenant is disabled. A request for it is refused and never goes to another tenant. */
  readonly closed?: boolean;
}

type PathNames = ReadonlyMap<string, TenantName>;

const DEFAULT_PORT = /:(?:443|80)$/;

/** The names of all tenants, which change tenant by tenant. */
export interface TenantNameTable extends TenantNames {
  /** The origins of all names. The set changes with them. */
  readonly origins: ReadonlySet<string>;
  /** Gives tenants their names in place of those that they had. None gets a name that the default tenant has. */
  put(named: readonly NamedTenant[]): void;
  /** Takes all names of these tenants. */
  remove(tenants: readonly TenantId[]): void;
}

/** @param first the default tenant: a request for an unknown host is treated as one for its host */
export function tenantNames(first: NamedTenant, others: readonly NamedTenant[] = []): TenantNameTable {
  const byIssuer = new Map<string, TenantName>();
  const byTenant = new Map<string, readonly TenantName[]>();
  const hosts = new Map<string, Map<string, TenantName>>();
  const origins = new Set<string>();
  const firstHost = new URL(first.issuers[0]).host;
  let depthMax = 0;

  const add = (name: TenantName): void => {
    const { host, origin } = new URL(name.issuer);
    const paths = hosts.get(host) ?? new Map<string, TenantName>();
    hosts.set(host, paths.set(name.path, name));
    byIssuer.set(name.issuer, name);
    origins.add(origin);
    depthMax = Math.max(depthMax, name.path.split('/').length - 1);
  };
  const remove = ({ issuer, path }: TenantName): void => {
    const { host, origin } = new URL(issuer);
    const paths = hosts.get(host);
    byIssuer.delete(issuer);
    paths?.delete(path);
    if (paths?.size !== 0) return;
    hosts.delete(host);
    origins.delete(origin);
  };
  const give = ({ tenant, issuers, closed = false }: NamedTenant): void => {
    const names = issuers
      .filter((issuer) => !byIssuer.has(issuer))
      .map((issuer): TenantName => ({ tenant, issuer, path: issuerPath(issuer), closed }));
    byTenant.set(tenant, names);
    names.forEach(add);
  };
  const removeAll = (tenants: readonly TenantId[]): void => {
    for (const name of tenants.flatMap((tenant) => byTenant.get(tenant) ?? [])) remove(name);
    for (const tenant of tenants) byTenant.delete(tenant);
  };
  give(first);
  others.forEach(give);
  return {
    origins,
    put(named) {
      // One may get a name that another one of them gives up.
      removeAll(named.map(({ tenant }) => tenant));
      named.forEach(give);
    },
    remove: removeAll,
    get several() {
      return byIssuer.size > 1;
    },
    choose({ issuer, tenantId, host, path }) {
      if (issuer !== undefined || tenantId !== undefined) {
        return open(
          chosenByHeaders(
            issuer === undefined ? undefined : (byIssuer.get(issuer) ?? 'unknown'),
            tenantId === undefined ? undefined : (byTenant.get(tenantId)?.[0] ?? 'unknown'),
          ),
        );
      }
      const names = namesOfHost(hosts, host) ?? hosts.get(firstHost) ?? new Map<string, TenantName>();
      return open(longestPath(names, path, depthMax));
    },
  };
}

const open = (choice: Choice): Choice => (typeof choice !== 'string' && choice.closed ? 'unknown' : choice);

type Named = TenantName | 'unknown' | undefined;

function chosenByHeaders(byIssuer: Named, byTenant: Named): Choice {
  if (byIssuer === 'unknown' || byTenant === 'unknown') return 'unknown';
  if (byIssuer === undefined) return byTenant ?? 'unknown';
  return byTenant === undefined || byTenant.tenant === byIssuer.tenant ? byIssuer : 'contradiction';
}

/** Finds the names of a host, with or without its default port (RFC 9110 §4.2.3). */
function namesOfHost(hosts: ReadonlyMap<string, PathNames>, host: string | undefined): PathNames | undefined {
  if (host === undefined) return undefined;
  const lower = host.toLowerCase();
  return hosts.get(lower) ?? hosts.get(lower.replace(DEFAULT_PORT, ''));
}

const WELL_KNOWN = '/.well-known/';

/**
 * Chooses the name with the longest path that is a prefix of `path`. RFC 8414 §3.1 and RFC 9728 §3.1 put the well-known string
 * before the path of the issuer, and that path may be the end.
 */
function longestPath(names: PathNames, path: string, depthMax: number): Choice {
  if (!path.startsWith(WELL_KNOWN)) return longestPrefix(names, path, depthMax);
  const end = path.indexOf('/', WELL_KNOWN.length);
  if (end === -1) return names.get('') ?? 'unknown';
  const behind = path.slice(end);
  return names.get(behind) ?? longestPrefix(names, behind, depthMax);
}

function longestPrefix(names: PathNames, path: string, depthMax: number): Choice {
  const ends: number[] = [];
  for (let at = path.indexOf('/', 1); at !== -1 && ends.length < depthMax; at = path.indexOf('/', at + 1)) {
    ends.push(at);
  }
  for (const end of ends.reverse()) {
    const name = names.get(path.slice(0, end));
    if (name !== undefined) return name;
  }
  return names.get('') ?? 'unknown';
}
