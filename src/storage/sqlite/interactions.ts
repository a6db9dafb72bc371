import type { DatabaseSync } from 'node:sqlite';
import type { ChangeOutcome } from '../../ports/client-store.ts';
import type { InteractionStore } from '../../ports/interaction-store.ts';
import type { Digest, TenantId } from '../../spec/identifiers.ts';
import { INTERACTION } from '../rows.ts';
import { eventRecording } from './audit.ts';
import { codeIssuing } from './authorization-codes.ts';
import type { TenantNoun } from './noun.ts';

export const interactions: TenantNoun<InteractionStore, 'find' | 'devices'> = {
  reads: {
    find({ lookUps }) {
      const find = lookUps.prepare(
        `SELECT ${INTERACTION.columns} FROM interaction WHERE tenant = ? AND key = ?`,
      );
      return (tenant, key) => INTERACTION.readOptional(find.get(tenant, key));
    },
    devices({ scans }) {
      const page = scans.prepare(`
        SELECT ${INTERACTION.columns} FROM interaction INDEXED BY interaction_device
        WHERE tenant = ?1 AND kind = 'device' AND key > ?2 AND (?3 = '' OR browser = ?3) ORDER BY key LIMIT ?4`);
      return (tenant, { browser = '' }, after, limit) =>
        page.all(tenant, after, browser, limit).map(INTERACTION.read);
    },
  },
  writes: {
    begin(database) {
      const insert = database.prepare(`
        INSERT INTO interaction (tenant, ${INTERACTION.columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
      return (tenant, interaction) => void insert.run(tenant, ...INTERACTION.write(interaction));
    },
    change(database) {
      const change = database.prepare(`
        UPDATE interaction SET content = ?, version = version + 1 WHERE tenant = ? AND key = ? AND version = ?`);
      const outcome = outcomeOf(database);
      return (tenant, { key, version }, content) =>
        outcome(tenant, key, change.run(content, tenant, key, version).changes);
    },
    complete(database) {
      const remove = database.prepare('DELETE FROM interaction WHERE tenant = ? AND key = ? AND version = ?');
      const outcome = outcomeOf(database);
      return (tenant, { key, version }) => outcome(tenant, key, remove.run(tenant, key, version).changes);
    },
    refuseDevice(database) {
      const waits = database.prepare(
        "SELECT 1 FROM interaction WHERE tenant = ? AND key = ? AND kind = 'user-code'",
      );
      const change = database.prepare(`
        UPDATE interaction SET content = ?, version = version + 1 WHERE tenant = ? AND key = ? AND version = ?`);
      const remove = database.prepare('DELETE FROM interaction WHERE tenant = ? AND key = ?');
      const outcome = outcomeOf(database);
      const record = eventRecording(database);
      return (tenant, { device: { key, version }, user_code, content }, event) => {
        if (waits.get(tenant, user_code) === undefined) return 'absent';
        const changed = outcome(tenant, key, change.run(content, tenant, key, version).changes);
        if (changed !== 'done') return changed;
        remove.run(tenant, user_code);
        if (event !== undefined) record(tenant, event);
        return 'done';
      };
    },
    allowDevice(database) {
      const remove = database.prepare('DELETE FROM interaction WHERE tenant = ? AND key = ? AND version = ?');
      const outcome = outcomeOf(database);
      const issue = codeIssuing(database);
      return (tenant, { key, version }, code) => {
        const used = outcome(tenant, key, remove.run(tenant, key, version).changes);
        if (used === 'done') issue(tenant, code);
        return used;
      };
    },
    sweepExpired(database) {
      const sweep = database.prepare(`
        DELETE FROM interaction WHERE tenant = ?1 AND key IN
          (SELECT key FROM interaction WHERE tenant = ?1 AND expires_at < ?2 ORDER BY expires_at LIMIT ?3)`);
      return (tenant, now, limit) => Number(sweep.run(tenant, now, limit).changes);
    },
  },
};

function outcomeOf(
  database: DatabaseSync,
): (tenant: TenantId, key: Digest, changes: number | bigint) => ChangeOutcome {
  const find = database.prepare('SELECT 1 FROM interaction WHERE tenant = ? AND key = ?');
  return (tenant, key, changes) => {
    if (changes === 1) return 'done';
    return find.get(tenant, key) === undefined ? 'absent' : 'changed_meanwhile';
  };
}
