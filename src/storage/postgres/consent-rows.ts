import { consentLists, storedConsent, widenedConsent } from '../consent-row.ts';
import type { Reads } from '../tenant-storage.ts';
import { type Acts, changed, one } from './act.ts';
import type { GatheredReads } from './gathered-reads.ts';
import { statement } from './statement.ts';

const COLUMNS = 'sub, client_id, instance, scope, claims, resources, granted_at, updated_at';
const PLACE = 'tenant = :tenant AND sub = :sub AND client_id = :client_id AND instance = :instance';

const FIND = statement('consent_find', `SELECT ${COLUMNS} FROM consent WHERE ${PLACE}`);
const OF_SUBJECT = statement(
  'consent_of_subject',
  `SELECT ${COLUMNS} FROM consent WHERE tenant = :tenant AND sub = :sub AND (
     SELECT 1 FROM client WHERE client.tenant = :tenant AND client.client_id = consent.client_id
       AND client.instance = consent.instance) = 1 ORDER BY client_id`,
);
const CLIENT = statement(
  'consent_client',
  'SELECT 1 AS present FROM client WHERE tenant = :tenant AND client_id = :client_id AND instance = :instance',
);
const PUT = statement(
  'consent_put',
  `INSERT INTO consent (tenant, ${COLUMNS})
   VALUES (:tenant, :sub, :client_id, :instance, :scope, :claims, :resources, :granted_at, :updated_at)
   ON CONFLICT (tenant, sub, client_id, instance) DO UPDATE SET scope = excluded.scope, claims = excluded.claims,
     resources = excluded.resources, updated_at = excluded.updated_at`,
);
const REMOVE = statement('consent_remove', `DELETE FROM consent WHERE ${PLACE}`);

export function consentReads(reads: GatheredReads): Reads['consents'] {
  return {
    async find(tenant, sub, { client_id, instance }) {
      const [row] = await reads.rows(tenant, FIND, { sub, client_id, instance });
      return row === undefined ? undefined : storedConsent(row);
    },
    ofSubject: async (tenant, sub) => (await reads.rows(tenant, OF_SUBJECT, { sub })).map(storedConsent),
  };
}

export const CONSENT_ACTS: Acts<'grantConsent' | 'revokeConsent'> = {
  grantConsent: {
    turn: true,
    async steps(transaction, written) {
      const { tenant, consent } = written;
      const { sub, client_id, instance } = consent;
      const place = { tenant, sub, client_id, instance };
      if ((await one(transaction.ask(CLIENT, place))) === undefined) return undefined;
      const row = await one(transaction.ask(FIND, place));
      const granted = widenedConsent(row === undefined ? undefined : storedConsent(row), written);
      await transaction.ask(PUT, { tenant, ...granted, ...consentLists(granted) });
      return granted;
    },
  },
  revokeConsent: {
    turn: true,
    quick: async (transaction, { tenant, sub, client }) =>
      (await changed(transaction.ask(REMOVE, { tenant, sub, ...client }))) === 1,
  },
};
