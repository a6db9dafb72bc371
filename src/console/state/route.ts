import { computed, signal } from '@preact/signals';

/** The place in the console that the fragment of the address names. No server and no referrer sees it. */
export interface Route {
  /** The tenant that the console administers: `acme` in `#/@acme/clients`. Undefined is the one that the person signed in to. */
  readonly tenant: string | undefined;
  /** Decoded segments: `['clients', 'abc']`. */
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** Only the id of a tenant can become a header. */
const TENANT = /^@([a-z0-9][a-z0-9-]{0,62})$/u;

const current = signal<Route>(parse(location.hash));

export const route = computed(() => current.value);

addEventListener('hashchange', () => {
  current.value = parse(location.hash);
});

function parse(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/u, '').split('?');
  const segments = path
    .split('/')
    .filter((segment) => segment !== '')
    .map(decoded);
  const named = TENANT.exec(segments[0] ?? '')?.[1];
  return {
    tenant: named,
    path: named === undefined ? segments : segments.slice(1),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** A person may have typed the address. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

type Query = Readonly<Record<string, string | undefined>>;

/** Returns the address of a place of the present tenant. Absent and empty members of the query are left out. */
export function href(path: readonly string[], query: Query = {}): string {
  return hrefOf(current.value.tenant, path, query);
}

/** Returns the address of a place of a tenant. @param tenant undefined is the tenant that the person signed in to */
export function hrefOf(tenant: string | undefined, path: readonly string[], query: Query = {}): string {
  const given = Object.entries(query).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
  );
  const search = new URLSearchParams(given).toString();
  const segments = [...(tenant === undefined ? [] : [`@${tenant}`]), ...path.map(encodeURIComponent)];
  return `#/${segments.join('/')}${search === '' ? '' : `?${search}`}`;
}

/** Goes to an address, with an entry in the history. */
export function goTo(address: string): void {
  location.hash = address;
}

/** Goes to a place of the present tenant. @param how `replace` leaves no entry in the history: for filters that change as one types */
export function go(path: readonly string[], query: Query = {}, how: 'push' | 'replace' = 'push'): void {
  const target = href(path, query);
  if (how === 'push') goTo(target);
  else {
    history.replaceState(null, '', target);
    current.value = parse(target);
  }
}

/** Changes members of the query of the present place. */
export function setQuery(changes: Query): void {
  const { path, query } = current.value;
  go(path, { ...query, ...changes }, 'replace');
}
