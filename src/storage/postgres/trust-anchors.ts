import type { TrustAnchorStore } from '../../ports/trust-anchor-store.ts';
import { TRUST_ANCHOR } from '../rows.ts';
import { record } from './audit.ts';
import { changed, type TenantNoun } from './noun.ts';
import { statement } from './statement.ts';

const ALL = statement(
  'trust_anchor_all',
  `SELECT ${TRUST_ANCHOR.columns} FROM trust_anchor WHERE tenant = :tenant ORDER BY entity_id`,
);
const INSERT = statement(
  'trust_anchor_insert',
  `INSERT INTO trust_anchor (tenant, ${TRUST_ANCHOR.columns}) VALUES (:tenant, :entity_id, :version, :content)
   ON CONFLICT DO NOTHING`,
);
const REPLACE = statement(
  'trust_anchor_replace',
  `UPDATE trust_anchor SET content = :content, version = :version
   WHERE tenant = :tenant AND entity_id = :entity_id AND version = :version - 1`,
);
const REMOVE = statement(
  'trust_anchor_remove',
  'DELETE FROM trust_anchor WHERE tenant = :tenant AND entity_id = :entity_id',
);

/** Writes lock the tenant, because they record audit events. */
export const trustAnchors: TenantNoun<TrustAnchorStore, 'all'> = {
  reads: {
    all:
      ({ primary }) =>
      async (tenant) =>
        (await primary.rows(tenant, ALL, {})).map(TRUST_ANCHOR.read),
  },
  writes: {
    put: {
      locksTenant: true,
      async interactive(transaction, tenant, anchor, events) {
        const write = anchor.version === 1 ? INSERT : REPLACE;
        const named = { tenant, ...TRUST_ANCHOR.writeNamed(anchor) };
        if ((await changed(transaction.query(write, named))) !== 1) return false;
        for (const event of events) await record(transaction, tenant, event);
        return true;
      },
    },
    remove: {
      locksTenant: true,
      async interactive(transaction, tenant, entity_id, event) {
        if ((await changed(transaction.query(REMOVE, { tenant, entity_id }))) !== 1) return false;
        await record(transaction, tenant, event);
        return true;
      },
    },
  },
};
