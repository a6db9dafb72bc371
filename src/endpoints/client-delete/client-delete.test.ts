import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testInsufficientScope, testNotFound, testUnauthorized } from '../../testing/client-refusals.ts';
import { assertBodiless, assertUncached } from '../../testing/exchange.ts';
import { clientInformationOf, MASTER, SERVICE, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';

for (const kind of ['master', 'registration'] as const) {
  // proves rfc7592-2.3-1
  test(`DELETE /clients/{id} with the ${kind} token: 204 without body (interface; RFC 7592 §2.3)`, async () => {
    const tenant = testTenant();
    const { client_id, registration_access_token } = await tenant.register(WEB_CLIENT);
    const bearer = kind === 'master' ? MASTER : registration_access_token;
    const answered = await tenant.send('client-delete', { bearer, id: client_id });
    assert.equal(answered.status, 204);
    assert.equal(answered.body, '');
    assertUncached(answered);
    assert.equal((await tenant.send('client-read', { bearer: MASTER, id: client_id })).status, 404);
    assert.equal((await tenant.send('client-list', { bearer: MASTER })).body, '[]');
  });
}

// proves rfc7592-2.3-2, rfc7662-4-2
test('204: DELETE ends the client’s tokens and its authentication together (decision 14)', async () => {
  const tenant = testTenant();
  const client = await tenant.register({ ...SERVICE, scope: 'read' });
  const basic = [client.client_id, client.client_secret] as const;
  const form = { grant_type: 'client_credentials' };
  const own = String((await tenant.send('token', { basic, form })).json['access_token']);
  const direct = await tenant.authorize({ client_id: client.client_id, scope: ['read'], sub: 'alice' });
  const another = await tenant.register({ ...SERVICE, scope: 'read' });
  const others = await tenant.authorize({ client_id: another.client_id, scope: ['read'] });
  assert.equal((await tenant.introspect(own))['active'], true);
  await tenant.send('client-delete', { bearer: client.registration_access_token, id: client.client_id });
  assert.deepEqual(await tenant.introspect(own), { active: false });
  assert.deepEqual(await tenant.introspect(direct), { active: false });
  assert.equal((await tenant.introspect(others))['active'], true);
  assert.equal((await tenant.send('token', { basic, form })).status, 401);
});

test('a deleted id is registered again with the master token only, and inherits nothing (decision 14)', async () => {
  const tenant = testTenant();
  const json = { ...SERVICE, scope: 'read', preferred_client_id: 'app' };
  const before = await tenant.register(json);
  const token = await tenant.authorize({ client_id: 'app', scope: ['read'] });
  await tenant.send('client-delete', { bearer: MASTER, id: 'app' });
  const after = clientInformationOf(await tenant.send('client-registration', { bearer: MASTER, json }));
  assert.equal(after.client_id, 'app');
  assert.notEqual(after.client_secret, before.client_secret);
  assert.notEqual(after.registration_access_token, before.registration_access_token);
  const old = { bearer: before.registration_access_token, id: 'app' };
  assert.equal((await tenant.send('client-read', old)).status, 401);
  assert.equal((await tenant.send('client-delete', old)).status, 401);
  const form = { grant_type: 'client_credentials' };
  assert.equal((await tenant.send('token', { basic: ['app', before.client_secret], form })).status, 401);
  assert.equal((await tenant.send('token', { basic: ['app', after.client_secret], form })).status, 200);
  assert.deepEqual(await tenant.introspect(token), { active: false });
});

test('204: a deletion that meets an update deletes the updated client', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register(WEB_CLIENT);
  tenant.watch.before('clients.delete', async () => {
    const update = await tenant.send('client-update', { bearer: MASTER, id: client_id, json: WEB_CLIENT });
    assert.equal(update.status, 200);
  });
  assert.equal((await tenant.send('client-delete', { bearer: MASTER, id: client_id })).status, 204);
  assert.equal((await tenant.send('client-read', { bearer: MASTER, id: client_id })).status, 404);
});

test('a deletion whose registration token was renewed meanwhile: the token is dead, 401 (decision 9)', async () => {
  const tenant = testTenant();
  const { client_id, registration_access_token: bearer } = await tenant.register(WEB_CLIENT);
  tenant.watch.before('clients.delete', async () => {
    await tenant.send('client-update', { bearer: MASTER, id: client_id, json: WEB_CLIENT });
  });
  assert.equal((await tenant.send('client-delete', { bearer, id: client_id })).status, 401);
  assert.equal((await tenant.send('client-read', { bearer: MASTER, id: client_id })).status, 200);
});

test('of parallel deletions with the master token one is 204 and the others 404', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register(WEB_CLIENT);
  const answers = await Promise.all(
    Array.from(
      { length: 10 },
      async () => await tenant.send('client-delete', { bearer: MASTER, id: client_id }),
    ),
  );
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  assert.deepEqual(statuses, [204, ...Array.from({ length: 9 }, () => 404)]);
});

testUnauthorized('delete');

testInsufficientScope('delete');

testNotFound('delete');

test('DELETE /clients/{id}, the store fails: 500 without body for both tokens, and only the report has the cause', async () => {
  const tenant = testTenant();
  const { client_id, registration_access_token } = await tenant.register(WEB_CLIENT);
  const cause = new Error('disk /var/lib/registry is full');
  tenant.watch.fail(cause);
  for (const bearer of [MASTER, registration_access_token]) {
    assertBodiless(await tenant.send('client-delete', { bearer, id: client_id }), 500);
  }
  assert.deepEqual(tenant.reports, [cause, cause]);
});
