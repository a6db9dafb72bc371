import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertProblem,
  type OperationRequest,
  testAdminDryRun,
  testAdminOperation,
  testAdminPrecondition,
} from '../../../testing/admin-operations.ts';
import type { Answer } from '../../../testing/exchange.ts';
import { ADMIN, SERVICE, type TestTenant, testTenant } from '../../../testing/tenant.ts';

const aClient: OperationRequest = async (tenant) => ({
  segments: { client_id: (await tenant.register(SERVICE)).client_id },
});
const withBody =
  (json: object): OperationRequest =>
  async (tenant) => ({ ...(await aClient(tenant)), json });
const aSecret: OperationRequest = async (tenant) => {
  const { client_id } = await tenant.register(SERVICE);
  await tenant.send('admin-client-secret-create', { bearer: ADMIN, segments: { client_id }, json: {} });
  const [, old] = await secretsOf(tenant, client_id);
  return { segments: { client_id, secret_id: old?.id ?? '' } };
};
const matching: OperationRequest = async (tenant) => ({
  ...(await aSecret(tenant)),
  headers: { 'if-match': '*' },
});
const stored = async (tenant: TestTenant): Promise<unknown> =>
  await tenant.unwatched.clients.page(undefined, 100);

testAdminOperation('admin-client-secret-list', aClient);
testAdminOperation('admin-client-secret-create', withBody({}));
testAdminOperation('admin-client-secret-rotate', withBody({ keep_previous_seconds: 60 }));
testAdminOperation('admin-client-secret-retire', matching);
testAdminPrecondition('admin-client-secret-retire', aSecret);
testAdminDryRun('admin-client-secret-create', withBody({}), stored);
testAdminDryRun('admin-client-secret-rotate', withBody({ keep_previous_seconds: 0 }), stored);
testAdminDryRun('admin-client-secret-retire', matching, stored);

interface Secret {
  readonly id: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
}

async function secretsOf(tenant: TestTenant, client_id: string): Promise<readonly Secret[]> {
  const listed = await tenant.send('admin-client-secret-list', { bearer: ADMIN, segments: { client_id } });
  return listed.json['items'] as readonly Secret[];
}

const authenticates = async (tenant: TestTenant, client_id: string, secret: string): Promise<number> =>
  (await tenant.send('token', { basic: [client_id, secret], form: { grant_type: 'client_credentials' } }))
    .status;

test('201: an added secret works beside the others, a rotation ends them in time, and a retired one ends at once', async () => {
  const tenant = testTenant();
  const { client_id, client_secret } = await tenant.register(SERVICE);
  const segments = { client_id };
  const send = async (name: string, json: object): Promise<Answer> =>
    await tenant.send(name, { bearer: ADMIN, segments, json });
  const added = await send('admin-client-secret-create', {});
  assert.equal(added.status, 201, added.body);
  const second = String(added.json['client_secret']);
  const place = new URL(
    added.headers['location'] ?? '',
    `https://op.example/admin/v1/clients/${client_id}/secrets`,
  );
  assert.equal(place.pathname, `/admin/v1/clients/${client_id}/secrets/${String(added.json['id'])}`);
  assert.equal(await authenticates(tenant, client_id, client_secret), 200);
  assert.equal(await authenticates(tenant, client_id, second), 200);
  const rotated = await send('admin-client-secret-rotate', { keep_previous_seconds: 60 });
  assert.equal(rotated.status, 200, rotated.body);
  const third = String(rotated.json['client_secret']);
  for (const secret of [client_secret, second, third])
    assert.equal(await authenticates(tenant, client_id, secret), 200);
  const secrets = await secretsOf(tenant, client_id);
  assert.equal(secrets.length, 3);
  assert.ok(!JSON.stringify(secrets).includes(third));
  const headers = { 'if-match': '*' };
  const retire = { bearer: ADMIN, segments: { client_id, secret_id: secrets[2]?.id ?? '' }, headers };
  assert.equal((await tenant.send('admin-client-secret-retire', retire)).status, 204);
  assertProblem(await tenant.send('admin-client-secret-retire', retire), 404, 'not_found');
  assert.equal(await authenticates(tenant, client_id, client_secret), 401);
  tenant.clock.advance(61);
  assert.equal(await authenticates(tenant, client_id, second), 401);
  assert.equal(await authenticates(tenant, client_id, third), 200);
  const last = { bearer: ADMIN, segments: { client_id, secret_id: secrets[0]?.id ?? '' }, headers };
  assert.equal((await tenant.send('admin-client-secret-retire', last)).status, 400);
});

test('400: a client without secrets gets none, and a rotation names how long the others stay', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register({
    redirect_uris: ['https://a.example/cb'],
    token_endpoint_auth_method: 'none',
  });
  const segments = { client_id };
  const refused = await tenant.send('admin-client-secret-create', { bearer: ADMIN, segments, json: {} });
  assert.equal(refused.status, 400, refused.body);
  for (const json of [{}, { keep_previous_seconds: -1 }, { keep_previous_seconds: '1' }])
    assertProblem(
      await tenant.send('admin-client-secret-rotate', { bearer: ADMIN, segments, json }),
      400,
      'invalid_body',
      /keep_previous_seconds/,
    );
});
