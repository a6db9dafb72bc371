import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { BackchannelAttempt, BackchannelRequestStore } from '../../ports/backchannel-request-store.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { BACKCHANNEL_BLOCK, BACKCHANNEL_REQUEST } from '../rows.ts';
import { eventRecording } from './audit.ts';
import type { TenantNoun } from './noun.ts';

const { columns: COLUMNS } = BACKCHANNEL_REQUEST;

export const backchannelRequests: TenantNoun<
  BackchannelRequestStore,
  'find' | 'findById' | 'openOf' | 'page' | 'blocksOf' | 'nextDue'
> = {
  reads: {
    find({ lookUps }) {
      const find = lookUps.prepare(`SELECT ${COLUMNS} FROM backchannel_request WHERE tenant = ? AND key = ?`);
      return (tenant, key) => BACKCHANNEL_REQUEST.readOptional(find.get(tenant, key));
    },
    findById({ lookUps }) {
      const find = lookUps.prepare(`SELECT ${COLUMNS} FROM backchannel_request WHERE tenant = ? AND id = ?`);
      return (tenant, id) => BACKCHANNEL_REQUEST.readOptional(find.get(tenant, id));
    },
    openOf({ lookUps }) {
      const find = lookUps.prepare(`
        SELECT ${COLUMNS} FROM backchannel_request INDEXED BY backchannel_request_sub
        WHERE tenant = ?1 AND sub = ?2 AND state = 'open' AND expires_at > ?3 ORDER BY created_at, key LIMIT ?4`);
      return (tenant, sub, now, limit) => find.all(tenant, sub, now, limit).map(BACKCHANNEL_REQUEST.read);
    },
    page({ scans }) {
      const page = scans.prepare(`
        SELECT ${COLUMNS} FROM backchannel_request WHERE tenant = ?1 AND id > ?2
          AND (?3 = '' OR sub = ?3) AND (?4 = '' OR client_id = ?4) ORDER BY id LIMIT ?5`);
      return (tenant, { sub = '', client_id = '' }, after, limit) =>
        page.all(tenant, after, sub, client_id, limit).map(BACKCHANNEL_REQUEST.read);
    },
    blocksOf({ lookUps }) {
      const find = lookUps.prepare(`
        SELECT ${BACKCHANNEL_BLOCK.columns} FROM backchannel_block
        WHERE tenant = ? AND sub = ? AND expires_at > ? ORDER BY client_id, client_instance`);
      return (tenant, sub, now) => find.all(tenant, sub, now).map(BACKCHANNEL_BLOCK.read);
    },
    nextDue({ lookUps }) {
      const next = lookUps.prepare(`
        SELECT due_at FROM backchannel_request WHERE tenant = ? AND due_at IS NOT NULL ORDER BY due_at LIMIT 1`);
      return (tenant) => {
        const row = next.get(tenant);
        return row === undefined ? undefined : Number(row['due_at']);
      };
    },
  },
  writes: {
    begin: beginning,
    reseal(database) {
      const reseal = database.prepare(
        'UPDATE backchannel_request SET content = ? WHERE tenant = ? AND key = ? AND content = ?',
      );
      return (tenant, { key, content: former }, content) =>
        reseal.run(content, tenant, key, former).changes === 1;
    },
    slowDown(database) {
      const slow = database.prepare(`
        UPDATE backchannel_request SET poll_interval = ?
        WHERE tenant = ? AND key = ? AND poll_interval = ? AND state = 'open'`);
      return (tenant, { key, poll_interval }, longer) =>
        slow.run(longer, tenant, key, poll_interval).changes === 1;
    },
    decide(database) {
      const decide = database.prepare(`
        UPDATE backchannel_request SET state = ?1, code = ?2, due_at = CASE WHEN due_at IS NULL THEN NULL ELSE ?3 END
        WHERE tenant = ?4 AND id = ?5 AND state = 'open' AND expires_at > ?3 AND (?6 = '' OR sub = ?6)`);
      const record = eventRecording(database);
      return (tenant, { id, sub, now }, decision, event) => {
        const code = decision.state === 'allowed' ? decision.code : null;
        if (decide.run(decision.state, code, now, tenant, id, sub ?? '').changes !== 1) return false;
        record(tenant, event);
        return true;
      };
    },
    block(database) {
      const put = database.prepare(`
        INSERT OR REPLACE INTO backchannel_block (tenant, ${BACKCHANNEL_BLOCK.columns}) VALUES (?, ?, ?, ?, ?, ?)`);
      const deny = database.prepare(`
        UPDATE backchannel_request SET state = 'denied', due_at = CASE WHEN due_at IS NULL THEN NULL ELSE ?1 END
        WHERE tenant = ?2 AND sub = ?3 AND client_id = ?4 AND client_instance = ?5 AND state = 'open' AND expires_at > ?1`);
      const record = eventRecording(database);
      return (tenant, block, event) => {
        const { sub, client_id, client_instance, blocked_at } = block;
        put.run(tenant, ...BACKCHANNEL_BLOCK.write(block));
        record(tenant, event);
        return Number(deny.run(blocked_at, tenant, sub, client_id, client_instance).changes);
      };
    },
    unblock(database) {
      const remove = database.prepare(`
        DELETE FROM backchannel_block WHERE tenant = ? AND sub = ? AND client_id = ? AND client_instance = ?`);
      const record = eventRecording(database);
      return (tenant, { sub, client_id, client_instance }, event) => {
        if (remove.run(tenant, sub, client_id, client_instance).changes !== 1) return false;
        record(tenant, event);
        return true;
      };
    },
    take(database) {
      const take = database.prepare(`
        UPDATE backchannel_request SET attempts = attempts + 1, due_at = ?3
        WHERE tenant = ?1 AND key IN (
          SELECT key FROM backchannel_request WHERE tenant = ?1 AND due_at <= ?2 ORDER BY due_at LIMIT ?4)
        RETURNING ${COLUMNS}`);
      return (tenant, now, until, limit) => take.all(tenant, now, until, limit).map(BACKCHANNEL_REQUEST.read);
    },
    settle(database) {
      // A later attempt has raised `attempts`.
      const settle = database.prepare(`
        UPDATE backchannel_request SET due_at = ?, problem = ?
        WHERE tenant = ? AND key = ? AND attempts = ? AND due_at IS NOT NULL`);
      return (tenant, { key, attempts }, attempt) => {
        const [due_at, problem] = settled(attempt);
        return settle.run(due_at, problem, tenant, key, attempts).changes === 1;
      };
    },
    sweepExpired(database) {
      const requests = sweeping(database, 'backchannel_request', 'key', 'kept_until');
      const blocks = sweeping(database, 'backchannel_block', 'sub, client_id, client_instance', 'expires_at');
      const rest = database.prepare(`
        DELETE FROM backchannel_tenant WHERE tenant = ?1
          AND NOT EXISTS (SELECT 1 FROM backchannel_request WHERE tenant = ?1 AND due_at IS NOT NULL)`);
      return (tenant, now, limit) => {
        const removed = requests.run(tenant, now, limit).changes;
        rest.run(tenant);
        return Number(removed) + Number(blocks.run(tenant, now, limit).changes);
      };
    },
  },
};

type Begin = BackchannelRequestStore['begin'];
type Beginning = (tenant: TenantId, ...values: Parameters<Begin>) => Awaited<ReturnType<Begin>>;

function beginning(database: DatabaseSync): Beginning {
  const ofPerson = database.prepare(`
    SELECT count(*) AS open FROM backchannel_request WHERE tenant = ? AND person = ? AND state = 'open' AND expires_at > ?`);
  const ofClient = database.prepare(`
    SELECT count(*) AS open FROM backchannel_request
    WHERE tenant = ? AND client_id = ? AND client_instance = ? AND state = 'open' AND expires_at > ?`);
  const blocked = database.prepare(`
    SELECT 1 FROM backchannel_block
    WHERE tenant = ? AND sub = ? AND client_id = ? AND client_instance = ? AND expires_at > ?`);
  const insert = database.prepare(`
    INSERT INTO backchannel_request (tenant, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const wait = database.prepare('INSERT INTO backchannel_tenant (tenant) VALUES (?) ON CONFLICT DO NOTHING');
  const record = eventRecording(database);
  return (tenant, request, { perPerson, perClient }, event) => {
    const { person, sub, client_id, client_instance, created_at } = request;
    const client = [client_id, client_instance, created_at] as const;
    if (Number(ofPerson.get(tenant, person, created_at)?.['open']) >= perPerson) return 'too_many_of_person';
    if (Number(ofClient.get(tenant, ...client)?.['open']) >= perClient) return 'too_many_of_client';
    const isBlocked = sub !== null && blocked.get(tenant, sub, ...client) !== undefined;
    insert.run(tenant, ...BACKCHANNEL_REQUEST.write(isBlocked ? { ...request, sub: null } : request));
    if (request.due_at !== null) wait.run(tenant);
    record(tenant, event);
    return 'begun';
  };
}

const sweeping = (database: DatabaseSync, table: string, key: string, time: string): StatementSync =>
  database.prepare(`
    DELETE FROM ${table} WHERE tenant = ?1 AND (${key}) IN
      (SELECT ${key} FROM ${table} WHERE tenant = ?1 AND ${time} < ?2 ORDER BY ${time} LIMIT ?3)`);

function settled(attempt: BackchannelAttempt): readonly [due_at: number | null, problem: string | null] {
  if (attempt.outcome === 'postponed') return [attempt.due_at, attempt.problem];
  return [null, attempt.outcome === 'failed' ? attempt.problem : null];
}
