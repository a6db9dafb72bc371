import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ANCHOR,
  answered,
  federatedTenant,
  METADATA,
  ORG,
  RP,
  requestStatement,
} from '../../testing/federated-tenant.ts';
import { MASTER, START } from '../../testing/tenant.ts';

const HOUR = 3600;

/** The member that operators see of a client that registered explicitly through ORG. */
const FEDERATION = {
  entity_id: RP.id,
  registration: 'explicit',
  trust_anchor: ANCHOR.id,
  trust_chain: [RP.id, ORG.id, ANCHOR.id],
  expires_at: START + HOUR,
  trust_chain_expires_at: START + HOUR,
  resolved_at: START,
  trust_marks: [],
  verified_trust_marks: [],
};

test('GET /clients and /clients/{id} show what the registration of a federated client rests on: 200 with chancery_federation (docs/deviations.md)', async () => {
  const tenant = await federatedTenant();
  const { registered } = answered(await tenant.post(requestStatement()));
  const { client_id: id } = registered as { readonly client_id: string };
  const read = await tenant.send('client-read', { id, bearer: MASTER });
  assert.deepEqual(read.json['chancery_federation'], FEDERATION);
  assert.equal(read.json['registration_access_token'], undefined);
  const list = await tenant.send('client-list', { bearer: MASTER });
  const clients = JSON.parse(list.body) as readonly { readonly chancery_federation: object }[];
  assert.deepEqual(
    clients.map(({ chancery_federation }) => chancery_federation),
    [FEDERATION],
  );
});

test('the answer to an explicit registration has no chancery_federation, and a submitted one is dropped (H-451)', async () => {
  const tenant = await federatedTenant();
  const forged = { ...METADATA, chancery_federation: { trust_anchor: 'https://forged.example' } };
  const { registered } = answered(await tenant.post(requestStatement(forged)));
  assert.equal(registered['chancery_federation'], undefined);
  const read = await tenant.send('client-read', { id: registered['client_id'] as string, bearer: MASTER });
  assert.deepEqual(read.json['chancery_federation'], FEDERATION);
});
