import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChangeOutcome, ClientStore, StoredClient } from '../../ports/client-store.ts';
import type { ClientId, TenantId } from '../../spec/identifiers.ts';
import { visitOf } from '../renewal-visits.ts';
import { CLIENT_USE } from '../rows.ts';
import { secretFacts } from '../secret-facts.ts';
import { CLIENT_HAS_ENDED } from '../sweepable.ts';
import { eventRecording } from './audit.ts';
import { changingTogether } from './client-batch.ts';
import { CHANGING, changing, clientCreation, clientEnding, openClientCount, opened } from './client-life.ts';
import { useListing } from './client-listing.ts';
import { CLIENT_COLUMNS, clientPage, clientsOf, manyClients, storedClient } from './client-rows.ts';
import { versionKeeping } from './client-versions.ts';
import { journalling } from './journal.ts';
import type { ReadConnections, TenantNoun } from './noun.ts';
import { signalling } from './signals.ts';

/** An event-loop turn visits at most this many clients, however few of them are idle: about a millisecond. */
const SCANNED_MAX = 1000;
/** Greater than every client id and instance. */
const BEYOND_ALL = '\u{10ffff}';

type Reads =
  | 'find'
  | 'hasRegistrationToken'
  | 'findShared'
  | 'findOfEntity'
  | 'page'
  | 'ofOwner'
  | 'uses'
  | 'idle'
  | 'expired'
  | 'nextFederatedEnd'
  | 'countOpen';

export const clients: TenantNoun<ClientStore, Reads> = {
  reads: {
    find({ lookUps }) {
      return one(lookUps, `SELECT ${CLIENT_COLUMNS} FROM client WHERE tenant = ? AND client_id = ?`);
    },
    hasRegistrationToken({ lookUps }) {
      const find = lookUps.prepare('SELECT 1 FROM client WHERE tenant = ? AND registration_token_digest = ?');
      return (tenant, digest) => find.get(tenant, digest) !== undefined;
    },
    findShared({ lookUps }) {
      return one(
        lookUps,
        `SELECT ${CLIENT_COLUMNS} FROM client INDEXED BY client_shared WHERE tenant = ? AND shared_digest = ?`,
      );
    },
    findOfEntity({ lookUps }) {
      return one(
        lookUps,
        `SELECT ${CLIENT_COLUMNS} FROM client INDEXED BY client_entity WHERE tenant = ? AND entity_id = ?`,
      );
    },
    page: ({ scans }) => clientPage(scans),
    ofOwner({ scans }) {
      const page = manyClients(
        scans,
        `SELECT ${CLIENT_COLUMNS} FROM client INDEXED BY client_owner WHERE tenant = ? AND owner = ? AND client_id > ?
         ORDER BY client_id LIMIT ?`,
      );
      return (tenant, owner, after, limit) => page(tenant, owner, after ?? '', limit);
    },
    uses({ scans }) {
      const uses = scans.prepare(`
        SELECT client_id, instance, nullif(secret_digest, '') AS secret_digest, last_used_at FROM client_use
        WHERE tenant = ? AND client_id = ? AND instance = ? ORDER BY client_use.secret_digest`);
      return (tenant, { client_id, instance }) => uses.all(tenant, client_id, instance).map(CLIENT_USE.read);
    },
    idle: idleClients,
    expired({ scans }) {
      const expired = scans.prepare(`
        SELECT ${CLIENT_COLUMNS} FROM client INDEXED BY client_end WHERE tenant = :tenant AND ${CLIENT_HAS_ENDED}
        ORDER BY expires_at LIMIT :limit`);
      expired.setReturnArrays(true);
      return (tenant, { now, renewableBefore }, limit) =>
        clientsOf(expired.all({ tenant, now, renewable_before: renewableBefore, limit }));
    },
    nextFederatedEnd({ scans }) {
      const next = scans.prepare(`
        SELECT expires_at FROM client INDEXED BY client_end WHERE tenant = ? AND expires_at > ? AND document IS NULL
        ORDER BY expires_at LIMIT 1`);
      return (tenant, now) => next.get(tenant, now)?.['expires_at'] as number | undefined;
    },
    countOpen({ scans }) {
      const count = scans.prepare('SELECT clients FROM open_client_count WHERE tenant = ?');
      return (tenant) => Number(count.get(tenant)?.['clients'] ?? 0);
    },
  },
  writes: {
    create: clientCreation,
    replace(database) {
      const find = atVersion(database);
      const update = database.prepare(`
        UPDATE client SET (${CHANGING}) = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        WHERE tenant = ? AND client_id = ?`);
      const lost = lostOutcome(database);
      const count = openClientCount(database);
      const record = eventRecording(database);
      const journal = journalling(database);
      const keep = versionKeeping(database);
      const signal = signalling(database);
      return (tenant, client, expectedVersion, event, versionsMax) => {
        const { client_id, instance } = client;
        const found = find.get(tenant, client_id, instance, expectedVersion);
        if (found === undefined) return lost(tenant, client_id);
        if (event !== undefined) keep(tenant, client, event, versionsMax ?? 0);
        update.run(...changing(client), tenant, client_id);
        count(tenant, opened(client.registered_via) - opened(found['registered_via']));
        journal(tenant, { kind: 'client-changed', client_id });
        if (event !== undefined) {
          record(tenant, event);
          const facts = secretFacts(JSON.parse(String(found['secrets'])), client.secrets);
          if (facts !== undefined) signal.ofClient(tenant, client, facts, event);
        }
        return 'done';
      };
    },
    delete(database) {
      const find = atVersion(database);
      const lost = lostOutcome(database);
      const end = clientEnding(database);
      const record = eventRecording(database);
      return (tenant, { client_id, instance, version }, event, isKept) => {
        const found = find.get(tenant, client_id, instance, version);
        if (found === undefined) return lost(tenant, client_id);
        const ending = { client_id, instance, registered_via: found['registered_via'] };
        end(tenant, ending, event.at, isKept === true ? event : undefined);
        record(tenant, event);
        return 'done';
      };
    },
    changeTogether(database) {
      const { create, replace, delete: remove } = clients.writes;
      return changingTogether(database, {
        create: create(database),
        replace: replace(database),
        delete: remove(database),
      });
    },
    claimRenewals(database) {
      const endOfVisit = database.prepare(`
        SELECT renew_at FROM client INDEXED BY client_renewal WHERE tenant = ? AND renew_at >= ? AND renew_at <= ?
        ORDER BY renew_at LIMIT 1 OFFSET ${SCANNED_MAX}`);
      const claim = database.prepare(`
        UPDATE client SET renew_at = :until WHERE tenant = :tenant AND client_id IN (
          SELECT client_id FROM client INDEXED BY client_renewal
          WHERE tenant = :tenant AND renew_at >= :from AND renew_at < :end AND expires_at > :now AND (
            SELECT max(last_used_at) FROM client_use AS used WHERE used.tenant = :tenant
              AND used.client_id = client.client_id AND used.instance = client.instance
          ) >= client.resolved_at - :margin
          ORDER BY renew_at LIMIT :limit)
        RETURNING ${CLIENT_COLUMNS}`);
      claim.setReturnArrays(true);
      return (tenant, { now, until, from, useMargin: margin, limit }) => {
        const visit = visitOf(
          from,
          now,
          endOfVisit.get(tenant, from, now)?.['renew_at'] as number | undefined,
        );
        const claimed = clientsOf(claim.all({ tenant, now, until, margin, limit, from, end: visit.end }));
        return { clients: claimed, next: claimed.length === limit ? from : visit.next };
      };
    },
    recordUses(database) {
      // A time that is not later than the stored one writes nothing.
      const record = database.prepare(`
        INSERT INTO client_use (tenant, client_id, instance, secret_digest, last_used_at)
        SELECT ?1, ?2, ?3, ?4, ?5 WHERE EXISTS (
          SELECT 1 FROM client INDEXED BY client_instance WHERE tenant = ?1 AND client_id = ?2 AND instance = ?3)
        ON CONFLICT (tenant, client_id, instance, secret_digest) DO UPDATE SET last_used_at = excluded.last_used_at
        WHERE excluded.last_used_at > last_used_at`);
      const list = useListing(database);
      return (tenant, uses) => {
        for (const use of uses) {
          const { client_id, instance, secret_digest, last_used_at } = use;
          record.run(tenant, client_id, instance, secret_digest ?? '', last_used_at);
          list(tenant, use);
        }
      };
    },
  },
};

type Values = readonly (string | number)[];

function one(database: DatabaseSync, sql: string): (...values: Values) => StoredClient | undefined {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return (...values) => {
    const row = statement.get(...values);
    return row === undefined ? undefined : storedClient(row as unknown as readonly unknown[]);
  };
}

/** Finds a client that is still as the caller read it. */
function atVersion(database: DatabaseSync): ReturnType<DatabaseSync['prepare']> {
  // The instance is compared too: an id that was deleted and registered again may have reached the same version.
  return database.prepare(`
    SELECT registered_via, secrets FROM client WHERE tenant = ? AND client_id = ? AND instance = ? AND version = ?`);
}

/** Why a conditional write changed nothing. */
function lostOutcome(database: DatabaseSync): (tenant: TenantId, client_id: ClientId) => ChangeOutcome {
  const find = database.prepare('SELECT 1 FROM client WHERE tenant = ? AND client_id = ?');
  return (tenant, client_id) => (find.get(tenant, client_id) === undefined ? 'absent' : 'changed_meanwhile');
}

/** A place in the order of the index `client_instance`. */
type Place = readonly [instance: string, client_id: string];

function idleClients({
  scans,
}: ReadConnections): (
  tenant: TenantId,
  before: number,
  after: Pick<StoredClient, 'client_id' | 'instance'> | undefined,
  limit: number,
) => Promise<readonly StoredClient[]> {
  // The index holds everything that is needed to skip a client that is not idle.
  const endOfScan = scans.prepare(`
    SELECT instance, client_id FROM client INDEXED BY client_instance
    WHERE tenant = ? AND (instance, client_id) > (?, ?) ORDER BY instance, client_id LIMIT 1 OFFSET ?`);
  const scan = manyClients(
    scans,
    `SELECT ${CLIENT_COLUMNS} FROM client INDEXED BY client_instance
     WHERE tenant = ?1 AND (instance, client_id) > (?2, ?3) AND (instance, client_id) <= (?4, ?5)
       AND registered_via IN ('open', 'document') AND issued_at < ?6
       AND NOT EXISTS (SELECT 1 FROM client_use AS use WHERE use.tenant = ?1 AND use.client_id = client.client_id
         AND use.instance = client.instance AND use.last_used_at >= ?6)
     ORDER BY instance, client_id LIMIT ?7`,
  );
  return async (tenant, before, after, limit) => {
    const found: StoredClient[] = [];
    let start: Place = [after?.instance ?? '', after?.client_id ?? ''];
    for (;;) {
      const end = endOfScan.get(tenant, ...start, SCANNED_MAX - 1);
      const until: Place =
        end === undefined ? [BEYOND_ALL, ''] : [String(end['instance']), String(end['client_id'])];
      found.push(...scan(tenant, ...start, ...until, before, limit - found.length));
      if (end === undefined || found.length >= limit) return found;
      start = until;
      await nextTurn();
    }
  };
}
