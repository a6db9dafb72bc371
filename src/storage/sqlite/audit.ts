import type { DatabaseSync } from 'node:sqlite';
import type { AuditEvent, AuditFindings, AuditLog, AuditSearch } from '../../ports/audit-log.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import {
  AUDIT_INDEX_NAMES,
  AUDIT_INDEXES,
  AUDIT_ORDERS,
  type AuditIndex,
  BETWEEN_PLACES,
  findings,
  indexOf,
  labelRange,
  placeValues,
  upTo,
} from '../audit-search.ts';
import { AUDIT_EVENT, AUDIT_PLACE } from '../rows.ts';
import type { ReadConnections, TenantNoun } from './noun.ts';

/** The greatest sequence that was ever given: the greatest event may have been swept. */
export const HEAD = `max(
  coalesce((SELECT max(sequence) FROM audit_event WHERE tenant = ?1), 0),
  coalesce((SELECT sequence FROM audit_swept WHERE tenant = ?1), 0))`;

export const audit: TenantNoun<AuditLog, 'page' | 'search' | 'head'> = {
  reads: {
    page({ scans }) {
      const page = scans.prepare(`
        SELECT ${AUDIT_EVENT.columns} FROM audit_event
        WHERE tenant = ? AND sequence > ? ORDER BY sequence LIMIT ?`);
      return (tenant, sequence, limit) => page.all(tenant, sequence, limit).map(AUDIT_EVENT.read);
    },
    search: searching,
    head({ lookUps }) {
      const head = lookUps.prepare(`SELECT ${HEAD} AS head`);
      return (tenant) => Number(head.get(tenant)?.['head']);
    },
  },
  writes: {
    append: eventRecording,
    sweep(database) {
      // The last number is kept, so that a reader's position stays valid after everything before it was swept.
      const keepLast = database.prepare(`
        INSERT INTO audit_swept (tenant, sequence)
        SELECT tenant, sequence FROM audit_event WHERE tenant = ? ORDER BY sequence DESC LIMIT 1
        ON CONFLICT (tenant) DO UPDATE SET sequence = excluded.sequence`);
      const sweep = database.prepare(`
        DELETE FROM audit_event WHERE tenant = ?1 AND sequence IN
          (SELECT sequence FROM audit_event WHERE tenant = ?1 AND at < ?2 ORDER BY at LIMIT ?3)`);
      return (tenant, at, limit) => {
        keepLast.run(tenant);
        return Number(sweep.run(tenant, at, limit).changes);
      };
    },
  },
};

/** Records an event inside the transaction that is open. */
export function eventRecording(database: DatabaseSync): (tenant: TenantId, event: AuditEvent) => void {
  // One transaction writes at a time, so the next sequence is also the next in commit order.
  const insert = database.prepare(`
    INSERT INTO audit_event (tenant, sequence, at, action, outcome, actor, client_id, request_id, detail, sub,
      address, user_agent, reason)
    VALUES (?1, 1 + ${HEAD}, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)`);
  return (tenant, { at, action, outcome, actor, client_id, request_id, detail, ...person }) => {
    const { sub = null, address = null, user_agent = null, reason = null } = person;
    const act = [at, action, outcome, actor, client_id, request_id, detail] as const;
    insert.run(tenant, ...act, sub, address, user_agent, reason);
  };
}

const MATCHES = `(:actions IS NULL OR action IN (SELECT value FROM json_each(:actions)))
  AND (:actor IS NULL OR actor = :actor)
  AND (:actor_from IS NULL OR (actor >= :actor_from AND actor < :actor_to))
  AND (:client_id IS NULL OR client_id = :client_id) AND (:sub IS NULL OR sub = :sub)
  AND (:address IS NULL OR address = :address) AND (:request_id IS NULL OR request_id = :request_id)
  AND (:outcome IS NULL OR outcome = :outcome)`;

type Prepared = ReturnType<DatabaseSync['prepare']>;

function searching({
  scans,
}: Pick<ReadConnections, 'scans'>): (tenant: TenantId, search: AuditSearch) => AuditFindings {
  const prepared = new Map<string, { readonly edge: Prepared; readonly events: Prepared }>();
  const prepare = (index: AuditIndex, order: AuditSearch['order']): void => {
    // Without statistics SQLite would guess which index is the best.
    const among = `FROM audit_event INDEXED BY audit_event_${index}
      WHERE tenant = :tenant AND ${AUDIT_INDEXES[index]} AND ${BETWEEN_PLACES}`;
    const statements = [
      `SELECT ${AUDIT_PLACE.columns} ${among} ${AUDIT_ORDERS[order]} LIMIT 1 OFFSET :examined - 1`,
      `SELECT ${AUDIT_EVENT.columns} ${among} AND ${MATCHES} ${AUDIT_ORDERS[order]} LIMIT :limit`,
    ].map((sql) => {
      const statement = scans.prepare(sql);
      statement.setAllowUnknownNamedParameters(true);
      return statement;
    }) as [Prepared, Prepared];
    prepared.set(`${index} ${order}`, { edge: statements[0], events: statements[1] });
  };
  for (const index of AUDIT_INDEX_NAMES)
    for (const order of Object.keys(AUDIT_ORDERS)) prepare(index, order as AuditSearch['order']);
  return (tenant, search) => {
    const { edge: findEdge, events } = prepared.get(`${indexOf(search)} ${search.order}`) ?? {};
    const { filter, limit, examined } = search;
    const edge = AUDIT_PLACE.readOptional(findEdge?.get({ tenant, examined, ...placeValues(search) }));
    const matching = {
      actions: filter.actions === undefined ? null : JSON.stringify(filter.actions),
      ...labelRange(filter),
      outcome: filter.outcome ?? null,
    };
    const values = { tenant, limit, ...matching, ...placeValues(upTo(search, edge)) };
    return findings(search, (events?.all(values) ?? []).map(AUDIT_EVENT.read), edge);
  };
}
