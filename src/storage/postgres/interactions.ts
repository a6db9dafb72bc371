import type { ChangeOutcome } from '../../ports/client-store.ts';
import type { InteractionStore } from '../../ports/interaction-store.ts';
import { INTERACTION } from '../rows.ts';
import { record } from './audit.ts';
import { ISSUE } from './authorization-codes.ts';
import { changed, one, type TenantNoun } from './noun.ts';
import { type Row, statement } from './statement.ts';

const PRESENT = 'EXISTS (SELECT 1 FROM interaction WHERE tenant = :tenant AND key = :key) AS present';

const FIND = statement(
  'interaction_find',
  `SELECT ${INTERACTION.columns} FROM interaction WHERE tenant = :tenant AND key = ANY(:keys)`,
);
const DEVICES = statement(
  'interaction_devices',
  `SELECT ${INTERACTION.columns} FROM interaction
   WHERE tenant = :tenant AND kind = 'device' AND key > :after AND (:browser::text = '' OR browser = :browser::text)
   ORDER BY key LIMIT :limit`,
);
const USER_CODE = statement(
  'interaction_user_code',
  "SELECT 1 FROM interaction WHERE tenant = :tenant AND key = :key AND kind = 'user-code'",
);
const USE_UP = statement(
  'interaction_use_up',
  'DELETE FROM interaction WHERE tenant = :tenant AND key = :key',
);
const BEGIN = statement(
  'interaction_begin',
  `INSERT INTO interaction (tenant, ${INTERACTION.columns})
   VALUES (:tenant, :key, :kind, :browser, :version, :content, :created_at, :expires_at)`,
);
const CHANGE = statement(
  'interaction_change',
  `WITH changed AS (UPDATE interaction SET content = :content, version = version + 1
     WHERE tenant = :tenant AND key = :key AND version = :version RETURNING key)
   SELECT EXISTS (SELECT 1 FROM changed) AS done, ${PRESENT}`,
);
const COMPLETE = statement(
  'interaction_complete',
  `WITH removed AS (DELETE FROM interaction WHERE tenant = :tenant AND key = :key AND version = :version RETURNING key)
   SELECT EXISTS (SELECT 1 FROM removed) AS done, ${PRESENT}`,
);
const SWEEP = statement(
  'interaction_sweep',
  `DELETE FROM interaction WHERE tenant = :tenant AND key IN
    (SELECT key FROM interaction WHERE tenant = :tenant AND expires_at < :now ORDER BY expires_at LIMIT :limit)`,
);

/** Conditional writes lock the tenant, so that the loser of a race learns whether the interaction is gone or changed. */
export const interactions: TenantNoun<InteractionStore, 'find' | 'devices'> = {
  reads: {
    find:
      ({ primary }) =>
      async (tenant, key) =>
        INTERACTION.readOptional(await primary.lookUp(tenant, FIND, key)),
    devices:
      ({ primary }) =>
      async (tenant, { browser = '' }, after, limit) =>
        (await primary.slowRows(tenant, DEVICES, { browser, after, limit })).map(INTERACTION.read),
  },
  writes: {
    begin: {
      locksTenant: false,
      async pipelined(transaction, tenant, interaction) {
        await transaction.query(BEGIN, { tenant, ...interaction });
      },
    },
    change: {
      locksTenant: true,
      pipelined: async (transaction, tenant, { key, version }, content) =>
        outcome(await one(transaction.query(CHANGE, { tenant, key, version, content }))),
    },
    complete: {
      locksTenant: true,
      pipelined: async (transaction, tenant, { key, version }) =>
        outcome(await one(transaction.query(COMPLETE, { tenant, key, version }))),
    },
    refuseDevice: {
      locksTenant: true,
      async interactive(transaction, tenant, { device: { key, version }, user_code, content }, event) {
        if ((await one(transaction.query(USER_CODE, { tenant, key: user_code }))) === undefined)
          return 'absent';
        const refused = outcome(await one(transaction.query(CHANGE, { tenant, key, version, content })));
        if (refused !== 'done') return refused;
        await transaction.query(USE_UP, { tenant, key: user_code });
        if (event !== undefined) await record(transaction, tenant, event);
        return refused;
      },
    },
    allowDevice: {
      locksTenant: true,
      async interactive(transaction, tenant, { key, version }, code) {
        const used = outcome(await one(transaction.query(COMPLETE, { tenant, key, version })));
        if (used === 'done') await transaction.query(ISSUE, { tenant, ...code });
        return used;
      },
    },
    sweepExpired: {
      locksTenant: false,
      pipelined: (transaction, tenant, now, limit) =>
        changed(transaction.query(SWEEP, { tenant, now, limit })),
    },
  },
};

function outcome(row: Row | undefined): ChangeOutcome {
  if (row?.['done'] === true) return 'done';
  return row?.['present'] === true ? 'changed_meanwhile' : 'absent';
}
