import type { ClientUse, StoredClient, StoredSecret } from '../../ports/client-store.ts';
import { StorageUnavailable } from '../../ports/storage.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import type { Reads } from '../tenant-storage.ts';
import type { Values } from './act.ts';
import type { GatheredReads } from './gathered-reads.ts';
import { type Row, statement } from './statement.ts';

const COLUMNS = `client_id, instance, version, issued_at, registration_token_digest, registration_token_sealed,
  registered_via, secrets, privileges, metadata, data, shared_digest, entity_id, expires_at`;

/** What may change in a client's life. */
export const CHANGING = `version, issued_at, registration_token_digest, registration_token_sealed, registered_via, secrets,
  privileges, metadata, data, shared_digest, entity_id, expires_at`;
export const CHANGING_VALUES = `:version::bigint, :issued_at::bigint, :registration_token_digest::text,
  :registration_token_sealed::text, :registered_via::text, :secrets::text, :privileges::text, :metadata::text,
  :data::text, :shared_digest::text, :entity_id::text, :expires_at::bigint`;

export const clientValues = (client: StoredClient): Values => ({
  ...client,
  secrets: JSON.stringify(client.secrets),
});

const FIND = statement(
  'client_find',
  `SELECT client_id AS key, ${COLUMNS} FROM client WHERE tenant = :tenant AND client_id = ANY(:keys)`,
);
const HAS_TOKEN = statement(
  'client_registration_token',
  `SELECT registration_token_digest AS key FROM client
   WHERE tenant = :tenant AND registration_token_digest = ANY(:keys)`,
);
const FIND_SHARED = statement(
  'client_find_shared',
  `SELECT shared_digest AS key, ${COLUMNS} FROM client WHERE tenant = :tenant AND shared_digest = ANY(:keys)`,
);
const PAGE = statement(
  'client_page',
  `SELECT ${COLUMNS} FROM client WHERE tenant = :tenant AND client_id > :after ORDER BY client_id LIMIT :limit`,
);
const USES = statement(
  'client_uses',
  `SELECT client_id, instance, nullif(secret_digest, '') AS secret_digest, last_used_at FROM client_use
   WHERE tenant = :tenant AND client_id = :client_id AND instance = :instance ORDER BY client_use.secret_digest`,
);
const EXPIRED = statement(
  'client_expired',
  `SELECT ${COLUMNS} FROM client WHERE tenant = :tenant AND expires_at <= :now ORDER BY expires_at LIMIT :limit`,
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
  `SELECT ${COLUMNS} FROM client
   WHERE tenant = :tenant AND client_id > :after AND client_id <= :until AND registered_via = 'open'
     AND issued_at < :before AND NOT EXISTS (
       SELECT 1 FROM client_use AS used WHERE used.tenant = :tenant AND used.client_id = client.client_id
         AND used.instance = client.instance AND used.last_used_at >= :before)
   ORDER BY client_id LIMIT :limit`,
);

/** So many clients are looked at in one query, however few of them are idle. */
const SCANNED_MAX = 1000;
/** Greater than every client id. */
const BEYOND_ALL = '\u{10ffff}';

/** @param replica where pages are read as long as it answers, which may be a moment behind */
export function clientReads(reads: GatheredReads, replica: GatheredReads): Reads['clients'] {
  return {
    find: async (tenant, client_id) => storedClient(await reads.lookUp(tenant, FIND, client_id)),
    findShared: async (tenant, digest) => storedClient(await reads.lookUp(tenant, FIND_SHARED, digest)),
    hasRegistrationToken: async (tenant, digest) =>
      (await reads.lookUp(tenant, HAS_TOKEN, digest)) !== undefined,
    page: pages(reads, replica),
    uses: async (tenant, { client_id, instance }) =>
      (await reads.slowRows(tenant, USES, { client_id, instance })) as unknown as readonly ClientUse[],
    async countOpen(tenant) {
      const [row] = await reads.rows(tenant, COUNT_OPEN, {});
      return Number(row?.['clients'] ?? 0);
    },
    idle: idleClients(reads),
    expired: async (tenant, now, limit) =>
      (await reads.slowRows(tenant, EXPIRED, { now, limit })).map(asClient),
  };
}

function idleClients(reads: GatheredReads): Reads['clients']['idle'] {
  return async (tenant, before, after: ClientId | undefined, limit) => {
    const found: StoredClient[] = [];
    let start: string = after ?? '';
    for (;;) {
      const [last] = await reads.slowRows(tenant, END_OF_SCAN, { after: start, scanned: SCANNED_MAX - 1 });
      const until = String(last?.['client_id'] ?? BEYOND_ALL);
      const values = { after: start, until, before, limit: limit - found.length };
      found.push(...(await reads.slowRows(tenant, IDLE, values)).map(asClient));
      if (last === undefined || found.length >= limit) return found;
      start = until;
    }
  };
}

/** A standby that is away is left alone for a while: whoever lists must not wait for it each time. */
const REPLICA_LEFT_MS = 10_000;

function pages(reads: GatheredReads, replica: GatheredReads): Reads['clients']['page'] {
  let leftUntil = 0;
  return async (tenant, after, limit) => {
    const values = { after: after ?? '', limit };
    if (replica !== reads && performance.now() >= leftUntil) {
      try {
        return (await replica.slowRows(tenant, PAGE, values)).map(asClient);
      } catch (error) {
        if (!(error instanceof StorageUnavailable)) throw error;
        leftUntil = performance.now() + REPLICA_LEFT_MS;
      }
    }
    return (await reads.slowRows(tenant, PAGE, values)).map(asClient);
  };
}

const storedClient = (row: Row | undefined): StoredClient | undefined =>
  row === undefined ? undefined : asClient(row);

function asClient({ key: _key, ...row }: Row): StoredClient {
  const secrets = JSON.parse(String(row['secrets'])) as StoredSecret[];
  return { ...row, secrets } as unknown as StoredClient;
}
