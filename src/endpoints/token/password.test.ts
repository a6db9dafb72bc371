import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt } from 'jose';
import { type Fields, formText } from '../../../test/program/code-request.ts';
import { setDisabled, setPassword } from '../../sessions/manage-account.ts';
import { ACTOR } from '../../testing/end-users.ts';
import { type Answer, assertError } from '../../testing/exchange.ts';
import { aPerson, type TestPerson } from '../../testing/person.ts';
import { testTenant, WEB_CLIENT } from '../../testing/tenant.ts';

const tenant = testTenant();
const client = await tenant.register({ grant_types: ['password', 'refresh_token'], response_types: [] });
const ada = await aPerson(tenant);

async function signIn(change: Fields = {}, as = client): Promise<Answer> {
  const form = {
    grant_type: 'password',
    username: 'ada',
    password: 'correct horse',
    scope: 'openid',
    ...change,
  };
  return await tenant.send('token', { basic: [as.client_id, as.client_secret], form: formText(form) });
}

// proves rfc6749-4.3.2-1
test('the name and password of an account give tokens, and no session (RFC 6749 §4.3.3)', async () => {
  const answered = await signIn();
  assert.equal(answered.status, 200, answered.body);
  const { sub, nonce, sid, acr } = decodeJwt(String(answered.json['id_token']));
  assert.equal(sub, ada.account.sub);
  assert.deepEqual([nonce, sid], [undefined, undefined]);
  assert.equal(acr, 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport');
  assert.deepEqual(await tenant.storage.sessions.ofSubject(ada.account.sub), []);
  const refreshed = await tenant.send('token', {
    basic: [client.client_id, client.client_secret],
    form: { grant_type: 'refresh_token', refresh_token: String(answered.json['refresh_token']) },
  });
  assert.equal(refreshed.status, 200, refreshed.body);
  assert.equal(decodeJwt(String(refreshed.json['id_token'])).sub, ada.account.sub);
});

// proves rfc6749-4.3.2-1
test('one answer for an unknown name and a wrong password: invalid_grant (RFC 6749 §5.2)', async () => {
  const [unknown, wrong] = [await signIn({ username: 'nobody' }), await signIn({ password: 'wrong' })];
  assertError(unknown, 'invalid_grant');
  assert.equal(unknown.body, wrong.body);
});

test('username and password are needed (RFC 6749 §4.3.2)', async () => {
  for (const missing of ['username', 'password'])
    assertError(await signIn({ [missing]: undefined }), 'invalid_request');
});

test('a scope that the client is not registered for at all: invalid_scope, before a password is looked at', async () => {
  assertError(await signIn({ scope: 'admin', password: 'wrong' }), 'invalid_scope');
});

// proves rfc6749-4.3.2-1
test('a client that is not registered for the grant: unauthorized_client (RFC 6749 §5.2)', async () => {
  assertError(await signIn({}, await tenant.register(WEB_CLIENT)), 'unauthorized_client');
});

test('a disabled account: nothing is issued, and what was given is ended', async () => {
  const eve = await aPerson(tenant, { username: 'Eve', password: 'battery staple', claims: {} });
  const as = { username: 'Eve', password: 'battery staple' };
  const before = await signIn(as);
  await setDisabled(eve.accounts, eve.account, true, ACTOR);
  assertError(await signIn(as), 'invalid_grant');
  assert.deepEqual(await tenant.introspect(String(before.json['access_token'])), { active: false });
});

const MEANWHILE: readonly (readonly [what: string, act: (person: TestPerson) => Promise<unknown>])[] = [
  ['disabled', async ({ accounts, account }) => await setDisabled(accounts, account, true, ACTOR)],
  [
    'given another password',
    async ({ accounts, account }) => await setPassword(accounts, account, 'new and long', ACTOR),
  ],
];

for (const [what, act] of MEANWHILE) {
  test(`the account is ${what} while its password is checked: invalid_grant, and no grant is left`, async () => {
    const own = testTenant();
    const app = await own.register({ grant_types: ['password', 'refresh_token'], response_types: [] });
    const person = await aPerson(own);
    own.watch.before('grants.create', async () => void (await act(person)));
    const form = { grant_type: 'password', username: 'ada', password: 'correct horse' };
    const basic = [app.client_id, app.client_secret] as const;
    assertError(await own.send('token', { basic, form: formText(form) }), 'invalid_grant');
    assert.equal(await own.unwatched.grants.endAllOf(person.account.sub), 0);
  });
}
