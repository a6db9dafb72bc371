import type { ReplayStore } from '../../ports/replay-store.ts';
import { changed, type TenantNoun } from './noun.ts';
import { statement } from './statement.ts';

const REMEMBER = statement(
  'replay_remember',
  `INSERT INTO remembered_once (tenant, kind, owner, value, expires_at)
   VALUES (:tenant, :kind, :owner, :value, :expires_at) ON CONFLICT DO NOTHING`,
);
const SWEEP = statement(
  'replay_sweep',
  `DELETE FROM remembered_once WHERE tenant = :tenant AND (kind, owner, value) IN
    (SELECT kind, owner, value FROM remembered_once
     WHERE tenant = :tenant AND expires_at < :now ORDER BY expires_at LIMIT :limit)`,
);

export const replays: TenantNoun<ReplayStore> = {
  reads: {},
  writes: {
    rememberOnce: {
      locksTenant: false,
      pipelined: async (transaction, tenant, kind, owner, value, expires_at) =>
        (await changed(transaction.query(REMEMBER, { tenant, kind, owner, value, expires_at }))) === 1,
    },
    sweepExpired: {
      locksTenant: false,
      pipelined: (transaction, tenant, now, limit) =>
        changed(transaction.query(SWEEP, { tenant, now, limit })),
    },
  },
};
