import type { AuditEvent, AuditFindings, AuditLog, AuditSearch } from '../../ports/audit-log.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import {
  AUDIT_INDEX_NAMES,
  AUDIT_INDEXES,
  AUDIT_ORDERS,
  BETWEEN_PLACES,
  findings,
  indexOf,
  labelRange,
  placeValues,
  upTo,
} from '../audit-search.ts';
import { AUDIT_EVENT, AUDIT_PLACE } from '../rows.ts';
import { changed, type ReadConnections, type TenantNoun, type Transaction, type Values } from './noun.ts';
import { type Statement, statement } from './statement.ts';

/** For a statement that has raised the counters (in `counters`): stores the event with its number. */
export const RECORDING = `
  INSERT INTO audit_event (tenant, sequence, at, action, outcome, actor, client_id, request_id, detail, sub,
    address, user_agent, reason)
  SELECT :tenant::text, audit, :at::bigint, :action::text, :outcome::text, :actor::text, :event_client_id::text,
    :request_id::text, :detail::text, :event_sub::text, :address::text, :user_agent::text,
    :event_reason::text FROM counters`;

/** The values of `RECORDING`. */
export const recorded = ({
  at,
  action,
  outcome,
  actor,
  client_id,
  request_id,
  detail,
  sub,
  address,
  user_agent,
  reason,
}: AuditEvent): Values => ({
  at,
  action,
  outcome,
  actor,
  event_client_id: client_id,
  request_id,
  detail,
  event_sub: sub ?? null,
  address: address ?? null,
  user_agent: user_agent ?? null,
  event_reason: reason ?? null,
});

const APPEND = statement(
  'audit_append',
  `WITH counters AS (UPDATE tenant_counter SET audit = audit + 1 WHERE tenant = :tenant RETURNING audit) ${RECORDING}`,
);
const PAGE = statement(
  'audit_page',
  `SELECT ${AUDIT_EVENT.columns} FROM audit_event
   WHERE tenant = :tenant AND sequence > :sequence ORDER BY sequence LIMIT :limit`,
);
const HEAD = statement('audit_head', 'SELECT audit AS head FROM tenant_counter WHERE tenant = :tenant');
const SWEEP = statement(
  'audit_sweep',
  `DELETE FROM audit_event WHERE tenant = :tenant AND sequence IN
    (SELECT sequence FROM audit_event WHERE tenant = :tenant AND at < :before ORDER BY at LIMIT :limit)`,
);

export const audit: TenantNoun<AuditLog, 'page' | 'search' | 'head'> = {
  reads: {
    page:
      ({ primary }) =>
      async (tenant, sequence, limit) =>
        (await primary.slowRows(tenant, PAGE, { sequence, limit })).map(AUDIT_EVENT.read),
    search: searching,
    head:
      ({ primary }) =>
      async (tenant) =>
        Number((await primary.rows(tenant, HEAD, {}))[0]?.['head'] ?? 0),
  },
  writes: {
    append: { locksTenant: true, pipelined: record },
    sweep: {
      locksTenant: false,
      pipelined: (transaction, tenant, at, limit) =>
        changed(transaction.query(SWEEP, { tenant, before: at, limit })),
    },
  },
};

/** Records an event inside a transaction that has locked the tenant. */
export async function record(
  transaction: Transaction,
  tenant: TenantId,
  event: AuditEvent | undefined,
): Promise<void> {
  if (event !== undefined) await transaction.query(APPEND, { tenant, ...recorded(event) });
}

const MATCHES = `(:actions::text[] IS NULL OR action = ANY(:actions::text[]))
  AND (:actor::text IS NULL OR actor = :actor)
  AND (:actor_from::text IS NULL OR (actor >= :actor_from AND actor < :actor_to::text))
  AND (:client_id::text IS NULL OR client_id = :client_id) AND (:sub::text IS NULL OR sub = :sub)
  AND (:address::text IS NULL OR address = :address) AND (:request_id::text IS NULL OR request_id = :request_id)
  AND (:outcome::text IS NULL OR outcome = :outcome)`;

interface SearchStatements {
  /** Finds the last event that the search may look at. */
  readonly edge: Statement;
  readonly events: Statement;
}

/** By index and order. */
const SEARCHES: ReadonlyMap<string, SearchStatements> = new Map(
  AUDIT_INDEX_NAMES.flatMap((index) =>
    Object.entries(AUDIT_ORDERS).map(([order, sorted]) => {
      const among = `FROM audit_event WHERE tenant = :tenant AND ${AUDIT_INDEXES[index]} AND ${BETWEEN_PLACES}`;
      const name = `audit_search_${index}_${order.replace('-', '_')}`;
      const statements: SearchStatements = {
        edge: statement(
          `${name}_edge`,
          `SELECT ${AUDIT_PLACE.columns} ${among} ${sorted} LIMIT 1 OFFSET :examined - 1`,
        ),
        events: statement(
          name,
          `SELECT ${AUDIT_EVENT.columns} ${among} AND ${MATCHES} ${sorted} LIMIT :limit`,
        ),
      };
      return [`${index} ${order}`, statements] as const;
    }),
  ),
);

function searching({
  primary,
}: Pick<ReadConnections, 'primary'>): (tenant: TenantId, search: AuditSearch) => Promise<AuditFindings> {
  return async (tenant, search) => {
    const statements = SEARCHES.get(`${indexOf(search)} ${search.order}`);
    if (statements === undefined) throw new Error('no index of the audit');
    const { filter, limit, examined } = search;
    const [found] = await primary.slowRows(tenant, statements.edge, { ...placeValues(search), examined });
    const edge = AUDIT_PLACE.readOptional(found);
    const rows = await primary.slowRows(tenant, statements.events, {
      ...placeValues(upTo(search, edge)),
      actions: filter.actions ?? null,
      ...labelRange(filter),
      outcome: filter.outcome ?? null,
      limit,
    });
    return findings(search, rows.map(AUDIT_EVENT.read), edge);
  };
}
