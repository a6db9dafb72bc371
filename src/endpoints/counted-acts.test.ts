import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VERIFIER } from '../../test/program/code-request.ts';
import { selfSigned } from '../../test/tls/certificate.ts';
import { certifiedClient, shown } from '../testing/certificate.ts';
import { aDevice, TELEVISION } from '../testing/device.ts';
import { dpopKey } from '../testing/dpop.ts';
import { ADA } from '../testing/end-users.ts';
import { askForIdJag, WIKI } from '../testing/id-jag.ts';
import { answeredTo, aPerson, browserOf, inFrontOf, RELYING_PARTY } from '../testing/person.ts';
import {
  CALLBACK,
  INTROSPECTION_SCOPE,
  ISSUER,
  MASTER,
  SERVICE,
  type TestTenant,
  testTenant,
} from '../testing/tenant.ts';
import { exchangeTenant } from '../testing/token-exchange.ts';
import { tokensFor } from '../testing/userinfo.ts';

/** Returns how often a series was counted; labels in the order of the table. */
const counted = ({ platform }: TestTenant, name: string): Readonly<Record<string, number>> => {
  const sums: Record<string, number> = {};
  for (const each of platform.counted) {
    const key = Object.values(each.labels).join(' ');
    if (each.name === name) sums[key] = (sums[key] ?? 0) + each.by;
  }
  return sums;
};

test('sign-ins are counted by method and outcome, consents and tokens by what they were (metrics)', async () => {
  const tenant = testTenant({ settings: { 'sign-in.consent': 'always' } });
  const client = await tenant.register({
    ...RELYING_PARTY,
    token_endpoint_auth_method: 'client_secret_basic',
  });
  await aPerson(tenant);
  const browser = browserOf(tenant);
  const wrong = inFrontOf(browser, { ...ADA, password: 'wrong' });
  await wrong.signIn(await wrong.ask(client));
  const unknown = inFrontOf(browser, { username: 'bob', password: 'wrong' });
  await unknown.signIn(await unknown.ask(client));
  const { code = '' } = answeredTo(await inFrontOf(browser).grant(client));
  const basic = [client.client_id, client.client_secret] as const;
  const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER };
  const { json } = await tenant.send('token', { basic, form });
  const refresh = { grant_type: 'refresh_token', refresh_token: String(json['refresh_token']) };
  assert.equal((await tenant.send('token', { basic, form: refresh })).status, 200);
  const refused = { ...refresh, refresh_token: 'unknown' };
  assert.equal((await tenant.send('token', { basic, form: refused })).status, 400);
  assert.deepEqual(counted(tenant, 'chancery_sign_ins_total'), {
    'password wrong-password': 1,
    'password unknown-user': 1,
    'password succeeded': 1,
  });
  assert.deepEqual(counted(tenant, 'chancery_consents_total'), { granted: 1 });
  assert.deepEqual(counted(tenant, 'chancery_tokens_issued_total'), {
    'authorization_code none': 1,
    'refresh_token none': 1,
  });
});

test('introspections are counted by result, and tokens of machines by their grant (metrics)', async () => {
  const tenant = testTenant();
  const metadata = { grant_types: ['client_credentials'], scope: INTROSPECTION_SCOPE };
  const { client_id, client_secret } = await tenant.register(metadata);
  const basic = [client_id, client_secret] as const;
  const { json } = await tenant.send('token', { basic, form: { grant_type: 'client_credentials' } });
  for (const token of [String(json['access_token']), 'unknown', 'unknown too'])
    assert.equal((await tenant.send('introspection', { basic, form: { token } })).status, 200);
  assert.deepEqual(counted(tenant, 'chancery_introspections_total'), { active: 1, inactive: 2 });
  assert.deepEqual(counted(tenant, 'chancery_tokens_issued_total'), { 'client_credentials none': 1 });
});

test('access tokens are counted by the keys that they are bound to, and an identity assertion grant is none (metrics)', async () => {
  const tenant = testTenant({ certificateAuthorities: [] });
  const { client_id, client_secret } = await certifiedClient(tenant, {
    token_endpoint_auth_method: 'client_secret_basic',
    tls_client_certificate_bound_access_tokens: true,
  });
  const asked = { basic: [client_id, client_secret], form: { grant_type: 'client_credentials' } } as const;
  const certificate = shown(selfSigned());
  const proof = (): string =>
    dpopKey().proof({ method: 'POST', address: `${ISSUER}/token`, now: tenant.clock.now() });
  assert.equal((await tenant.send('token', { ...asked, certificate })).status, 200);
  assert.equal((await tenant.send('token', asked)).status, 400);
  const both = await tenant.send('token', { ...asked, certificate, headers: { dpop: proof() } });
  assert.equal(both.status, 200, both.body);
  const service = await tenant.register(SERVICE);
  const basic = [service.client_id, service.client_secret] as const;
  const bound = await tenant.send('token', { form: asked.form, basic, headers: { dpop: proof() } });
  assert.equal(bound.status, 200, bound.body);
  assert.deepEqual(counted(tenant, 'chancery_tokens_issued_total'), {
    'client_credentials certificate': 1,
    'client_credentials dpop-and-certificate': 1,
    'client_credentials dpop': 1,
  });
  const enterprise = exchangeTenant();
  const wiki = await enterprise.register(WIKI);
  const { id_token } = await tokensFor(enterprise, await aPerson(enterprise), wiki);
  assert.equal((await askForIdJag(enterprise, wiki, String(id_token))).status, 200);
  assert.deepEqual(counted(enterprise, 'chancery_tokens_issued_total'), { 'authorization_code none': 1 });
});

test('codes of devices that people enter are counted by outcome (metrics)', async () => {
  const tenant = testTenant({ settings: { 'device.wrong-code-rate-per-network': 2 } });
  const { codes } = await aDevice(tenant, await tenant.register(TELEVISION));
  const browser = browserOf(tenant);
  const page = await browser.open(`${ISSUER}/device`);
  for (const user_code of [codes.user_code, 'BCDF-GHJK', 'no code', codes.user_code])
    await browser.submit(page, 'continue', { user_code });
  assert.deepEqual(counted(tenant, 'chancery_user_codes_total'), { accepted: 1, wrong: 2, limited: 1 });
});

test('registrations are counted by outcome and reason, without dry runs (metrics)', async () => {
  const tenant = testTenant();
  const send = async (json: object, more: object = {}) =>
    await tenant.send('client-registration', { bearer: MASTER, json, ...more });
  assert.equal((await send({ redirect_uris: [CALLBACK] })).status, 200);
  assert.equal((await send({ redirect_uris: ['ftp://x'] })).status, 400);
  assert.equal((await send({ redirect_uris: [CALLBACK] }, { query: 'dry_run=true' })).status, 200);
  assert.equal((await send({ redirect_uris: ['ftp://x'] }, { query: 'dry_run=true' })).status, 400);
  assert.equal((await send({ redirect_uris: [CALLBACK] }, { bearer: 'wrong' })).status, 401);
  assert.deepEqual(counted(tenant, 'chancery_registrations_total'), {
    'created none': 1,
    'refused invalid_redirect_uri': 1,
    'refused invalid_token': 1,
  });
});
