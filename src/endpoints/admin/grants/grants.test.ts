import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertProblem,
  listed,
  type OperationRequest,
  testAdminDryRun,
  testAdminOperation,
} from '../../../testing/admin-operations.ts';
import { peopleWorld } from '../../../testing/admin-people.ts';
import { ADMIN, DIRECT, testTenant } from '../../../testing/tenant.ts';

interface Listed {
  readonly grant_id: string;
  readonly sub: string;
  readonly [member: string]: unknown;
}

const list = listed<Listed>('admin-grant-list');

const oneGrant: OperationRequest = async (tenant) => {
  await peopleWorld(tenant);
  return { segments: { grant_id: (await list(tenant))[0]?.grant_id ?? '' } };
};

testAdminOperation('admin-grant-list', () => ({}));
testAdminOperation('admin-grant-read', oneGrant);
testAdminOperation('admin-grant-revoke', oneGrant);
testAdminDryRun('admin-grant-revoke', oneGrant, list);

test('200: GET /admin/v1/grants has the grants of a subject or a client, the latest first', async () => {
  const tenant = testTenant();
  const { client, sub } = await peopleWorld(tenant);
  tenant.clock.advance(10);
  const json = { client_id: client.client_id, sub: 'alice', scope: ['read'], long_lived: true };
  await tenant.send('direct-authorization', { bearer: DIRECT, json });
  const subjects = async (query: string): Promise<string> =>
    (await list(tenant, query)).map((grant) => grant.sub).join(' ');
  assert.equal(await subjects(''), `alice ${sub}`);
  assert.equal(await subjects(`sub=${sub}`), sub);
  assert.equal(await subjects(`client_id=${client.client_id}&limit=1`), 'alice');
  const [grant] = await list(tenant, `sub=${sub}`);
  assert.deepEqual(
    [grant?.['username'], grant?.['client_name'], grant?.['scope'], grant?.['refreshable']],
    ['Ada', 'Paper Clips', ['openid', 'email'], true],
  );
  const segments = { grant_id: grant?.grant_id ?? '' };
  assert.deepEqual((await tenant.send('admin-grant-read', { bearer: ADMIN, segments })).json, grant);
});

test('204: POST /admin/v1/grants/{grant_id}/revoke ends the grant with its tokens; a second time answers 404', async () => {
  const tenant = testTenant();
  const { tokens, sub, client } = await peopleWorld(tenant);
  const segments = { grant_id: (await list(tenant))[0]?.grant_id ?? '' };
  assert.equal((await tenant.send('admin-grant-revoke', { bearer: ADMIN, segments })).status, 204);
  assert.deepEqual(await tenant.introspect(String(tokens['access_token'])), { active: false });
  for (const verb of ['read', 'revoke'])
    assertProblem(await tenant.send(`admin-grant-${verb}`, { bearer: ADMIN, segments }), 404, 'not_found');
  const events = await tenant.unwatched.audit.page(0, 100);
  const event = events.find(({ action, outcome }) => action === 'grant.end' && outcome === 'done');
  assert.deepEqual([event?.sub, event?.client_id], [sub, client.client_id]);
});
