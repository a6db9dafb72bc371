import type { DatabaseSync } from 'node:sqlite';
import type { ConsentStore, StoredConsent } from '../../ports/consent-store.ts';
import { consentLists, storedConsent, widenedConsent } from '../consent-row.ts';
import type { OfTenant } from '../of-tenant.ts';
import type { WriteHandlers } from './write-handlers.ts';

const COLUMNS = 'sub, client_id, instance, scope, claims, resources, granted_at, updated_at';
const LIVES = `EXISTS (SELECT 1 FROM client WHERE client.tenant = consent.tenant
  AND client.client_id = consent.client_id AND client.instance = consent.instance)`;

type ConsentReads = OfTenant<Pick<ConsentStore, 'find' | 'ofSubject'>>;

export function consentReads(database: DatabaseSync): ConsentReads {
  const find = findConsent(database);
  const ofSubject = database.prepare(`
    SELECT ${COLUMNS} FROM consent WHERE tenant = ? AND sub = ? AND ${LIVES} ORDER BY client_id`);
  return {
    find,
    ofSubject: (tenant, sub) => ofSubject.all(tenant, sub).map(storedConsent),
  };
}

export function consentWrites(database: DatabaseSync): Pick<WriteHandlers, 'grantConsent' | 'revokeConsent'> {
  const find = findConsent(database);
  const client = database.prepare('SELECT 1 FROM client WHERE tenant = ? AND client_id = ? AND instance = ?');
  const put = database.prepare(`
    INSERT OR REPLACE INTO consent (tenant, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const remove = database.prepare(
    'DELETE FROM consent WHERE tenant = ? AND sub = ? AND client_id = ? AND instance = ?',
  );
  return {
    grantConsent(written) {
      const { tenant, consent } = written;
      const { sub, client_id, instance } = consent;
      if (client.get(tenant, client_id, instance) === undefined) return undefined;
      const granted = widenedConsent(find(tenant, sub, { client_id, instance }), written);
      const { scope, claims, resources } = consentLists(granted);
      const { granted_at, updated_at } = granted;
      put.run(tenant, sub, client_id, instance, scope, claims, resources, granted_at, updated_at);
      return granted;
    },
    revokeConsent: ({ tenant, sub, client: { client_id, instance } }) =>
      remove.run(tenant, sub, client_id, instance).changes === 1,
  };
}

function findConsent(
  database: DatabaseSync,
): (...values: Parameters<ConsentReads['find']>) => StoredConsent | undefined {
  const select = database.prepare(`
    SELECT ${COLUMNS} FROM consent WHERE tenant = ? AND sub = ? AND client_id = ? AND instance = ?`);
  return (tenant, sub, { client_id, instance }) => {
    const row = select.get(tenant, sub, client_id, instance);
    return row === undefined ? undefined : storedConsent(row);
  };
}
