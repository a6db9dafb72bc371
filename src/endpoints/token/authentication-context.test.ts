import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt } from 'jose';
import { VERIFIER } from '../../../test/program/code-request.ts';
import { externalTenant, PAGE_TOKEN } from '../../testing/external-sign-in.ts';
import { answeredTo, aPerson, authorizationUrl, RELYING_PARTY } from '../../testing/person.ts';
import {
  CALLBACK,
  type ClientInformation,
  ISSUER,
  SERVICE,
  type TestTenant,
  testTenant,
} from '../../testing/tenant.ts';

/** How an end-user was authenticated, in access tokens and in what introspection says about them (decision 48). */
const PASSWORD_ACR = 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport';
const FORMATS = ['identifier', 'self-contained'] as const;
const MEMBERS = new Set(['acr', 'amr', 'auth_time']);

async function token(tenant: TestTenant, { client_id, client_secret }: ClientInformation, form: object) {
  const answer = await tenant.send('token', {
    basic: [client_id, client_secret],
    form: new URLSearchParams({ ...form }).toString(),
  });
  assert.equal(answer.status, 200, answer.body);
  return answer.json;
}

const redeem = async (tenant: TestTenant, client: ClientInformation, code = '') =>
  await token(tenant, client, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
  });

const refresh = async (tenant: TestTenant, client: ClientInformation, refresh_token: unknown) =>
  await token(tenant, client, { grant_type: 'refresh_token', refresh_token });

const about = (members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(members).filter(([name]) => MEMBERS.has(name)));

// proves rfc9470-6.1-1, rfc9470-6.2-1, rfc9068-2.2.1-1
test('acr, amr and auth_time are in the ID token, the access token of either format and introspection, also after a refresh (RFC 9470 §6, RFC 9068 §2.2.1)', async () => {
  for (const format of FORMATS) {
    const tenant = testTenant({ settings: { 'access-token.format': format } });
    const ada = await aPerson(tenant);
    const client = await tenant.register(RELYING_PARTY);
    const auth_time = tenant.clock.now();
    const expected = { auth_time, acr: PASSWORD_ACR, amr: ['pwd'] };
    const { code } = answeredTo(await ada.grant(client));
    tenant.clock.advance(30);
    const first = await redeem(tenant, client, code);
    tenant.clock.advance(100);
    const second = await refresh(tenant, client, first['refresh_token']);
    for (const issued of [first, second]) {
      const access_token = String(issued['access_token']);
      assert.deepEqual(about(decodeJwt(String(issued['id_token']))), expected);
      assert.deepEqual(about(await tenant.introspect(access_token)), expected);
      if (format === 'self-contained') assert.deepEqual(about(decodeJwt(access_token)), expected);
    }
  }
});

test('they are in tokens of the implicit flow and of the password grant too', async () => {
  const tenant = testTenant();
  const ada = await aPerson(tenant);
  const metadata = { grant_types: ['implicit'], response_types: ['token'], redirect_uris: [CALLBACK] };
  const auth_time = tenant.clock.now();
  const expected = { auth_time, acr: PASSWORD_ACR, amr: ['pwd'] };
  const front = answeredTo(await ada.grant(await tenant.register(metadata), { response_type: 'token' }));
  assert.deepEqual(about(await tenant.introspect(String(front['access_token']))), expected);
  const reader = await tenant.register({ grant_types: ['password'] });
  const form = { grant_type: 'password', username: 'Ada', password: 'correct horse' };
  const direct = await token(tenant, reader, form);
  assert.deepEqual(about(await tenant.introspect(String(direct['access_token']))), expected);
});

// H-386
test('H-386 a token without an end-user has none of them, whatever the request says: client credentials and direct authorisation', async () => {
  const tenant = testTenant();
  const service = await tenant.register({ ...SERVICE, scope: 'read' });
  const form = { grant_type: 'client_credentials' };
  const own = await token(tenant, service, form);
  const direct = await tenant.authorize({ sub: 'ada', client_id: service.client_id, scope: ['read'] });
  for (const access_token of [String(own['access_token']), direct])
    assert.deepEqual(about(await tenant.introspect(access_token)), {});
});

test('what the operator’s own sign-in page reports is in the tokens; amr and acr that it leaves out are absent', async () => {
  const { tenant, client, sentOut, redirectTo } = await externalTenant();
  const consent = { scope: ['openid'] };
  const auth_time = tenant.clock.now() - 60;
  for (const [how, expected] of [
    [
      { acr: 'gold', amr: ['hwk', 'user'], auth_time },
      { acr: 'gold', amr: ['hwk', 'user'], auth_time },
    ],
    [{}, { auth_time: tenant.clock.now() }],
  ] as const) {
    const { browser, handle } = await sentOut();
    const { code } = answeredTo(
      await browser.open(await redirectTo(handle, { subject: 'dot', consent, ...how })),
    );
    const { access_token } = await redeem(tenant, client, code);
    assert.deepEqual(about(await tenant.introspect(String(access_token))), expected);
  }
});

test('grants of earlier releases have what a refreshed token says: no stored row has to change (ADR 57)', async () => {
  const tenant = testTenant();
  const ada = await aPerson(tenant);
  const client = await tenant.register(RELYING_PARTY);
  await redeem(tenant, client, answeredTo(await ada.grant(client))['code']);
  const [stored] = await tenant.storage.grants.ofSubject(ada.account.sub);
  const { endUser } = JSON.parse(stored?.authorization ?? '{}') as { readonly endUser: object };
  assert.deepEqual(Object.keys(endUser).sort(), ['acr', 'amr', 'auth_time', 'claims', 'sid']);
});

// proves rfc9470-4-1
test('a request with acr_values that the session has not leads to the page again, pushed or not; the page reads them in order (RFC 9470 §4)', async () => {
  const { tenant, client, sentOut, redirectTo, outcome } = await externalTenant({
    'sign-in.acr-values': ['silver', 'gold'],
  });
  const consent = { scope: ['openid'] };
  const { browser, handle } = await sentOut();
  await browser.open(await redirectTo(handle, { subject: 'dot', acr: 'silver', consent }));
  const again = await sentOut({ acr_values: 'gold platinum' }, browser);
  const asked = await tenant.send('external-sign-in', { bearer: PAGE_TOKEN, id: again.handle });
  assert.deepEqual(asked.json['acr_values'], ['gold', 'platinum']);
  assert.equal((await outcome(again.handle, { subject: 'dot', acr: 'gold', consent })).status, 200);
  const pushed = await tenant.send('pushed-authorization-request', {
    basic: [client.client_id, client.client_secret],
    form: new URL(authorizationUrl(client, { max_age: '0' })).searchParams.toString(),
  });
  assert.equal(pushed.status, 201, pushed.body);
  const address = `${ISSUER}/authorize?client_id=${client.client_id}&request_uri=${String(pushed.json['request_uri'])}`;
  const { location = '' } = await browser.open(address);
  assert.match(location, /^https:\/\/login\.example\.net\/start\?/);
});

// proves rfc9470-7-1
test('discovery names the acr values of the page that is in use, and none where they are not known (RFC 9470 §7)', async () => {
  const named = async (tenant: TestTenant) =>
    (await tenant.send('openid-configuration')).json['acr_values_supported'];
  assert.deepEqual(await named(testTenant()), [PASSWORD_ACR]);
  assert.deepEqual(await named((await externalTenant({ 'sign-in.acr-values': ['a', 'b'] })).tenant), [
    'a',
    'b',
  ]);
  assert.equal(await named((await externalTenant()).tenant), undefined);
});
