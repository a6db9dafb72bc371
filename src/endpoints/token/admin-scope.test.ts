import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VERIFIER } from '../../../test/program/code-request.ts';
import { changeAccount, setDisabled } from '../../sessions/manage-account.ts';
import { type AdminRole, scopeOfRole } from '../../spec/admin-scopes.ts';
import { registerAsOperator } from '../../testing/administration.ts';
import { aDevice, TELEVISION } from '../../testing/device.ts';
import { ACTOR } from '../../testing/end-users.ts';
import { assertError } from '../../testing/exchange.ts';
import { answeredTo, aPerson, RELYING_PARTY, type TestPerson } from '../../testing/person.ts';
import { CALLBACK, DIRECT, ISSUER, testTenant } from '../../testing/tenant.ts';
import { tokensFor } from '../../testing/userinfo.ts';

const SCOPE = 'openid offline_access admin:accounts:read admin:accounts admin:tenants read';

const tenant = testTenant({
  settings: {
    'authorization.grant-types': [
      'authorization_code',
      'refresh_token',
      'implicit',
      'password',
      'client_credentials',
    ],
  },
});
const client = await registerAsOperator(tenant, {
  ...RELYING_PARTY,
  grant_types: ['authorization_code', 'refresh_token', 'implicit', 'password'],
  response_types: ['code', 'code token'],
  scope: `${SCOPE} admin:keys`,
});
const basic = [client.client_id, client.client_secret] as const;
const ada = await aPerson(tenant);

async function setRole(role: AdminRole | null, person: TestPerson = ada): Promise<void> {
  const account = await tenant.storage.accounts.find(person.account.sub);
  assert.ok(account);
  await changeAccount(person.accounts, account, { admin_role: role }, ACTOR);
}

async function refreshed(refresh_token: unknown, scope?: string): ReturnType<typeof tenant.send> {
  const form = { grant_type: 'refresh_token', refresh_token: String(refresh_token) };
  return await tenant.send('token', { basic, form: scope === undefined ? form : { ...form, scope } });
}

const GRANTED: readonly (readonly [AdminRole | null, string])[] = [
  [null, 'openid offline_access read'],
  ['viewer', 'openid offline_access admin:accounts:read read'],
  ['operator', 'openid offline_access admin:accounts:read admin:accounts read'],
  ['administrator', SCOPE],
];

for (const [role, scope] of GRANTED) {
  test(`H-532: a code of an account with the role ${role ?? 'null'} gives scope within that role (ADR 79)`, async () => {
    await setRole(role);
    const tokens = await tokensFor(tenant, ada, client, { scope: SCOPE });
    assert.equal(tokens['scope'], scope);
    const introspected = await tenant.introspect(String(tokens['access_token']));
    assert.equal(introspected['scope'], scope);
    const again = await refreshed(tokens['refresh_token']);
    assert.equal(again.json['scope'], scope, again.body);
  });
}

test('H-532: a role gives no scope that the request or the registration of the client lacks', async () => {
  await setRole('administrator');
  const tokens = await tokensFor(tenant, ada, client, { scope: 'openid admin:keys admin:backups' });
  assert.equal(tokens['scope'], 'openid admin:keys');
});

test('H-533: a lower role ends tokens and refresh tokens at once', async () => {
  await setRole('operator');
  const tokens = await tokensFor(tenant, ada, client, { scope: SCOPE });
  await setRole('viewer');
  assert.deepEqual(await tenant.introspect(String(tokens['access_token'])), { active: false });
  assertError(await refreshed(tokens['refresh_token']), 'invalid_grant');
});

test('H-533: a higher role ends nothing, and refreshing gives no more than was agreed', async () => {
  await setRole('viewer');
  const tokens = await tokensFor(tenant, ada, client, { scope: SCOPE });
  await setRole('administrator');
  const again = await refreshed(tokens['refresh_token']);
  assert.equal(again.json['scope'], 'openid offline_access admin:accounts:read read', again.body);
});

test('H-533: a disabled administrator has no tokens', async () => {
  await setRole('administrator');
  const tokens = await tokensFor(tenant, ada, client, { scope: SCOPE });
  const account = await tenant.storage.accounts.find(ada.account.sub);
  assert.ok(account);
  const disabled = await setDisabled(ada.accounts, account, true, ACTOR);
  assert.deepEqual(await tenant.introspect(String(tokens['access_token'])), { active: false });
  assertError(await refreshed(tokens['refresh_token']), 'invalid_grant');
  await setDisabled(ada.accounts, disabled, false, ACTOR);
});

/** Changes the role and ends nothing, as a restored table could. */
async function setRoleAlone(admin_role: AdminRole | null): Promise<void> {
  const before = await tenant.storage.accounts.find(ada.account.sub);
  assert.ok(before);
  const account = { ...before, version: before.version + 1, admin_role };
  const condition = { expectedVersion: before.version, endAll: false };
  assert.equal(await tenant.storage.accounts.replace(account, condition), 'done');
}

test('H-533: each refresh asks for the role, also while the grant lives; a requested value that was lost is left out', async () => {
  await setRole('operator');
  const tokens = await tokensFor(tenant, ada, client, { scope: SCOPE });
  await setRoleAlone('viewer');
  const narrowed = await refreshed(tokens['refresh_token'], 'admin:accounts admin:accounts:read');
  assert.equal(narrowed.json['scope'], 'admin:accounts:read', narrowed.body);
});

test('H-533: a code that waits while the role is lowered gives the lower scope', async () => {
  await setRole('operator');
  const code = answeredTo(await ada.grant(client, { scope: SCOPE }))['code'] ?? assert.fail('no code');
  await setRoleAlone(null);
  const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER };
  const answered = await tenant.send('token', { basic, form });
  assert.equal(answered.json['scope'], 'openid offline_access read', answered.body);
});

test('H-534: the password grant gives no scope of the administration', async () => {
  await setRole('administrator');
  const form = { grant_type: 'password', username: 'ada', password: 'correct horse' };
  const wide = await tenant.send('token', { basic, form: { ...form, scope: 'openid admin:accounts' } });
  assert.equal(wide.json['scope'], 'openid', wide.body);
  const usual = await tenant.send('token', { basic, form });
  assert.doesNotMatch(String(usual.json['scope']), /admin:/);
  const alone = await tenant.send('token', { basic, form: { ...form, scope: 'admin:accounts' } });
  assertError(alone, 'invalid_scope');
});

test('H-534: an access token that passes through the browser has no scope of the administration; its code has', async () => {
  await setRole('administrator');
  const change = { scope: SCOPE, response_type: 'code token', nonce: 'n' };
  const { access_token = '' } = answeredTo(await ada.grant(client, change));
  assert.equal((await tenant.introspect(access_token))['scope'], 'openid offline_access read');
});

test('H-534: a device gets no scope of the administration', async () => {
  const world = testTenant();
  const device = await registerAsOperator(world, { ...TELEVISION, scope: 'openid read admin:accounts' });
  const { begun } = await aDevice(world, device, { scope: 'admin:accounts' });
  assertError(begun, 'invalid_scope');
  const { codes } = await aDevice(world, device, { scope: 'read admin:accounts' });
  const bea = await aPerson(world);
  const entry = await bea.browser.open(`${ISSUER}/device`);
  const page = await bea.signIn(await bea.browser.submit(entry, '', { user_code: codes.user_code }));
  assert.match(page.html, /Have the permission “read”/);
  assert.doesNotMatch(page.html, /Administer this server/);
});

test('H-534: direct authorisation refuses scope of the administration with 400 invalid_request', async () => {
  const json = { sub: ada.account.sub, client_id: client.client_id, scope: ['read', 'admin:accounts'] };
  const refused = await tenant.send('direct-authorization', { bearer: DIRECT, json });
  assertError(refused, 'invalid_request', /admin:accounts/);
});

test('an end-user whose role lacks the whole requested scope is told to the client: access_denied (RFC 6749 §4.1.2.1)', async () => {
  await setRole(null);
  const answered = answeredTo(await ada.grant(client, { scope: 'admin:accounts admin:tenants' }));
  assert.equal(answered['error'], 'access_denied');
  assert.match(answered['error_description'] ?? '', /admin_role/);
});

test('the consent page names the scope that the role permits, and the stored consent has no more', async () => {
  const bea = await aPerson(tenant, { username: 'bea', password: 'correct horse', claims: {} });
  await setRole('viewer', bea);
  const page = await bea.signIn(await bea.ask(client, { scope: SCOPE, prompt: 'consent' }));
  assert.match(page.html, /See the administration of this server[^<]*accounts/);
  assert.doesNotMatch(page.html, /Administer this server/);
  await bea.browser.submit(page, 'allow');
  const [consent] = await tenant.storage.consents.ofSubject(bea.account.sub);
  assert.deepEqual(consent?.scope, ['admin:accounts:read', 'offline_access', 'openid', 'read']);
});

test('a client with pairwise subjects gets scope by the role of the account (OpenID Connect Core 1.0 §8)', async () => {
  await setRole('viewer');
  const pairwise = await registerAsOperator(tenant, {
    ...RELYING_PARTY,
    subject_type: 'pairwise',
    scope: 'openid admin:keys:read admin:keys',
  });
  const tokens = await tokensFor(tenant, ada, pairwise, { scope: 'openid admin:keys:read admin:keys' });
  assert.equal(tokens['scope'], 'openid admin:keys:read');
  assert.notEqual((await tenant.introspect(String(tokens['access_token'])))['sub'], ada.account.sub);
});

test('discovery advertises no scope of the administration', async () => {
  const { json } = await tenant.send('openid-configuration');
  for (const value of scopeOfRole('administrator'))
    assert.ok(!(json['scopes_supported'] as readonly string[]).includes(value), value);
});
