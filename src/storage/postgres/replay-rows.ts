import { type Acts, changed } from './act.ts';
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

export const REPLAY_ACTS: Acts<'rememberOnce' | 'sweepRememberedOnce'> = {
  rememberOnce: {
    turn: false,
    quick: async (transaction, values) => (await changed(transaction.ask(REMEMBER, { ...values }))) === 1,
  },
  sweepRememberedOnce: {
    turn: false,
    quick: (transaction, { tenant, now, limit }) => changed(transaction.ask(SWEEP, { tenant, now, limit })),
  },
};
