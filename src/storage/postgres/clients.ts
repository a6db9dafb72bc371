import type { ChangeOutcome, ClientStore, StoredClient } from '../../ports/client-store.ts';
import { StorageUnavailable } from '../../ports/storage.ts';
import { visitOf } from '../renewal-visits.ts';
import { CLIENT_USE } from '../rows.ts';
import { secretFacts } from '../secret-facts.ts';
import { CLIENT_HAS_ENDED } from '../sweepable.ts';
import type { OfTenant } from '../verbs.ts';
import { RECORDING, record, recorded } from './audit.ts';
import { changeTogether } from './client-batch.ts';
import { CHANGING, CHANGING_VALUES, clientCreation, clientValues, endClient } from './client-life.ts';
import { asClient, CLIENT_COLUMNS, type ClientRow } from './client-rows.ts';
import { endingValues, KEEPING_VERSION, trimVersions } from './client-versions.ts';
import { JOURNALLING_CLIENT, trimJournal } from './journal.ts';
import { GO_INTERACTIVE, one, type ReadConnections, type TenantNoun, type Transaction } from './noun.ts';
import { signalClient } from './signals.ts';
import { statement } from './statement.ts';

const FIND = statement(
  'client_find',
  `SELECT client_id AS key, ${CLIENT_COLUMNS} FROM client WHERE tenant = :tenant AND client_id = ANY(:keys)`,
);
const HAS_TOKEN = statement(
  'client_registration_token',
  `SELECT registration_token_digest AS key FROM client
   WHERE tenant = :tenant AND registration_token_digest = ANY(:keys)`,
);
const FIND_SHARED = statement(
  'client_find_shared',
  `SELECT shared_digest AS key, ${CLIENT_COLUMNS} FROM client WHERE tenant = :tenant AND shared_digest = ANY(:keys)`,
);
const FIND_OF_ENTITY = statement(
  'client_find_of_entity',
  `SELECT entity_id AS key, ${CLIENT_COLUMNS} FROM client WHERE tenant = :tenant AND entity_id = ANY(:keys)`,
);
const PAGE = statement(
  'client_page',
  `SELECT ${CLIENT_COLUMNS} FROM client WHERE tenant = :tenant AND client_id > :after ORDER BY client_id LIMIT :limit`,
);
const OF_OWNER = statement(
  'client_of_owner',
  `SELECT ${CLIENT_COLUMNS} FROM client WHERE tenant = :tenant AND owner = :owner AND client_id > :after
   ORDER BY client_id LIMIT :limit`,
);
const USES = statement(
  'client_uses',
  `SELECT client_id, instance, nullif(secret_digest, '') AS secret_digest, last_used_at FROM client_use
   WHERE tenant = :tenant AND client_id = :client_id AND instance = :instance ORDER BY client_use.secret_digest`,
);
const EXPIRED = statement(
  'client_expired',
  `SELECT ${CLIENT_COLUMNS} FROM client WHERE tenant = :tenant AND ${CLIENT_HAS_ENDED} ORDER BY expires_at LIMIT :limit`,
);
const NEXT_FEDERATED_END = statement(
  'client_next_federated_end',
  `SELECT expires_at FROM client WHERE tenant = :tenant AND expires_at > :now AND document IS NULL
   ORDER BY expires_at LIMIT 1`,
);
const COUNT_OPEN = statement(
  'client_count_open',
  'SELECT clients FROM open_client_count WHERE tenant = :tenant',
);
const END_OF_SCAN = statement(
  'client_end_of_scan',
  `SELECT client_id FROM client WHERE tenant = :tenant AND client_id > :after ORDER BY client_id LIMIT 1 OFFSET :scanned`,
);
const IDLE = statement(
  'client_idle',
  `SELECT ${CLIENT_COLUMNS} FROM client
   WHERE tenant = :tenant AND client_id > :after AND client_id <= :until AND registered_via IN ('open', 'document')
     AND issued_at < :before AND NOT EXISTS (
       SELECT 1 FROM client_use AS used WHERE used.tenant = :tenant AND used.client_id = client.client_id
         AND used.instance = client.instance AND used.last_used_at >= :before)
   ORDER BY client_id LIMIT :limit`,
);

/** Finds a client as the caller read it. */
const AT_VERSION = `FROM client WHERE tenant = :tenant AND client_id = :client_id AND instance = :instance
  AND version = :expected`;
/** Whether the client has streams, which a change of its secrets is told to. */
const HAS_STREAMS = `EXISTS (SELECT 1 FROM event_stream WHERE tenant = :tenant AND client_id = :client_id
  AND instance = :instance)`;

/**
 * @param keeping the steps that keep the version before: a statement pays for the tables that it might change
 * @param condition further condition of the change
 */
const replacement = (
  keeping: string,
  condition = '',
): string => `WITH found AS (SELECT registered_via ${AT_VERSION}${condition}),${keeping}
   counted AS (INSERT INTO open_client_count (tenant, clients)
     SELECT :tenant::text, :more::bigint - CASE WHEN registered_via = 'open' THEN 1 ELSE 0 END FROM found
     WHERE :more::bigint <> CASE WHEN registered_via = 'open' THEN 1 ELSE 0 END
     ON CONFLICT (tenant) DO UPDATE SET clients = open_client_count.clients + excluded.clients),
   replaced AS (UPDATE client SET (${CHANGING}) = (${CHANGING_VALUES}) WHERE tenant = :tenant
     AND client_id = :client_id AND EXISTS (SELECT 1 FROM found) RETURNING client_id),
   counters AS (UPDATE tenant_counter SET journal = journal + 1, audit = audit + :audited::bigint
     WHERE tenant = :tenant AND EXISTS (SELECT 1 FROM found) RETURNING audit, journal),
   journalled AS (${JOURNALLING_CLIENT}),
   recorded AS (${RECORDING} WHERE :audited::bigint = 1)
   SELECT EXISTS (SELECT 1 FROM found) AS done,
     EXISTS (SELECT 1 FROM client WHERE tenant = :tenant AND client_id = :client_id) AS present,
     ${HAS_STREAMS} AS has_streams`;
const KEEPS = `\n   ${KEEPING_VERSION},`;
const UNTOLD = ` AND NOT (:audited::bigint = 1 AND ${HAS_STREAMS})`;
/** Changes a client without streams, and any client without an event. */
const REPLACE = {
  plain: statement('client_replace', replacement('', UNTOLD)),
  keeping: statement('client_replace_keeping', replacement(KEEPS, UNTOLD)),
};
const REPLACE_TOLD = {
  plain: statement('client_replace_told', replacement('')),
  keeping: statement('client_replace_told_keeping', replacement(KEEPS)),
};
const FIND_VERSION = statement('client_of_version', `SELECT registered_via, secrets ${AT_VERSION}`);
const EXISTS = statement(
  'client_exists',
  'SELECT 1 AS present FROM client WHERE tenant = :tenant AND client_id = :client_id',
);
// A time that is not later than the stored one writes nothing.
const RECORD_USE = statement(
  'client_record_use',
  `INSERT INTO client_use (tenant, client_id, instance, secret_digest, last_used_at)
   SELECT tenant, client_id, instance, :secret_digest::text, :last_used_at::bigint FROM client
   WHERE tenant = :tenant AND client_id = :client_id AND instance = :instance
   ON CONFLICT (tenant, client_id, instance, secret_digest) DO UPDATE SET last_used_at = excluded.last_used_at
   WHERE excluded.last_used_at > client_use.last_used_at`,
);
const LIST_USE = statement(
  'client_list_use',
  `UPDATE client_entry SET last_used_at = :last_used_at WHERE tenant = :tenant AND client_id = :client_id
   AND instance = :instance AND last_used_at < :last_used_at`,
);

const END_OF_RENEWAL_VISIT = statement(
  'client_end_of_renewal_visit',
  `SELECT renew_at FROM client WHERE tenant = :tenant AND renew_at >= :from AND renew_at <= :now
   ORDER BY renew_at LIMIT 1 OFFSET :visited`,
);

const CLAIM_RENEWALS = statement(
  'client_claim_renewals',
  `UPDATE client SET renew_at = :until WHERE tenant = :tenant AND client_id = ANY(ARRAY(
     SELECT client_id FROM client WHERE tenant = :tenant AND renew_at >= :from AND renew_at < :end AND expires_at > :now AND (
       SELECT max(last_used_at) FROM client_use AS used WHERE used.tenant = :tenant
         AND used.client_id = client.client_id AND used.instance = client.instance
     ) >= client.resolved_at - :margin::bigint
     ORDER BY renew_at LIMIT :limit))
   RETURNING ${CLIENT_COLUMNS}`,
);

/** A query visits at most this many clients, however few of them are idle. */
const SCANNED_MAX = 1000;
/** Greater than every client id. */
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
    find:
      ({ primary }) =>
      async (tenant, client_id) =>
        storedClient(await primary.lookUp(tenant, FIND, client_id)),
    findShared:
      ({ primary }) =>
      async (tenant, digest) =>
        storedClient(await primary.lookUp(tenant, FIND_SHARED, digest)),
    findOfEntity:
      ({ primary }) =>
      async (tenant, entity_id) =>
        storedClient(await primary.lookUp(tenant, FIND_OF_ENTITY, entity_id)),
    hasRegistrationToken:
      ({ primary }) =>
      async (tenant, digest) =>
        (await primary.lookUp(tenant, HAS_TOKEN, digest)) !== undefined,
    page: pages,
    // A plan compares what it has read with what it then writes. The standby may be behind.
    ofOwner:
      ({ primary }) =>
      async (tenant, owner, after, limit) =>
        (await primary.slowRows<ClientRow>(tenant, OF_OWNER, { owner, after: after ?? '', limit })).map(
          asClient,
        ),
    uses:
      ({ primary }) =>
      async (tenant, { client_id, instance }) =>
        (await primary.slowRows(tenant, USES, { client_id, instance })).map(CLIENT_USE.read),
    countOpen:
      ({ primary }) =>
      async (tenant) => {
        const [row] = await primary.rows(tenant, COUNT_OPEN, {});
        return Number(row?.['clients'] ?? 0);
      },
    idle: idleClients,
    expired:
      ({ primary }) =>
      async (tenant, { now, renewableBefore: renewable_before }, limit) =>
        (await primary.slowRows<ClientRow>(tenant, EXPIRED, { now, renewable_before, limit })).map(asClient),
    nextFederatedEnd:
      ({ primary }) =>
      async (tenant, now) => {
        const [row] = await primary.slowRows(tenant, NEXT_FEDERATED_END, { now });
        return row === undefined ? undefined : Number(row['expires_at']);
      },
  },
  writes: {
    create: clientCreation,
    replace: {
      locksTenant: true,
      async pipelined(transaction, tenant, ...change) {
        const { outcome, hasStreams } = await replaced(REPLACE, transaction, tenant, ...change);
        return outcome !== 'done' && hasStreams ? GO_INTERACTIVE : outcome;
      },
      async interactive(transaction, tenant, client, expectedVersion, event, versionsMax) {
        const { client_id, instance } = client;
        const place = { tenant, client_id, instance, expected: expectedVersion };
        const before = await one(transaction.query(FIND_VERSION, place));
        const change = [client, expectedVersion, event, versionsMax] as const;
        const { outcome } = await replaced(REPLACE_TOLD, transaction, tenant, ...change);
        if (outcome !== 'done' || before === undefined || event === undefined) return outcome;
        const facts = secretFacts(JSON.parse(String(before['secrets'])), client.secrets);
        if (facts !== undefined) await signalClient(transaction, tenant, client, { facts, cause: event });
        return outcome;
      },
    },
    delete: {
      locksTenant: true,
      async interactive(transaction, tenant, { client_id, instance, version }, event, isKept = false) {
        const place = { tenant, client_id, instance };
        const found = await one(transaction.query(FIND_VERSION, { ...place, expected: version }));
        if (found === undefined) {
          const present = await one(transaction.query(EXISTS, place));
          return present === undefined ? 'absent' : 'changed_meanwhile';
        }
        const ending = { client_id, instance, registered_via: found['registered_via'] };
        await endClient(transaction, tenant, ending, event.at, isKept ? event : undefined);
        await record(transaction, tenant, event);
        return 'done';
      },
    },
    changeTogether: {
      locksTenant: true,
      interactive: async (transaction, tenant, changes) =>
        await changeTogether(transaction, tenant, changes, clients.writes),
    },
    claimRenewals: {
      // Otherwise a second caller would wait for the rows of the first one, and claim them again.
      locksTenant: true,
      async interactive(transaction, tenant, { now, until, from, useMargin: margin, limit }) {
        const beyond = await one(
          transaction.query(END_OF_RENEWAL_VISIT, { tenant, from, now, visited: SCANNED_MAX }),
        );
        const { end, next } = visitOf(from, now, beyond?.['renew_at'] as number | undefined);
        const found = await transaction.query(CLAIM_RENEWALS, {
          tenant,
          now,
          until,
          margin,
          limit,
          from,
          end,
        });
        const claimed = (found.rows as unknown as readonly ClientRow[]).map(asClient);
        return { clients: claimed, next: claimed.length === limit ? from : next };
      },
    },
    recordUses: {
      locksTenant: true,
      async pipelined(transaction, tenant, uses) {
        const recorded = uses.flatMap(({ client_id, instance, secret_digest, last_used_at }) => {
          const place = { tenant, client_id, instance, secret_digest: secret_digest ?? '' };
          return [
            transaction.query(RECORD_USE, { ...place, last_used_at }),
            transaction.query(LIST_USE, { tenant, client_id, instance, last_used_at }),
          ];
        });
        await Promise.all(recorded);
      },
    },
  },
};

/** Sends a change of a client before it waits. */
async function replaced(
  { plain, keeping }: typeof REPLACE,
  transaction: Transaction,
  ...[tenant, client, expectedVersion, event, versionsMax = 0]: Parameters<OfTenant<ClientStore>['replace']>
): Promise<{ readonly outcome: ChangeOutcome; readonly hasStreams: boolean }> {
  const isKept = event !== undefined && versionsMax > 0;
  const result = transaction.query(isKept ? keeping : plain, {
    tenant,
    ...clientValues(client),
    expected: expectedVersion,
    more: client.registered_via === 'open' ? 1 : 0,
    audited: event === undefined ? 0 : 1,
    ...(event === undefined ? NO_EVENT : recorded(event)),
    ...(isKept ? endingValues(event, null) : {}),
  });
  const trimmed = isKept ? trimVersions(transaction, tenant, client, versionsMax) : undefined;
  await Promise.all([trimJournal(transaction, tenant), trimmed]);
  const seen = await one(result);
  const lost = seen?.['present'] === true ? 'changed_meanwhile' : 'absent';
  return { outcome: seen?.['done'] === true ? 'done' : lost, hasStreams: seen?.['has_streams'] === true };
}

const NO_EVENT = {
  event_sub: null,
  address: null,
  user_agent: null,
  event_reason: null,
  at: null,
  action: null,
  outcome: null,
  actor: null,
  event_client_id: null,
  request_id: null,
  detail: null,
};

function idleClients({ primary }: ReadConnections): OfTenant<ClientStore>['idle'] {
  return async (tenant, before, after, limit) => {
    const found: StoredClient[] = [];
    let start: string = after?.client_id ?? '';
    for (;;) {
      const [last] = await primary.slowRows(tenant, END_OF_SCAN, { after: start, scanned: SCANNED_MAX - 1 });
      const until = String(last?.['client_id'] ?? BEYOND_ALL);
      const values = { after: start, until, before, limit: limit - found.length };
      found.push(...(await primary.slowRows<ClientRow>(tenant, IDLE, values)).map(asClient));
      if (last === undefined || found.length >= limit) return found;
      start = until;
    }
  };
}

/** A standby that did not answer is not asked again for this long, so that lists need not wait for it each time. */
const REPLICA_LEFT_MS = 10_000;

/** Reads pages from the standby while it answers; it may be a moment behind. */
function pages({ primary, replica }: ReadConnections): OfTenant<ClientStore>['page'] {
  let leftUntil = 0;
  return async (tenant, after, limit) => {
    const values = { after: after ?? '', limit };
    if (replica !== primary && performance.now() >= leftUntil) {
      try {
        return (await replica.slowRows<ClientRow>(tenant, PAGE, values)).map(asClient);
      } catch (error) {
        if (!(error instanceof StorageUnavailable)) throw error;
        leftUntil = performance.now() + REPLICA_LEFT_MS;
      }
    }
    return (await primary.slowRows<ClientRow>(tenant, PAGE, values)).map(asClient);
  };
}

const storedClient = (row: ClientRow | undefined): StoredClient | undefined =>
  row === undefined ? undefined : asClient(row);
