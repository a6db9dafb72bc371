import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, assertError } from '../testing/exchange.ts';
import { testRates } from '../testing/rates.ts';
import {
  CALLBACK,
  clientInformationOf,
  MASTER,
  type TestTenant,
  testTenant,
  WEB_CLIENT,
} from '../testing/tenant.ts';
import { networkLimits } from './rate-limits.ts';

const PUBLIC = { ...WEB_CLIENT, token_endpoint_auth_method: 'none' };

function openTenant(settings: object): TestTenant {
  return testTenant({ settings: { 'registration.allow-open-registration': true, ...settings } });
}

test('the limit of openly registered clients holds for parallel requests; clients of a token do not count', async () => {
  const tenant = openTenant({ 'registration.open-clients-max': 3 });
  const answers = await Promise.all(
    Array.from({ length: 10 }, async () => await tenant.send('client-registration', { json: WEB_CLIENT })),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 3);
  const refused = answers.find(({ status }) => status !== 200);
  assert.ok(refused !== undefined);
  assertError(refused, 'invalid_token', /limit of openly registered clients is reached/);
  assert.equal(refused.headers['www-authenticate'], 'Bearer');
  assert.equal((await tenant.send('client-registration', { bearer: MASTER, json: WEB_CLIENT })).status, 200);
});

test('deleting an open client makes room for another one', async () => {
  const tenant = openTenant({ 'registration.open-clients-max': 1 });
  const { client_id: id } = clientInformationOf(
    await tenant.send('client-registration', { json: WEB_CLIENT }),
  );
  assert.equal((await tenant.send('client-registration', { json: WEB_CLIENT })).status, 401);
  await tenant.send('client-delete', { bearer: MASTER, id });
  assert.equal((await tenant.send('client-registration', { json: WEB_CLIENT })).status, 200);
});

async function idOf(tenant: TestTenant, json: object): Promise<string> {
  return clientInformationOf(await tenant.send('client-registration', { json })).client_id;
}

test('identical public clients share one registration, which none of them can manage', async () => {
  const tenant = openTenant({ 'registration.open-idempotent': true });
  const answers: Answer[] = await Promise.all(
    Array.from({ length: 20 }, async () => await tenant.send('client-registration', { json: PUBLIC })),
  );
  assert.equal(new Set(answers.map(({ body }) => body)).size, 1);
  const [answered] = answers;
  assert.equal('registration_access_token' in (answered?.json ?? {}), false);
  assert.equal('registration_client_uri' in (answered?.json ?? {}), false);
});

const TWO = { ...PUBLIC, redirect_uris: [CALLBACK, 'https://client.example/b'] };
const SAME: readonly (readonly [one: object, other: object])[] = [
  [TWO, { ...TWO, redirect_uris: TWO.redirect_uris.toReversed() }],
  [PUBLIC, { ...PUBLIC, grant_types: ['authorization_code'], response_types: ['code'] }],
  [PUBLIC, { ...PUBLIC, software_of_the_future: 1 }],
  [{ a: 1, ...PUBLIC }, PUBLIC],
];

for (const [one, other] of SAME) {
  test(`${JSON.stringify(other).slice(0, 120)} is the same client as ${JSON.stringify(one).slice(0, 60)}`, async () => {
    const tenant = openTenant({ 'registration.open-idempotent': true });
    assert.equal(await idOf(tenant, one), await idOf(tenant, other));
  });
}

const DIFFERENT: readonly (readonly [settings: object, one: object, other: object])[] = [
  [{ 'registration.open-idempotent': true }, PUBLIC, TWO],
  [{ 'registration.open-idempotent': true }, PUBLIC, { ...PUBLIC, client_name: 'A' }],
  [{ 'registration.open-idempotent': true }, WEB_CLIENT, WEB_CLIENT],
  [{ 'registration.open-idempotent': false }, PUBLIC, PUBLIC],
];

for (const [settings, one, other] of DIFFERENT) {
  test(`with ${JSON.stringify(settings)}, ${JSON.stringify(other).slice(0, 90)} is another client than ${JSON.stringify(one).slice(0, 60)}`, async () => {
    const tenant = openTenant(settings);
    assert.notEqual(await idOf(tenant, one), await idOf(tenant, other));
  });
}

test('a public client registered with a token is not shared', async () => {
  const tenant = openTenant({ 'registration.open-idempotent': true });
  const shared = await idOf(tenant, PUBLIC);
  const own = clientInformationOf(await tenant.send('client-registration', { bearer: MASTER, json: PUBLIC }));
  assert.notEqual(own.client_id, shared);
  assert.notEqual(own.registration_access_token, '');
});

test('a shared client is no longer shared after the master token changes it', async () => {
  const tenant = openTenant({ 'registration.open-idempotent': true });
  const id = await idOf(tenant, PUBLIC);
  const json = { ...PUBLIC, client_name: 'Changed' };
  assert.equal((await tenant.send('client-update', { bearer: MASTER, id, json })).status, 200);
  assert.notEqual(await idOf(tenant, PUBLIC), id);
});

test('limits hold when the clock stands still, and a limit of 0 admits every registration', async () => {
  const none = networkLimits(
    { kind: 'test', perNetwork: 0, overall: 0 },
    testRates(() => 0),
  );
  for (let time = 0; time < 1000; time += 1) await none.admit('192.0.2.1');
  const one = networkLimits(
    { kind: 'test', perNetwork: 0, overall: 1 },
    testRates(() => 0),
  );
  await one.admit('192.0.2.1');
  await assert.rejects(one.admit('198.51.100.1'), { retryAfterSeconds: 60 });
});
