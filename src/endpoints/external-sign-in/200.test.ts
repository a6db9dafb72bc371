import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Subject } from '../../spec/identifiers.ts';
import { externalTenant, PAGE_TOKEN } from '../../testing/external-sign-in.ts';
import { ISSUER } from '../../testing/tenant.ts';

const { tenant, client, sentOut, outcome } = await externalTenant();

test('GET /interaction-api/{id}: what the request wants, and who makes it (OpenID Connect Core 1.0 §3.1.2.1)', async () => {
  const { handle } = await sentOut({
    scope: 'openid email',
    claims: '{"userinfo":{"birthdate":null},"id_token":{"acr":{"essential":true,"values":["gold"]}}}',
    login_hint: 'ada@example.org',
    ui_locales: 'de',
    max_age: '60',
    acr_values: 'gold silver',
    prompt: 'login',
  });
  const answer = await tenant.send('external-sign-in', { bearer: PAGE_TOKEN, id: handle });
  assert.equal(answer.status, 200, answer.body);
  assert.equal(answer.headers['cache-control'], 'no-store');
  const { expires_at, ...wanted } = answer.json;
  assert.equal(expires_at, tenant.clock.now() + 900);
  assert.deepEqual(wanted, {
    client: {
      client_id: client.client_id,
      name: 'Paper Clips',
      host: 'client.example',
      vouched: true,
      policy_uri: 'https://client.example/privacy',
    },
    scope: ['openid', 'email'],
    claims: ['birthdate'],
    resource: [],
    prompt: ['login'],
    acr_values: ['gold', 'silver'],
    acr: { essential: true, values: ['gold'] },
    max_age: 60,
    login_hint: 'ada@example.org',
    ui_locales: 'de',
  });
});

test('POST /interaction-api/{id}: an address of ours for this browser, and an account for whoever came first (docs/sign-in.md)', async () => {
  const { handle } = await sentOut();
  const claims = { name: 'Ada', preferred_username: 'ada' };
  const answer = await outcome(handle, { subject: 'Person-1', acr: 'gold', amr: ['pwd', 'otp'], claims });
  assert.equal(answer.status, 200, answer.body);
  const address = new URL(String(answer.json['redirect_to']));
  assert.equal(address.origin + address.pathname, `${ISSUER}/interaction/${handle}`);
  assert.match(address.search, /^\?outcome=[A-Za-z0-9]{43}$/);
  const account = await tenant.storage.accounts.find('Person-1' as Subject);
  assert.equal(account?.username, 'ada');
  assert.equal(account?.password_hash, null);
  assert.deepEqual(JSON.parse(account?.claims ?? ''), claims);
});

test('an account that is there is the one; claims are taken over, and without any it stays as it is', async () => {
  const first = await sentOut();
  await outcome(first.handle, { subject: 'person-2', claims: { name: 'Old' } });
  await outcome((await sentOut()).handle, { subject: 'person-2' });
  const kept = await tenant.storage.accounts.find('person-2' as Subject);
  assert.deepEqual(
    [kept?.version, kept?.claims, kept?.login_name],
    [1, '{"name":"Old"}', 'external:person-2'],
  );
  await outcome((await sentOut()).handle, { subject: 'person-2', claims: { name: 'New' } });
  const changed = await tenant.storage.accounts.find('person-2' as Subject);
  assert.deepEqual([changed?.version, changed?.claims], [2, '{"name":"New"}']);
});

test('subjects that differ in case only are two people', async () => {
  for (const subject of ['Bob', 'bob', 'b/ob%']) {
    assert.equal((await outcome((await sentOut()).handle, { subject })).status, 200);
    assert.equal((await tenant.storage.accounts.find(subject as Subject))?.username, subject);
  }
});
