import type { Log } from '../ports/log.ts';
import type { NotedRefusal } from '../ports/server-facts.ts';

/** How many refusals are kept. */
export interface RefusalBounds {
  /** The number of all. */
  readonly latest: number;
  /** The number of further ones of each known client, which strangers cannot push out. */
  readonly perClient: number;
  /** The number of clients with further ones. */
  readonly clients: number;
}

const FEW: RefusalBounds = { latest: 20, perClient: 0, clients: 0 };

/** Returns a log that also keeps its latest refusals. */
export function rememberingRefusals(
  log: Log,
  now: () => number,
  bounds: RefusalBounds = FEW,
): { readonly log: Log; readonly refusals: () => readonly NotedRefusal[] } {
  const latest: NotedRefusal[] = [];
  const ofClients = new Map<string, NotedRefusal[]>();
  const keepForClient = (refusal: NotedRefusal): void => {
    const key = JSON.stringify([refusal.tenant, refusal.client]);
    const own = ofClients.get(key) ?? [];
    keepIn(own, refusal, bounds.perClient);
    // A map has the order of its insertions: the client that was refused last is the last to go.
    ofClients.delete(key);
    ofClients.set(key, own);
    const [oldest] = ofClients.keys();
    if (ofClients.size > bounds.clients && oldest !== undefined) ofClients.delete(oldest);
  };
  const noted =
    (level: 'info' | 'warn'): Log['info'] =>
    (members, message) => {
      log[level](members, message);
      if (message !== 'refused') return;
      const refusal = refusalOf(members, now());
      keepIn(latest, refusal, bounds.latest);
      if (isOfKnownClient(members)) keepForClient(refusal);
    };
  return {
    log: {
      info: noted('info'),
      warn: noted('warn'),
      error: (members, message) => log.error(members, message),
    },
    refusals: () => newestFirst([...new Set([...latest, ...[...ofClients.values()].flat()])]),
  };
}

function keepIn(list: NotedRefusal[], refusal: NotedRefusal, max: number): void {
  list.unshift(refusal);
  list.length = Math.min(list.length, max);
}

type Members = Readonly<Record<string, unknown>>;

function refusalOf(members: Members, at: number): NotedRefusal {
  const text = (name: string): string => {
    const value = members[name];
    return typeof value === 'string' || typeof value === 'number' ? `${value}` : '';
  };
  return {
    at,
    endpoint: text('endpoint'),
    status: text('status'),
    reason: text('reason'),
    detail: text('detail'),
    client: text('client'),
    error: text('error'),
    request_id: text('request_id'),
    tenant: text('tenant'),
  };
}

/** An endpoint refuses with these after it has found the client. */
const AFTER_CLIENT: ReadonlySet<unknown> = new Set([
  'access_denied',
  'insufficient_scope',
  'invalid_grant',
  'invalid_scope',
  'invalid_target',
  'unauthorized_client',
]);

/**
 * Says whether the client of a refusal is registered: the line names its registered method, or comes after the authentication. The
 * names that strangers make up are never kept for longer than the latest refusals.
 */
const isOfKnownClient = ({ client, registered, error }: Members): boolean =>
  typeof client === 'string' && client !== '' && (registered !== undefined || AFTER_CLIENT.has(error));

/** Identifiers of requests end with a number that grows. */
const IN_ORDER = new Intl.Collator('en', { numeric: true });

/** Returns refusals in an order that is the same at every process. */
export function newestFirst(refusals: readonly NotedRefusal[]): readonly NotedRefusal[] {
  return refusals.toSorted(
    (one, other) => other.at - one.at || IN_ORDER.compare(other.request_id, one.request_id),
  );
}
