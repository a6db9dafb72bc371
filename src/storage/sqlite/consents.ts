import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ConsentStore, StoredConsent } from '../../ports/consent-store.ts';
import type { GrantId, TenantId } from '../../spec/identifiers.ts';
import { CONSENT_LIST } from '../people-listings.ts';
import { CONSENT, widenedConsent } from '../rows.ts';
import { causeOf } from '../signal-facts.ts';
import { eventRecording } from './audit.ts';
import { grantsEnding } from './grants.ts';
import { listing } from './listing.ts';
import type { TenantNoun } from './noun.ts';

export const consents: TenantNoun<ConsentStore, 'find' | 'ofSubject' | 'list'> = {
  reads: {
    list: listing(CONSENT_LIST),
    find: ({ lookUps }) => consentFinding(lookUps),
    ofSubject({ lookUps }) {
      const find = lookUps.prepare(`
        SELECT ${CONSENT.columns} FROM consent WHERE tenant = ? AND sub = ? AND EXISTS (
          SELECT 1 FROM client WHERE client.tenant = consent.tenant AND client.client_id = consent.client_id
            AND client.instance = consent.instance)
        ORDER BY client_id`);
      return (tenant, sub) => find.all(tenant, sub).map(CONSENT.read);
    },
  },
  writes: {
    grant(database) {
      const find = consentFinding(database);
      const client = database.prepare(
        'SELECT 1 FROM client WHERE tenant = ? AND client_id = ? AND instance = ?',
      );
      const put = database.prepare(`
        INSERT OR REPLACE INTO consent (tenant, ${CONSENT.columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
      const record = eventRecording(database);
      return (tenant, consent, at, event) => {
        const { sub, client_id, instance } = consent;
        if (client.get(tenant, client_id, instance) === undefined) return undefined;
        const granted = widenedConsent(find(tenant, sub, consent), consent, at);
        put.run(tenant, ...CONSENT.write(granted));
        if (event !== undefined) record(tenant, event);
        return granted;
      };
    },
    revoke(database) {
      const remove = removal(database);
      const record = eventRecording(database);
      return (tenant, sub, { client_id, instance }, event) => {
        const existed = remove.run(tenant, sub, client_id, instance).changes === 1;
        if (existed && event !== undefined) record(tenant, event);
        return existed;
      };
    },
    withdraw(database) {
      const remove = removal(database);
      const given = database.prepare(`
        SELECT grant_id FROM authorization_grant
        WHERE tenant = ? AND sub = ? AND client_id = ? AND client_instance = ?`);
      const end = grantsEnding(database);
      const record = eventRecording(database);
      return (tenant, sub, { client_id, instance }, event) => {
        const removed = remove.run(tenant, sub, client_id, instance).changes;
        const grants = given.all(tenant, sub, client_id, instance).map(({ grant_id }) => grant_id as GrantId);
        const ended = end(tenant, grants, causeOf(event, 'consent.withdraw'));
        if (removed === 0 && ended === 0) return false;
        record(tenant, event);
        return true;
      };
    },
  },
};

const removal = (database: DatabaseSync): StatementSync =>
  database.prepare('DELETE FROM consent WHERE tenant = ? AND sub = ? AND client_id = ? AND instance = ?');

function consentFinding(
  database: DatabaseSync,
): (
  tenant: TenantId,
  sub: StoredConsent['sub'],
  client: Pick<StoredConsent, 'client_id' | 'instance'>,
) => StoredConsent | undefined {
  const find = database.prepare(`
    SELECT ${CONSENT.columns} FROM consent WHERE tenant = ? AND sub = ? AND client_id = ? AND instance = ?`);
  return (tenant, sub, { client_id, instance }) =>
    CONSENT.readOptional(find.get(tenant, sub, client_id, instance));
}
