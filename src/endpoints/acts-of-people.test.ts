import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VERIFIER } from '../../test/program/code-request.ts';
import type { Settings } from '../config/settings.ts';
import { AUDIT_EVENTS, type AuditAction } from '../spec/audit-events.ts';
import { ADA } from '../testing/end-users.ts';
import { answeredTo, aPerson, browserOf, inFrontOf, RELYING_PARTY } from '../testing/person.ts';
import { CALLBACK, type TestTenant, testTenant } from '../testing/tenant.ts';

/** Every line of the log that is an event, also those with a message of their own. */
const eventLines = (tenant: TestTenant) =>
  tenant.log.flatMap(({ members }) => ('action' in members ? [members] : []));

const BY = { 'user-agent': 'Browser/1 \u2028' };

/** A person signs in, agrees, and the client uses its code, its refresh token, and revokes. */
async function journey(settings: Partial<Settings> = {}) {
  const tenant = testTenant({ settings: { 'sign-in.consent': 'always', ...settings } });
  const client = await tenant.register({
    ...RELYING_PARTY,
    token_endpoint_auth_method: 'client_secret_basic',
  });
  const { account } = await aPerson(tenant);
  const browser = browserOf(tenant, BY);
  const person = inFrontOf(browser);
  const wrong = inFrontOf(browser, { ...ADA, password: 'Tr0ub4dor&3' });
  await wrong.signIn(await wrong.ask(client));
  const { code = '' } = answeredTo(await person.grant(client, { scope: 'openid offline_access' }));
  const basic = [client.client_id, client.client_secret] as const;
  const headers = { 'user-agent': 'Server/2' };
  const asked = async (form: Readonly<Record<string, string>>) =>
    await tenant.send('token', { basic, form, headers });
  const redeemed = await asked({
    grant_type: 'authorization_code',
    code,
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
  });
  assert.equal(redeemed.status, 200, redeemed.body);
  const refreshed = await asked({
    grant_type: 'refresh_token',
    refresh_token: String(redeemed.json['refresh_token']),
  });
  assert.equal(refreshed.status, 200, refreshed.body);
  const secrets = [
    code,
    ...['access_token', 'refresh_token', 'id_token'].flatMap((name) =>
      [redeemed, refreshed].map(({ json }) => String(json[name])),
    ),
  ];
  const token = String(refreshed.json['refresh_token']);
  assert.equal((await tenant.send('revocation', { basic, form: { token }, headers })).status, 200);
  const rows = await tenant.storage.audit.page(0, 100);
  return { tenant, client, account, rows, lines: eventLines(tenant), secrets };
}

test('a sign-in, its consent, its code and its tokens are lines of the log, each with client, account, address and user agent', async () => {
  const { client, account, lines } = await journey();
  const { client_id } = client;
  const { sub } = account;
  const acts = lines.filter(({ action }) =>
    /^(?:sign-in|session|consent|code|token|grant)\./u.test(String(action)),
  );
  const from = { outcome: 'done', client_id, sub, address: '192.0.2.1' };
  const browser = { ...from, actor: 'end-user', user_agent: 'Browser/1 \\u2028' };
  const server = { ...from, actor: `client:${client_id}`, user_agent: 'Server/2' };
  assert.deepEqual(
    acts.map(({ at: _at, request_id, tenant: _tenant, ...act }) => ({ ...act, named: typeof request_id })),
    [
      {
        ...browser,
        action: 'sign-in.refuse',
        outcome: 'refused',
        actor: 'unknown',
        detail: 'wrong-password',
        reason: 'wrong-password',
      },
      { ...browser, action: 'session.create', detail: 'pwd' },
      { ...browser, action: 'consent.grant', detail: 'offline_access openid' },
      { ...browser, action: 'code.issue', detail: 'code' },
      { ...server, action: 'token.issue', detail: 'authorization_code' },
      { ...server, action: 'token.refresh', detail: 'refresh_token' },
      { ...server, action: 'grant.end', detail: 'refresh token revoked' },
    ].map((act) => ({ ...act, named: 'string' })),
  );
});

test('a row of the audit and its line of the log have the same members; events of the hot path and of strangers are lines only (decision 46)', async () => {
  const { rows, lines } = await journey();
  const stored = rows.filter(({ action }) => !action.startsWith('account.') && action !== 'client.create');
  assert.deepEqual(
    stored.map(({ action }) => action),
    ['session.create', 'consent.grant', 'grant.end'],
  );
  const logged = lines.map(({ tenant: _tenant, ...line }) => line);
  for (const { sequence: _sequence, ...row } of stored)
    assert.deepEqual(
      logged.find(({ action }) => action === row.action),
      row,
    );
  for (const { action } of rows) assert.equal(AUDIT_EVENTS[action].place, 'row', action);
  const onlyLines = logged.filter(({ action }) => !rows.some((row) => row.action === action));
  for (const { action } of onlyLines)
    assert.equal(AUDIT_EVENTS[action as AuditAction].place, 'line', String(action));
});

test('no event holds a password, a code or a token', async () => {
  const { tenant, rows, secrets } = await journey();
  const text = JSON.stringify([tenant.log, rows]);
  for (const secret of [...secrets, ADA.password, 'Tr0ub4dor&3'])
    assert.ok(!text.includes(secret), 'a secret is logged');
});

test('log.address-bits shortens the address in lines and rows', async () => {
  const { lines, rows } = await journey({ 'log.address-bits-ipv4': 24 });
  const addresses = [...lines, ...rows].flatMap(({ address }) => (address === undefined ? [] : [address]));
  assert.ok(addresses.length > 7);
  assert.deepEqual(new Set(addresses), new Set(['192.0.2.0/24']));
});

test('a client that acts for itself leaves no event', async () => {
  const tenant = testTenant();
  const { client_id, client_secret } = await tenant.register({ grant_types: ['client_credentials'] });
  const before = eventLines(tenant).length;
  const form = { grant_type: 'client_credentials' };
  assert.equal((await tenant.send('token', { basic: [client_id, client_secret], form })).status, 200);
  assert.equal(eventLines(tenant).length, before);
});

test('H-480 a User-Agent of 5,000 characters that turn text and end lines is one line and one row of 200 characters, escaped', async () => {
  const tenant = testTenant();
  const client = await tenant.register(RELYING_PARTY);
  await aPerson(tenant);
  const browser = browserOf(tenant, { 'user-agent': `\u202e\n${'x'.repeat(5_000)}` });
  await inFrontOf(browser).grant(client);
  const expected = `\\u202e\\u000a${'x'.repeat(198)}...`;
  const row = (await tenant.storage.audit.page(0, 100)).find(({ action }) => action === 'session.create');
  const line = eventLines(tenant).find(({ action }) => action === 'session.create');
  assert.deepEqual([row?.user_agent, line?.['user_agent']], [expected, expected]);
});

test('H-481 a hundred guessed passwords leave lines of the log and no row of the audit but that of the attack (decision 46)', async () => {
  const tenant = testTenant();
  const client = await tenant.register(RELYING_PARTY);
  await aPerson(tenant);
  const before = (await tenant.storage.audit.page(0, 1000)).length;
  for (let guess = 0; guess < 100; guess += 1) {
    const guessing = inFrontOf(browserOf(tenant), { username: ADA.username, password: `guess ${guess}` });
    await guessing.signIn(await guessing.ask(client));
  }
  const rows = (await tenant.storage.audit.page(0, 1000)).slice(before);
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['account.locked'],
  );
  assert.equal(eventLines(tenant).filter(({ action }) => action === 'sign-in.refuse').length, 100);
});
