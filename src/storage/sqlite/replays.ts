import type { ReplayStore } from '../../ports/replay-store.ts';
import type { TenantNoun } from './noun.ts';

export const replays: TenantNoun<ReplayStore> = {
  reads: {},
  writes: {
    rememberOnce(database) {
      const insert = database.prepare(`
        INSERT INTO remembered_once (tenant, kind, owner, value, expires_at) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO NOTHING`);
      return (tenant, kind, owner, value, expires_at) =>
        insert.run(tenant, kind, owner, value, expires_at).changes === 1;
    },
    sweepExpired(database) {
      const sweep = database.prepare(`
        DELETE FROM remembered_once WHERE rowid IN
          (SELECT rowid FROM remembered_once WHERE tenant = ?1 AND expires_at < ?2 ORDER BY expires_at LIMIT ?3)`);
      return (tenant, now, limit) => Number(sweep.run(tenant, now, limit).changes);
    },
  },
};
