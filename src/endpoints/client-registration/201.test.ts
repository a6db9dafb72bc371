import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertBearerNeeded,
  assertError,
  assertMissingScopes,
  assertUncached,
} from '../../testing/exchange.ts';
import {
  clientInformationOf,
  ISSUER,
  MASTER,
  SERVICE,
  testTenant,
  WEB_CLIENT,
} from '../../testing/tenant.ts';

// proves rfc7591-3.2-1
test('POST /register answers 201 with the same client information response (decision 4; RFC 7591 §3.2.1)', async () => {
  const tenant = testTenant();
  const created = await tenant.send('client-registration-201', { bearer: MASTER, json: WEB_CLIENT });
  assert.equal(created.status, 201);
  assertUncached(created);
  const ordinary = await tenant.send('client-registration', { bearer: MASTER, json: WEB_CLIENT });
  assert.deepEqual(Object.keys(created.json), Object.keys(ordinary.json));
});

test('registration_client_uri is below /clients whichever address registered it (decision 4)', async () => {
  const tenant = testTenant();
  const answered = await tenant.send('client-registration-201', { bearer: MASTER, json: WEB_CLIENT });
  const { client_id, registration_access_token } = clientInformationOf(answered);
  assert.equal(answered.json['registration_client_uri'], `${ISSUER}/clients/${client_id}`);
  const read = await tenant.send('client-read', { bearer: registration_access_token, id: client_id });
  assert.equal(read.body, answered.body);
});

test('POST /register refuses what POST /clients refuses, in the same words (decision 4)', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg:grant:code');
  assertBearerNeeded(await tenant.send('client-registration-201', { json: WEB_CLIENT }));
  assertMissingScopes(
    await tenant.send('client-registration-201', { bearer, json: SERVICE }),
    'client-reg:grant:client',
  );
  assertError(await tenant.send('client-registration-201', { bearer, json: {} }), 'invalid_redirect_uri');
  for (const request of [
    { bearer: 'x', json: WEB_CLIENT },
    { bearer: MASTER, body: '[' },
  ]) {
    const there = await tenant.send('client-registration-201', request);
    assert.deepEqual(there, await tenant.send('client-registration', request));
  }
});

test('both addresses use up the same initial access token (decision 7)', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg:grant:code');
  assert.equal((await tenant.send('client-registration-201', { bearer, json: WEB_CLIENT })).status, 201);
  assert.equal((await tenant.send('client-registration', { bearer, json: WEB_CLIENT })).status, 401);
});

test('any origin may register in open mode only (decision 40)', async () => {
  for (const allowOpenRegistration of [true, false]) {
    const tenant = testTenant({
      settings: { 'registration.allow-open-registration': allowOpenRegistration },
    });
    const expected = allowOpenRegistration ? 'any' : 'configured';
    for (const name of ['client-registration', 'client-registration-201']) {
      assert.equal((await tenant.endpoint(name)).contract.cors, expected);
    }
  }
});
