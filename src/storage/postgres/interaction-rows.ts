import type { ChangeOutcome } from '../../ports/client-store.ts';
import type { StoredInteraction } from '../../ports/interaction-store.ts';
import type { Reads } from '../tenant-storage.ts';
import { type Acts, changed, one } from './act.ts';
import type { GatheredReads } from './gathered-reads.ts';
import { type Row, statement } from './statement.ts';

const COLUMNS = 'key, kind, browser, version, content, created_at, expires_at';
const PRESENT = 'EXISTS (SELECT 1 FROM interaction WHERE tenant = :tenant AND key = :key) AS present';

const FIND = statement(
  'interaction_find',
  `SELECT ${COLUMNS} FROM interaction WHERE tenant = :tenant AND key = ANY(:keys)`,
);
const BEGIN = statement(
  'interaction_begin',
  `INSERT INTO interaction (tenant, ${COLUMNS})
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

export function interactionReads(reads: GatheredReads): Reads['interactions'] {
  return {
    find: async (tenant, key) =>
      (await reads.lookUp(tenant, FIND, key)) as unknown as StoredInteraction | undefined,
  };
}

function outcome(row: Row | undefined): ChangeOutcome {
  if (row?.['done'] === true) return 'done';
  return row?.['present'] === true ? 'changed_meanwhile' : 'absent';
}

type Names = 'beginInteraction' | 'changeInteraction' | 'completeInteraction' | 'sweepInteractions';

/** With the tenant's turn, so that who comes too late is told whether it is gone or changed. */
export const INTERACTION_ACTS: Acts<Names> = {
  beginInteraction: {
    turn: false,
    async quick(transaction, { tenant, interaction }) {
      await transaction.ask(BEGIN, { tenant, ...interaction });
      return undefined;
    },
  },
  changeInteraction: {
    turn: true,
    quick: async (transaction, { tenant, interaction, content }) =>
      outcome(await one(transaction.ask(CHANGE, { tenant, ...interaction, content }))),
  },
  completeInteraction: {
    turn: true,
    quick: async (transaction, { tenant, interaction }) =>
      outcome(await one(transaction.ask(COMPLETE, { tenant, ...interaction }))),
  },
  sweepInteractions: {
    turn: false,
    quick: (transaction, { tenant, now, limit }) => changed(transaction.ask(SWEEP, { tenant, now, limit })),
  },
};
