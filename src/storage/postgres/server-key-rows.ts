import type { RemovedServerKey, StoredServerKey } from '../../ports/server-key-store.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import type { Reads } from '../tenant-storage.ts';
import type { WriteArguments } from '../write.ts';
import { type Acts, changed, one, type Transaction } from './act.ts';
import { record } from './audit-rows.ts';
import type { GatheredReads } from './gathered-reads.ts';
import { journal } from './journal-rows.ts';
import { Refused, statement } from './statement.ts';

const COLUMNS = 'kid, use, created_at, active_at, retired_at, succeeds, public_jwk';

const ALL = statement(
  'server_key_all',
  `SELECT ${COLUMNS}, sealed_jwk FROM server_key WHERE tenant = :tenant AND removed_at IS NULL ORDER BY position`,
);
const REMOVED = statement(
  'server_key_removed',
  `SELECT ${COLUMNS}, removed_at, reason FROM server_key
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

export function serverKeyReads(reads: GatheredReads): Reads['serverKeys'] {
  return {
    all: async (tenant) => (await reads.rows(tenant, ALL, {})) as unknown as readonly StoredServerKey[],
    removed: async (tenant) =>
      (await reads.rows(tenant, REMOVED, {})) as unknown as readonly RemovedServerKey[],
  };
}

/** Answers whether the `kid` was new; one of a removed key is not. */
async function insert(transaction: Transaction, tenant: TenantId, key: StoredServerKey): Promise<boolean> {
  return (await changed(transaction.ask(INSERT, { tenant, ...key }))) === 1;
}

const CHANGED = { kind: 'server-keys-changed' } as const;

type Names =
  | 'addFirstServerKeys'
  | 'addServerKey'
  | 'succeedServerKey'
  | 'advanceServerKey'
  | 'removeServerKey'
  | 'resealServerKey';

export const SERVER_KEY_ACTS: Acts<Names> = {
  addFirstServerKeys: {
    turn: true,
    async steps(transaction, { tenant, keys, use }) {
      const all = async (): Promise<readonly StoredServerKey[]> =>
        (await transaction.ask(ALL, { tenant })).rows as unknown as readonly StoredServerKey[];
      const present = await all();
      if (present.some((key) => use === undefined || key.use === use)) return present;
      for (const key of keys) await insert(transaction, tenant, key);
      if (use !== undefined) await journal(transaction, tenant, CHANGED);
      return await all();
    },
  },
  addServerKey: {
    turn: true,
    async steps(transaction, { tenant, key, event }) {
      if (!(await insert(transaction, tenant, key))) return false;
      await journal(transaction, tenant, CHANGED);
      await record(transaction, tenant, event);
      return true;
    },
  },
  succeedServerKey: {
    turn: true,
    async steps(transaction, { tenant, successor, event }) {
      const { succeeds: kid, active_at } = successor;
      if ((await one(transaction.ask(MAY_RETIRE, { tenant, kid }))) === undefined) return false;
      if (!(await insert(transaction, tenant, successor))) return false;
      await transaction.ask(RETIRE, { tenant, kid, retired_at: active_at });
      await journal(transaction, tenant, CHANGED);
      await record(transaction, tenant, event);
      return true;
    },
  },
  advanceServerKey: {
    turn: true,
    async steps(transaction, { tenant, kid, at, event }) {
      const advanced = await one(transaction.ask(ADVANCE, { tenant, kid, at }));
      if (advanced === undefined) return false;
      await transaction.ask(RETIRE, { tenant, kid: advanced['succeeds'] as string | null, retired_at: at });
      await journal(transaction, tenant, CHANGED);
      await record(transaction, tenant, event);
      return true;
    },
  },
  removeServerKey: { turn: true, steps: remove },
  resealServerKey: {
    turn: true,
    async quick(transaction, { tenant, kid, sealed }) {
      if ((await changed(transaction.ask(RESEAL, { tenant, kid, sealed }))) !== 1)
        throw new Refused('the server key to be resealed does not exist');
      return undefined;
    },
  },
};

interface Ending {
  readonly active_at: number;
  readonly retired_at: number | null;
  readonly succeeds: string | null;
}

async function remove(
  transaction: Transaction,
  { tenant, kid, removal, event }: WriteArguments['removeServerKey'],
): Promise<boolean> {
  const { at, reason, replacement } = removal;
  const ending = (await one(transaction.ask(FIND, { tenant, kid }))) as unknown as Ending | undefined;
  if (ending === undefined) return false;
  const { active_at, retired_at, succeeds } = ending;
  const announced = active_at > at;
  if (!announced && (retired_at === null || retired_at > at)) {
    if (replacement === undefined) return false;
    await transaction.ask(INHERIT, { tenant, kid, heir: replacement.kid });
    const heir = { ...replacement, active_at: at, retired_at, succeeds: kid };
    if (!(await insert(transaction, tenant, heir)))
      throw new Refused('the replacement of a server key must be a new key');
  }
  if (announced) await transaction.ask(RETIRE, { tenant, kid: succeeds, retired_at: null });
  await transaction.ask(REMOVE, { tenant, kid, at, reason });
  await journal(transaction, tenant, CHANGED);
  await record(transaction, tenant, event);
  return true;
}
