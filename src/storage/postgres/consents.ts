import type { ConsentStore } from '../../ports/consent-store.ts';
import type { GrantId } from '../../spec/identifiers.ts';
import { CONSENT_LIST } from '../people-listings.ts';
import { CONSENT, widenedConsent } from '../rows.ts';
import { causeOf } from '../signal-facts.ts';
import { record } from './audit.ts';
import { endGrants } from './grants.ts';
import { listing } from './listing.ts';
import { changed, one, type TenantNoun } from './noun.ts';
import { statement } from './statement.ts';

const PLACE = 'tenant = :tenant AND sub = :sub AND client_id = :client_id AND instance = :instance';

const FIND = statement('consent_find', `SELECT ${CONSENT.columns} FROM consent WHERE ${PLACE}`);
const OF_SUBJECT = statement(
  'consent_of_subject',
  `SELECT ${CONSENT.columns} FROM consent WHERE tenant = :tenant AND sub = :sub AND (
     SELECT 1 FROM client WHERE client.tenant = :tenant AND client.client_id = consent.client_id
       AND client.instance = consent.instance) = 1 ORDER BY client_id`,
);
const CLIENT = statement(
  'consent_client',
  'SELECT 1 AS present FROM client WHERE tenant = :tenant AND client_id = :client_id AND instance = :instance',
);
const PUT = statement(
  'consent_put',
  `INSERT INTO consent (tenant, ${CONSENT.columns})
   VALUES (:tenant, :sub, :client_id, :instance, :scope, :claims, :resources, :granted_at, :updated_at)
   ON CONFLICT (tenant, sub, client_id, instance) DO UPDATE SET scope = excluded.scope, claims = excluded.claims,
     resources = excluded.resources, updated_at = excluded.updated_at`,
);
const GRANTS = statement(
  'consent_grants',
  `SELECT grant_id FROM authorization_grant
   WHERE tenant = :tenant AND sub = :sub AND client_id = :client_id AND client_instance = :instance`,
);
const REMOVE = statement('consent_remove', `DELETE FROM consent WHERE ${PLACE}`);

export const consents: TenantNoun<ConsentStore, 'find' | 'ofSubject' | 'list'> = {
  reads: {
    list: listing(CONSENT_LIST),
    find:
      ({ primary }) =>
      async (tenant, sub, { client_id, instance }) =>
        CONSENT.readOptional((await primary.rows(tenant, FIND, { sub, client_id, instance }))[0]),
    ofSubject:
      ({ primary }) =>
      async (tenant, sub) =>
        (await primary.rows(tenant, OF_SUBJECT, { sub })).map(CONSENT.read),
  },
  writes: {
    grant: {
      locksTenant: true,
      async interactive(transaction, tenant, consent, at, event) {
        const { sub, client_id, instance } = consent;
        const place = { tenant, sub, client_id, instance };
        if ((await one(transaction.query(CLIENT, place))) === undefined) return undefined;
        const before = CONSENT.readOptional(await one(transaction.query(FIND, place)));
        const granted = widenedConsent(before, consent, at);
        await transaction.query(PUT, { tenant, ...CONSENT.writeNamed(granted) });
        await record(transaction, tenant, event);
        return granted;
      },
    },
    revoke: {
      locksTenant: true,
      async interactive(transaction, tenant, sub, { client_id, instance }, event) {
        const removing = transaction.query(REMOVE, { tenant, sub, client_id, instance });
        if ((await changed(removing)) !== 1) return false;
        await record(transaction, tenant, event);
        return true;
      },
    },
    withdraw: {
      locksTenant: true,
      async interactive(transaction, tenant, sub, { client_id, instance }, event) {
        const place = { tenant, sub, client_id, instance };
        const removed = await changed(transaction.query(REMOVE, place));
        const { rows } = await transaction.query(GRANTS, place);
        const grants = rows.map(({ grant_id }) => grant_id as GrantId);
        const ended = await endGrants(transaction, tenant, grants, causeOf(event, 'consent.withdraw'));
        if (removed === 0 && ended === 0) return false;
        await record(transaction, tenant, event);
        return true;
      },
    },
  },
};
