import type { AuditEvent } from '../../ports/audit-log.ts';
import type { Removal, ServerKeyStore, StoredServerKey } from '../../ports/server-key-store.ts';
import type { KeyId, TenantId } from '../../spec/identifiers.ts';
import { REMOVED_SERVER_KEY, SERVER_KEY } from '../rows.ts';
import { record } from './audit.ts';
import { appendToJournal } from './journal.ts';
import { changed, one, type TenantNoun, type Transaction } from './noun.ts';
import { Refused, statement } from './statement.ts';

const ALL = statement(
  'server_key_all',
  `SELECT ${SERVER_KEY.columns} FROM server_key WHERE tenant = :tenant AND removed_at IS NULL ORDER BY position`,
);
const REMOVED = statement(
  'server_key_removed',
  `SELECT ${REMOVED_SERVER_KEY.columns} FROM server_key
   WHERE tenant = :tenant AND removed_at IS NOT NULL ORDER BY removed_at, position`,
);
const INSERT = statement(
  'server_key_insert',
  `INSERT INTO server_key (tenant, kid, position, use, created_at, active_at, retired_at, succeeds, public_jwk, sealed_jwk)
   SELECT :tenant::text, :kid::text, 1 + coalesce(max(position), -1), :use::text, :created_at::bigint, :active_at::bigint,
     :retired_at::bigint, :succeeds::text, :public_jwk::text, :sealed_jwk::text FROM server_key WHERE tenant = :tenant
   ON CONFLICT DO NOTHING`,
);
const MAY_RETIRE = statement(
  'server_key_may_retire',
  `SELECT 1 AS present FROM server_key
   WHERE tenant = :tenant AND kid = :kid AND removed_at IS NULL AND retired_at IS NULL`,
);
const RETIRE = statement(
  'server_key_retire',
  'UPDATE server_key SET retired_at = :retired_at WHERE tenant = :tenant AND kid = :kid',
);
const ADVANCE = statement(
  'server_key_advance',
  `UPDATE server_key SET active_at = :at
   WHERE tenant = :tenant AND kid = :kid AND removed_at IS NULL AND active_at > :at RETURNING succeeds`,
);
const FIND = statement(
  'server_key_find',
  `SELECT active_at, retired_at, succeeds FROM server_key
   WHERE tenant = :tenant AND kid = :kid AND removed_at IS NULL`,
);
const REMOVE = statement(
  'server_key_remove',
  `UPDATE server_key SET removed_at = :at, reason = :reason, sealed_jwk = NULL WHERE tenant = :tenant AND kid = :kid`,
);
const INHERIT = statement(
  'server_key_inherit',
  'UPDATE server_key SET succeeds = :heir WHERE tenant = :tenant AND succeeds = :kid',
);
const RESEAL = statement(
  'server_key_reseal',
  'UPDATE server_key SET sealed_jwk = :sealed WHERE tenant = :tenant AND kid = :kid',
);

export const serverKeys: TenantNoun<ServerKeyStore, 'all' | 'removed'> = {
  reads: {
    all:
      ({ primary }) =>
      async (tenant) =>
        (await primary.rows(tenant, ALL, {})).map(SERVER_KEY.read),
    removed:
      ({ primary }) =>
      async (tenant) =>
        (await primary.rows(tenant, REMOVED, {})).map(REMOVED_SERVER_KEY.read),
  },
  writes: {
    addFirst: {
      locksTenant: true,
      async interactive(transaction, tenant, keys) {
        const present = await all(transaction, tenant);
        if (present.length > 0) return present;
        for (const key of keys) await insert(transaction, tenant, key);
        return await all(transaction, tenant);
      },
    },
    addFirstOf: {
      locksTenant: true,
      async interactive(transaction, tenant, use, keys) {
        const present = await all(transaction, tenant);
        if (present.some((key) => key.use === use)) return present;
        for (const key of keys) await insert(transaction, tenant, key);
        await appendToJournal(transaction, tenant, CHANGED);
        return await all(transaction, tenant);
      },
    },
    add: {
      locksTenant: true,
      async interactive(transaction, tenant, key, event) {
        if (!(await insert(transaction, tenant, key))) return false;
        await noteChange(transaction, tenant, event);
        return true;
      },
    },
    succeed: {
      locksTenant: true,
      async interactive(transaction, tenant, successor, event) {
        const { succeeds: kid, active_at } = successor;
        if ((await one(transaction.query(MAY_RETIRE, { tenant, kid }))) === undefined) return false;
        if (!(await insert(transaction, tenant, successor))) return false;
        await transaction.query(RETIRE, { tenant, kid, retired_at: active_at });
        await noteChange(transaction, tenant, event);
        return true;
      },
    },
    advance: {
      locksTenant: true,
      async interactive(transaction, tenant, kid, at, event) {
        const advanced = await one(transaction.query(ADVANCE, { tenant, kid, at }));
        if (advanced === undefined) return false;
        await transaction.query(RETIRE, {
          tenant,
          kid: advanced['succeeds'] as string | null,
          retired_at: at,
        });
        await noteChange(transaction, tenant, event);
        return true;
      },
    },
    remove: { locksTenant: true, interactive: remove },
    reseal: {
      locksTenant: true,
      async pipelined(transaction, tenant, kid, sealed) {
        if ((await changed(transaction.query(RESEAL, { tenant, kid, sealed }))) !== 1)
          throw new Refused('the server key to be resealed does not exist');
      },
    },
  },
};

const CHANGED = { kind: 'server-keys-changed' } as const;

async function all(transaction: Transaction, tenant: TenantId): Promise<readonly StoredServerKey[]> {
  return (await transaction.query(ALL, { tenant })).rows.map(SERVER_KEY.read);
}

/** Adds a key; returns false if the `kid` is known, even from a removed key. */
async function insert(transaction: Transaction, tenant: TenantId, key: StoredServerKey): Promise<boolean> {
  return (await changed(transaction.query(INSERT, { tenant, ...key }))) === 1;
}

/** Journals that the keys changed, and records why. */
async function noteChange(
  transaction: Transaction,
  tenant: TenantId,
  event: AuditEvent,
  removed?: KeyId,
): Promise<void> {
  await appendToJournal(transaction, tenant, removed === undefined ? CHANGED : { ...CHANGED, removed });
  await record(transaction, tenant, event);
}

interface Ending {
  readonly active_at: number;
  readonly retired_at: number | null;
  readonly succeeds: string | null;
}

async function remove(
  transaction: Transaction,
  tenant: TenantId,
  kid: KeyId,
  { at, reason, replacement }: Removal,
  event: AuditEvent,
): Promise<boolean> {
  const ending = (await one(transaction.query(FIND, { tenant, kid }))) as unknown as Ending | undefined;
  if (ending === undefined) return false;
  const { active_at, retired_at, succeeds } = ending;
  const announced = active_at > at;
  if (!announced && (retired_at === null || retired_at > at)) {
    if (replacement === undefined) return false;
    await transaction.query(INHERIT, { tenant, kid, heir: replacement.kid });
    const heir = { ...replacement, active_at: at, retired_at, succeeds: kid };
    if (!(await insert(transaction, tenant, heir)))
      throw new Refused('the replacement of a server key must be a new key');
  }
  if (announced) await transaction.query(RETIRE, { tenant, kid: succeeds, retired_at: null });
  await transaction.query(REMOVE, { tenant, kid, at, reason });
  await noteChange(transaction, tenant, event, kid);
  return true;
}
