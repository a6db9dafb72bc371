import type { TrustAnchorStore } from '../../ports/trust-anchor-store.ts';
import { TRUST_ANCHOR } from '../rows.ts';
import { eventRecording } from './audit.ts';
import type { TenantNoun } from './noun.ts';

export const trustAnchors: TenantNoun<TrustAnchorStore, 'all'> = {
  reads: {
    all({ lookUps }) {
      const select = lookUps.prepare(
        `SELECT ${TRUST_ANCHOR.columns} FROM trust_anchor WHERE tenant = ? ORDER BY entity_id`,
      );
      return (tenant) => select.all(tenant).map(TRUST_ANCHOR.read);
    },
  },
  writes: {
    put(database) {
      const insert = database.prepare(
        `INSERT INTO trust_anchor (tenant, ${TRUST_ANCHOR.columns}) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      );
      const replace = database.prepare(
        'UPDATE trust_anchor SET content = ?1, version = ?2 WHERE tenant = ?3 AND entity_id = ?4 AND version = ?2 - 1',
      );
      const record = eventRecording(database);
      return (tenant, anchor, events) => {
        const { entity_id, version, content } = anchor;
        const { changes } =
          version === 1
            ? insert.run(tenant, ...TRUST_ANCHOR.write(anchor))
            : replace.run(content, version, tenant, entity_id);
        if (changes !== 1) return false;
        for (const event of events) record(tenant, event);
        return true;
      };
    },
    remove(database) {
      const remove = database.prepare('DELETE FROM trust_anchor WHERE tenant = ? AND entity_id = ?');
      const record = eventRecording(database);
      return (tenant, entityId, event) => {
        if (remove.run(tenant, entityId).changes !== 1) return false;
        record(tenant, event);
        return true;
      };
    },
  },
};
