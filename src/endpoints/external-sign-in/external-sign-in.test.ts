import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setDisabled } from '../../sessions/manage-account.ts';
import type { Subject } from '../../spec/identifiers.ts';
import { assertBodiless } from '../../testing/exchange.ts';
import { externalTenant, PAGE_TOKEN } from '../../testing/external-sign-in.ts';
import { aPerson } from '../../testing/person.ts';
import { DIRECT, ISSUER, MASTER, START } from '../../testing/tenant.ts';

const { tenant, client, sentOut, outcome, redirectTo } = await externalTenant();

test('200: GET /interaction-api/{id}: what the request wants, and who makes it (OpenID Connect Core 1.0 §3.1.2.1)', async () => {
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

test('200: POST /interaction-api/{id}: an address of ours for this browser, and an account at the first sign-in of a subject (docs/sign-in.md)', async () => {
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

test('200: an account that is there is the one; claims are taken over, and without any it stays as it is', async () => {
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

test('200: subjects that differ in case only are two people', async () => {
  for (const subject of ['Bob', 'bob', 'b/ob%']) {
    assert.equal((await outcome((await sentOut()).handle, { subject })).status, 200);
    assert.equal((await tenant.storage.accounts.find(subject as Subject))?.username, subject);
  }
});

for (const [what, json] of [
  ['no subject', {}],
  ['an empty subject', { subject: '' }],
  ['a subject with a line end', { subject: 'a\nb' }],
  ['a subject of 256 characters', { subject: 'x'.repeat(256) }],
  ['a subject beyond ASCII', { subject: 'müller' }],
  ['a number as subject', { subject: 7 }],
  ['an acr that is no string', { subject: 'a', acr: 1 }],
  ['an amr that is no list', { subject: 'a', amr: 'pwd' }],
  ['17 amr', { subject: 'a', amr: Array.from({ length: 17 }, () => 'pwd') }],
  ['claims that are a list', { subject: 'a', claims: [] }],
  ['a claim that only the server makes', { subject: 'a', claims: { iss: 'https://evil.example' } }],
  ['a standard claim of another type', { subject: 'a', claims: { email_verified: 'yes' } }],
  ['an auth_time in the future', { subject: 'a', auth_time: START + 3600 }],
  ['an auth_time that is no whole number', { subject: 'a', auth_time: START - 0.5 }],
  ['an auth_time before the Unix epoch (H-288)', { subject: 'a', auth_time: -1 }],
  ['an error beside a subject (H-288)', { subject: 'a', error: 'access_denied' }],
  ['an unknown member (H-288)', { subject: 'a', sub: 'b' }],
  ['a member of sign-ins beside an error (H-288)', { error: 'access_denied', amr: [] }],
  ['a consent that is none', { subject: 'a', consent: true }],
  ['scope that the request lacks', { subject: 'a', consent: { scope: ['openid', 'email'] } }],
  ['a consent without openid', { subject: 'a', consent: { scope: [] } }],
  ['claims that the request lacks', { subject: 'a', consent: { scope: ['openid'], claims: ['email'] } }],
  ['an error that clients are not told by people', { error: 'invalid_client' }],
  ['an unknown error', { error: 'constructor' }],
  ['a description with a quotation mark', { error: 'access_denied', error_description: '"' }],
  ['a description with a line end', { error: 'access_denied', error_description: 'a\nb' }],
] as const) {
  test(`POST /interaction-api/{id} with ${what}: 400, and the request waits on (docs/sign-in.md)`, async () => {
    const { handle } = await sentOut();
    const answer = await outcome(handle, json);
    assert.equal(answer.status, 400, answer.body);
    assert.equal(answer.json['error'], 'invalid_request');
    assert.equal((await outcome(handle, { subject: 'somebody' })).status, 200);
  });
}

for (const [what, change] of [
  ['prompt=login', { prompt: 'login' }],
  ['max_age', { max_age: '60' }],
  ['max_age=0', { max_age: '0' }],
] as const) {
  test(`400: ${what}: an authentication from before is not enough, and the page hears so (OpenID Connect Core 1.0 §3.1.2.1)`, async () => {
    const { handle } = await sentOut(change);
    const late = await outcome(handle, { subject: 'a', auth_time: tenant.clock.now() - 120 });
    assert.equal(late.status, 400);
    assert.match(String(late.json['error_description']), /authenticate again/);
    assert.equal((await outcome(handle, { subject: 'a', auth_time: tenant.clock.now() })).status, 200);
  });
}

test('a disabled account: 400 without a session', async () => {
  await redirectTo((await sentOut()).handle, { subject: 'gone' });
  const account = await tenant.storage.accounts.find('gone' as Subject);
  assert.ok(account !== undefined);
  const { accounts } = await aPerson(tenant);
  await setDisabled(accounts, account, true, { actor: 'cli', request_id: 'test' });
  const answer = await outcome((await sentOut()).handle, { subject: 'gone' });
  assert.equal(answer.status, 400);
  assert.match(String(answer.json['error_description']), /disabled/);
});

for (const [what, request] of [
  ['a form', { form: { subject: 'a' } }],
  ['a list', { json: [] }],
  ['no JSON', { body: '{' }],
] as const) {
  test(`${what}: 400`, async () => {
    const { handle } = await sentOut();
    const sent = { bearer: PAGE_TOKEN, id: handle, ...request };
    assert.equal((await tenant.send('external-sign-in-outcome', sent)).status, 400);
  });
}

for (const bearer of [undefined, 'x', MASTER, DIRECT]) {
  test(`/interaction-api/{id} with ${bearer ?? 'no token'}: 401, and the request waits on (RFC 6750 §3)`, async () => {
    const { handle } = await sentOut();
    const authorized = bearer === undefined ? {} : { bearer };
    for (const [endpoint, json] of [
      ['external-sign-in', undefined],
      ['external-sign-in-outcome', { subject: 'mallory' }],
    ] as const) {
      const answer = await tenant.send(endpoint, { ...authorized, id: handle, json });
      assert.equal(answer.status, 401);
      assert.match(answer.headers['www-authenticate'] ?? '', /^Bearer/);
    }
  });
}

test('401: a client’s access token and the handle itself are no token of the page', async () => {
  const { handle } = await sentOut();
  assert.equal((await tenant.send('external-sign-in', { bearer: handle, id: handle })).status, 401);
});

async function assertNothing(handle: string): Promise<void> {
  assertBodiless(await tenant.send('external-sign-in', { bearer: PAGE_TOKEN, id: handle }), 404);
  assertBodiless(await outcome(handle, { subject: 'mallory' }), 404);
}

for (const handle of ['', 'x', '%', '__proto__', 'A'.repeat(43), 'A'.repeat(5000)]) {
  test(`/interaction-api/${handle.slice(0, 12)}: 404, because nothing waits there`, async () =>
    await assertNothing(handle));
}

test('a handle that has its outcome, which is taken once: 404 (docs/sign-in.md)', async () => {
  const { handle } = await sentOut();
  assert.equal((await outcome(handle, { subject: 'ada' })).status, 200);
  await assertNothing(handle);
});

test('404 for the second of two outcomes at the same time', async () => {
  const { handle } = await sentOut();
  const answers = await Promise.all([
    outcome(handle, { subject: 'ada' }),
    outcome(handle, { subject: 'eve' }),
  ]);
  assert.deepEqual(
    answers.map(({ status }) => status).sort((a, b) => a - b),
    [200, 404],
  );
});

test('a handle that has expired, one with another letter: 404', async () => {
  const { handle } = await sentOut();
  await assertNothing(`${handle.slice(0, -1)}${handle.endsWith('a') ? 'b' : 'a'}`);
  tenant.clock.advance(900);
  await assertNothing(handle);
});

test('/interaction-api/{id}, the store fails: 500 without body, and only the report has the cause', async () => {
  const { tenant, sentOut, outcome } = await externalTenant();
  const { handle } = await sentOut();
  const cause = new Error('/var/lib/registry is full');
  tenant.watch.fail(cause);
  assertBodiless(await tenant.send('external-sign-in', { bearer: PAGE_TOKEN, id: handle }), 500);
  assertBodiless(await outcome(handle, { subject: 'ada' }), 500);
  assert.deepEqual(tenant.reports, [cause, cause]);
});
