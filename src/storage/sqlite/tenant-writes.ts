import type { DatabaseSync } from 'node:sqlite';
import type { TenantId } from '../../spec/identifiers.ts';
import { eventRecording } from './audit-writes.ts';
import type { WriteHandlers } from './write-handlers.ts';

type TenantWrites = Pick<WriteHandlers, 'createTenant' | 'replaceTenant'>;

export function tenantWrites(database: DatabaseSync): TenantWrites {
  const record = eventRecording(database);
  const known = database.prepare('SELECT 1 FROM tenant WHERE tenant = ?');
  const insert = database.prepare(`
    INSERT INTO tenant (tenant, version, settings, created_at, disabled_at) VALUES (?, ?, ?, ?, ?)`);
  const update = database.prepare(`
    UPDATE tenant SET version = version + 1, settings = ?, disabled_at = ? WHERE tenant = ? AND version = ?`);
  const atVersion = database.prepare('SELECT 1 FROM tenant WHERE tenant = ? AND version = ?');
  const nameOfAnother = database.prepare('SELECT 1 FROM tenant_issuer WHERE issuer = ? AND tenant <> ?');
  const insertName = database.prepare(
    'INSERT INTO tenant_issuer (tenant, position, issuer) VALUES (?, ?, ?)',
  );
  const removeAliases = database.prepare('DELETE FROM tenant_issuer WHERE tenant = ? AND position > 0');
  const changeList = database.prepare('UPDATE tenant_list SET version = version + 1 WHERE id = 1');

  const isTaken = (tenant: TenantId, names: readonly string[]): boolean =>
    names.some((name) => nameOfAnother.get(name, tenant) !== undefined);
  const insertNames = (tenant: TenantId, names: readonly string[], first: number): void => {
    for (const [index, name] of names.entries()) insertName.run(tenant, first + index, name);
  };

  return {
    createTenant({ tenant: { id, version, issuer, aliases, settings, created_at, disabled_at }, event }) {
      if (known.get(id) !== undefined) return 'id_taken';
      const names = [issuer, ...aliases];
      if (isTaken(id, names)) return 'issuer_taken';
      insert.run(id, version, settings, created_at, disabled_at);
      insertNames(id, names, 0);
      changeList.run();
      record(id, event);
      return 'created';
    },
    replaceTenant({ id, expectedVersion, content: { aliases, settings, disabled_at }, event }) {
      if (atVersion.get(id, expectedVersion) === undefined) return 'conflict';
      if (isTaken(id, aliases)) return 'issuer_taken';
      update.run(settings, disabled_at, id, expectedVersion);
      removeAliases.run(id);
      insertNames(id, aliases, 1);
      changeList.run();
      record(id, event);
      return 'replaced';
    },
  };
}
