import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertProblem,
  listed,
  type OperationRequest,
  testAdminDryRun,
  testAdminOperation,
} from '../../../testing/admin-operations.ts';
import { askPerson, backchannelTenant, TILL } from '../../../testing/backchannel.ts';
import { ADA } from '../../../testing/end-users.ts';
import { aPerson } from '../../../testing/person.ts';
import { ADMIN } from '../../../testing/tenant.ts';

interface Listed {
  readonly id: string;
  readonly [member: string]: unknown;
}

const list = listed<Listed>('admin-backchannel-request-list');

const oneRequest: OperationRequest = async (tenant) => {
  await askPerson(tenant, await tenant.register(TILL));
  return { segments: { id: (await list(tenant))[0]?.id ?? '' } };
};

testAdminOperation('admin-backchannel-request-list', () => ({}), backchannelTenant);
testAdminOperation('admin-backchannel-request-read', oneRequest, backchannelTenant);
testAdminOperation('admin-backchannel-request-refuse', oneRequest, backchannelTenant);
testAdminDryRun('admin-backchannel-request-refuse', oneRequest, list, backchannelTenant);

test('200: GET /admin/v1/backchannel-requests has the requests to a person or of a client, page by page, without a secret', async () => {
  const tenant = backchannelTenant();
  const { account } = await aPerson(tenant);
  const till = await tenant.register(TILL);
  const { auth_req_id } = await askPerson(tenant, till, { binding_message: 'Order 4711' });
  await askPerson(tenant, till, { login_hint: 'unknown' });
  const [request = assert.fail(), ...others] = await list(tenant, `sub=${account.sub}`);
  assert.deepEqual(others, []);
  const { state, mode, binding_message, client_id } = request;
  assert.deepEqual([state, mode, binding_message, client_id], ['open', 'poll', 'Order 4711', till.client_id]);
  assert.deepEqual([request['username'], request['client_name']], [ADA.username, TILL.client_name]);
  assert.equal(JSON.stringify(request).includes(auth_req_id), false);
  const segments = { id: request.id };
  assert.deepEqual(
    (await tenant.send('admin-backchannel-request-read', { bearer: ADMIN, segments })).json,
    request,
  );
  const all = await list(tenant, `client_id=${till.client_id}`);
  assert.deepEqual([all.length, all.find(({ id }) => id !== request.id)?.['sub']], [2, null]);
  const first = await tenant.send('admin-backchannel-request-list', { bearer: ADMIN, query: 'limit=1' });
  assert.deepEqual(first.json['items'], all.slice(0, 1));
  tenant.clock.advance(120);
  assert.equal((await list(tenant))[0]?.['state'], 'expired');
});

test('204: POST /admin/v1/backchannel-requests/{id}/refuse refuses once, and a second one answers 409; an unknown request: 404', async () => {
  const tenant = backchannelTenant();
  await aPerson(tenant);
  const asked = await askPerson(tenant, await tenant.register(TILL));
  const segments = { id: (await list(tenant))[0]?.id ?? '' };
  const name = 'admin-backchannel-request-refuse';
  assert.equal((await tenant.send(name, { bearer: ADMIN, segments })).status, 204);
  assert.equal((await asked.poll()).json['error'], 'access_denied');
  assertProblem(await tenant.send(name, { bearer: ADMIN, segments }), 409, 'conflict', /it is denied/u);
  const unknown = { bearer: ADMIN, segments: { id: 'unknown' } };
  for (const each of [name, 'admin-backchannel-request-read'])
    assertProblem(await tenant.send(each, unknown), 404, 'not_found');
  const events = await tenant.unwatched.audit.page(0, 100);
  assert.equal(
    events.filter(({ action, outcome }) => action === 'backchannel.deny' && outcome === 'done').length,
    1,
  );
});
