import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  answered,
  assertUnauthorized,
  federatedTenant,
  METADATA,
  requestStatement,
} from '../../testing/federated-tenant.ts';

// proves openid-federation-12.2-1
test('401: a statement without aud that asks for a secret is taken once: the second time it discloses nothing and ends nothing (decision 35; H-195)', async () => {
  const tenant = await federatedTenant();
  const metadata = { redirect_uris: METADATA.redirect_uris };
  const statement = requestStatement(metadata, { aud: undefined });
  const { registered } = answered(await tenant.post(statement));
  for (const again of [statement, statement])
    assertUnauthorized(await tenant.post(again), /^invalid_client: statement_replayed: /);
  const [live, ...others] = await tenant.storage.clients.page(undefined, 10);
  assert.deepEqual([live?.client_id, others.length], [registered['client_id'], 0]);
});

// proves openid-federation-12.2-1
test('200: a statement that comes again gets the same answer, in both dialects, and makes no second client (decision 35; OpenID Federation 1.0 §12.2)', async () => {
  for (const metadata of [METADATA, { redirect_uris: METADATA.redirect_uris }]) {
    const tenant = await federatedTenant();
    const statement = requestStatement(metadata);
    const first = answered(await tenant.post(statement));
    tenant.clock.advance(5);
    assert.deepEqual(answered(await tenant.post(statement)).claims, first.claims);
    const { claims } = answered(await tenant.postFinal(statement));
    assert.deepEqual(claims['metadata'], first.claims['metadata']);
    assert.equal((await tenant.storage.clients.page(undefined, 10)).length, 1);
    const events = await tenant.storage.audit.page(0, 10);
    assert.deepEqual(
      events.map(({ action }) => action),
      ['client.create'],
    );
  }
});

// proves openid-federation-12.2-1
test('401: a statement comes again after a later one has registered other metadata (decision 35)', async () => {
  const tenant = await federatedTenant();
  const statement = requestStatement();
  answered(await tenant.post(statement));
  answered(await tenant.post(requestStatement({ ...METADATA, client_name: 'Later' })));
  assertUnauthorized(await tenant.post(statement), /^invalid_client: statement_replayed: /);
});

// proves openid-federation-12.2-1
test('503 with Retry-After while the first request with a statement is under way (decision 35)', async () => {
  const tenant = await federatedTenant({ 'federation.registrations': 40 });
  const statement = requestStatement();
  const responses = await Promise.all(Array.from({ length: 20 }, async () => await tenant.post(statement)));
  const made = responses.filter(({ status }) => status === 200);
  const [first] = made;
  assert.ok(first !== undefined);
  for (const one of made) assert.deepEqual(answered(one).claims, answered(first).claims);
  for (const { status, json, headers } of responses.filter((one) => !made.includes(one))) {
    assert.deepEqual([status, json['error']], [503, 'temporarily_unavailable']);
    assert.equal(headers['retry-after'], '1');
    assert.match(String(json['error_description']), /^statement_under_way: /);
  }
  assert.equal((await tenant.storage.clients.page(undefined, 10)).length, 1);
});

test('a statement is remembered as long as it is accepted: a minute longer than its exp, for clocks that differ (decision 35)', async () => {
  const tenant = await federatedTenant();
  const exp = tenant.clock.now() + 300;
  answered(await tenant.post(requestStatement(METADATA, { exp })));
  assert.equal(await tenant.storage.replays.sweepExpired(exp + 59, 10), 0);
  assert.equal(await tenant.storage.replays.sweepExpired(exp + 61, 10), 1);
});
