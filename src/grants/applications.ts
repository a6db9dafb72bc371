import { logEvent, type PersonEventNeeds, personEvent, type RequestOrigin } from '../clients/person-event.ts';
import type { ClientStore, StoredClient } from '../ports/client-store.ts';
import type { ConsentStore } from '../ports/consent-store.ts';
import type { GrantStore } from '../ports/grant-store.ts';
import type { Log } from '../ports/log.ts';
import type { Counting } from '../ports/metrics.ts';
import type { ClientId, Subject } from '../spec/identifiers.ts';
import { canonical } from '../spec/subject-identifier.ts';
import type { AuthorizationDetail } from './authorization-details/detail-types.ts';
import type { GrantAuthorization } from './refreshable.ts';

export interface ApplicationNeeds extends PersonEventNeeds {
  readonly clients: Pick<ClientStore, 'find'>;
  readonly consents: Pick<ConsentStore, 'list' | 'withdraw'>;
  readonly grants: Pick<GrantStore, 'list'>;
  readonly log: Log;
  readonly metrics: Pick<Counting, 'count'>;
}

/** A client with access to the account of an end-user: the end-user has consented, or the client holds a grant. */
export interface Application {
  readonly client: StoredClient;
  /** All scope values of the consent and of the grants, in alphabetical order. */
  readonly scope: readonly string[];
  /** The details of its grants (RFC 9396), each once, those of the latest grants first. */
  readonly details: readonly AuthorizationDetail[];
  /** The beginning of the access, in seconds since the Unix epoch. */
  readonly since: number;
}

interface Access {
  readonly scope: Set<string>;
  /** By their canonical text. */
  readonly details: Map<string, AuthorizationDetail>;
  since: number;
}

interface Granted {
  readonly scope: readonly string[];
  readonly authorization_details?: readonly AuthorizationDetail[] | undefined;
}

/** Rows of each kind that one answer looks at: the latest grants, and the first consents. */
const ROWS = { limit: 1000, after: undefined, examined: 1000 } as const;

/** Returns the clients with access to the account of an end-user, by name of the client. */
export async function applicationsOf(
  { clients, consents, grants, clock }: ApplicationNeeds,
  sub: Subject,
): Promise<readonly Application[]> {
  const [consented, granted] = await Promise.all([
    consents.list({ sub }, ROWS),
    grants.list({ sub, now: clock.now() }, ROWS),
  ]);
  const found = new Map<ClientId, Access>();
  const note = (client_id: ClientId, { scope, authorization_details = [] }: Granted, since: number): void => {
    const known = found.get(client_id) ?? { scope: new Set(), details: new Map(), since };
    for (const value of scope) known.scope.add(value);
    for (const detail of authorization_details) known.details.set(canonical(detail), detail);
    known.since = Math.min(known.since, since);
    found.set(client_id, known);
  };
  for (const { client_id, scope, granted_at } of consented.rows) note(client_id, { scope }, granted_at);
  const grantsOf = granted.rows.toSorted((one, other) => other.created_at - one.created_at);
  for (const { client_id, authorization, created_at } of grantsOf)
    note(client_id, JSON.parse(authorization) as GrantAuthorization, created_at);
  const all = [...found].map(async ([client_id, { scope, details, since }]) => {
    const client = await clients.find(client_id);
    return client === undefined
      ? []
      : [{ client, scope: [...scope].sort(), details: [...details.values()], since }];
  });
  return (await Promise.all(all)).flat();
}

/**
 * Withdraws the access of a client at the wish of the end-user: the consent and every grant end in one write.
 * @returns whether there was access
 */
export async function withdrawAccess(
  needs: ApplicationNeeds,
  { sub, client_id }: { readonly sub: Subject; readonly client_id: ClientId },
  origin: RequestOrigin,
): Promise<boolean> {
  const client = await needs.clients.find(client_id);
  if (client === undefined) return false;
  const event = personEvent(needs, 'consent.withdraw', { sub, client_id, detail: 'by the end-user' }, origin);
  if (!(await needs.consents.withdraw(sub, client, event))) return false;
  logEvent(needs, event);
  needs.metrics.count('chancery_consents_total', { outcome: 'withdrawn' });
  return true;
}
