import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertProblem,
  type OperationRequest,
  testAdminDryRun,
  testAdminOperation,
} from '../../../testing/admin-operations.ts';
import { peopleWorld } from '../../../testing/admin-people.ts';
import { ADMIN, DIRECT, type TestTenant, testTenant } from '../../../testing/tenant.ts';

/** Clients of the operator need no consent unless they ask for it. */
const ASKED = { prompt: 'consent' };

const list = async (tenant: TestTenant, query = ''): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  (await tenant.send('admin-consent-list', { bearer: ADMIN, query })).json['items'] as never;

const oneConsent: OperationRequest = async (tenant) => {
  const { sub, client } = await peopleWorld(tenant, ASKED);
  return { segments: { sub, client_id: client.client_id } };
};

testAdminOperation('admin-consent-list', () => ({}));
testAdminOperation('admin-consent-withdraw', oneConsent);
testAdminDryRun('admin-consent-withdraw', oneConsent, list);

test('200: GET /admin/v1/consents has what end-users have allowed, by subject and client', async () => {
  const tenant = testTenant();
  const { sub, client } = await peopleWorld(tenant, ASKED);
  const { client_id } = client;
  const all = await list(tenant);
  assert.deepEqual(
    all.map((one) => [one['sub'], one['username'], one['client_id'], one['client_name'], one['scope']]),
    [[sub, 'Ada', client_id, 'Paper Clips', ['email', 'openid']]],
  );
  assert.deepEqual(await list(tenant, `sub=${sub}&client_id=${client_id}`), all);
  assert.deepEqual(await list(tenant, 'sub=other'), []);
  assert.deepEqual(await list(tenant, 'client_id=other'), []);
});

test('204: POST …/withdraw ends the consent and the grants for the client, and the client must ask again; a second time answers 404', async () => {
  const tenant = testTenant({ settings: { 'sign-in.consent': 'always' } });
  const { sub, client, tokens, ada } = await peopleWorld(tenant);
  const segments = { sub, client_id: client.client_id };
  assert.equal((await tenant.send('admin-consent-withdraw', { bearer: ADMIN, segments })).status, 204);
  assert.deepEqual(await tenant.introspect(String(tokens['access_token'])), { active: false });
  assert.match((await ada.ask(client)).html, /value="allow"/);
  assertProblem(await tenant.send('admin-consent-withdraw', { bearer: ADMIN, segments }), 404, 'not_found');
  const unknown = { sub, client_id: 'unknown' };
  assertProblem(
    await tenant.send('admin-consent-withdraw', { bearer: ADMIN, segments: unknown }),
    404,
    'not_found',
  );
  const events = await tenant.unwatched.audit.page(0, 100);
  const event = events.find(({ action, outcome }) => action === 'consent.withdraw' && outcome === 'done');
  assert.deepEqual([event?.sub, event?.client_id], [sub, client.client_id]);
});

test('204: withdrawing ends grants without a consent, which a direct authorisation made', async () => {
  const tenant = testTenant();
  const { client } = await peopleWorld(tenant);
  const json = { client_id: client.client_id, sub: 'alice', scope: ['read'], long_lived: true };
  const { json: granted } = await tenant.send('direct-authorization', { bearer: DIRECT, json });
  const segments = { sub: 'alice', client_id: client.client_id };
  assert.equal((await tenant.send('admin-consent-withdraw', { bearer: ADMIN, segments })).status, 204);
  assert.deepEqual(await tenant.introspect(String(granted['access_token'])), { active: false });
});
