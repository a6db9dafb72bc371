import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientId } from '../../spec/identifiers.ts';
import { assertError } from '../../testing/exchange.ts';
import { answered, federatedTenant, METADATA, RP, requestStatement } from '../../testing/federated-tenant.ts';
import { MASTER } from '../../testing/tenant.ts';

for (const name of ['client-update', 'client-update-at-register'] as const)
  test(`${name} with the master token rejects a client of a federation with 400 invalid_request, and nothing changes (H-450)`, async () => {
    const tenant = await federatedTenant();
    const { registered } = answered(await tenant.post(requestStatement()));
    const id = registered['client_id'] as ClientId;
    const before = await tenant.storage.clients.find(id);
    const json = { ...METADATA, redirect_uris: ['https://elsewhere.example/cb'] };
    const words = new RegExp(
      `^the federation of the entity '${RP.id}' states the metadata of this client`,
      'u',
    );
    assertError(await tenant.send(name, { id, bearer: MASTER, json }), 'invalid_request', words);
    assert.deepEqual(await tenant.storage.clients.find(id), before);
    const removed = await tenant.send('client-delete', { id, bearer: MASTER });
    assert.equal(removed.status, 204, 'DELETE removes it');
  });
