import { computed, signal } from '@preact/signals';

/** The place in the console that the fragment of the address names. No server and no referrer sees it. */
export interface Route {
  /** Decoded segments: `['clients', 'abc']`. */
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

const current = signal<Route>(parse(location.hash));

export const route = computed(() => current.value);

addEventListener('hashchange', () => {
  current.value = parse(location.hash);
});

function parse(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/u, '').split('?');
  return {
    path: path
      .split('/')
      .filter((segment) => segment !== '')
      .map(decoded),
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

/** Returns the address of a place. Absent and empty members of the query are left out. */
export function href(path: readonly string[], query: Query = {}): string {
  const given = Object.entries(query).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
  );
  const search = new URLSearchParams(given).toString();
  return `#/${path.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`;
}

/** Goes to a place. @param how `replace` leaves no entry in the history: for filters that change as one types */
export function go(path: readonly string[], query: Query = {}, how: 'push' | 'replace' = 'push'): void {
  const target = href(path, query);
  if (how === 'push') location.hash = target;
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
