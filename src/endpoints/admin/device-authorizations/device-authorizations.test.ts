import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertProblem,
  listed,
  type OperationRequest,
  testAdminDryRun,
  testAdminOperation,
} from '../../../testing/admin-operations.ts';
import { aDevice, enter, TELEVISION } from '../../../testing/device.ts';
import { aPerson } from '../../../testing/person.ts';
import { ADMIN, testTenant } from '../../../testing/tenant.ts';

interface Listed {
  readonly id: string;
  readonly [member: string]: unknown;
}

const REFUSE = 'admin-device-authorization-refuse';

const list = listed<Listed>('admin-device-authorization-list');

const oneRequest: OperationRequest = async (tenant) => {
  await aDevice(tenant, await tenant.register(TELEVISION));
  return { segments: { id: (await list(tenant))[0]?.id ?? '' } };
};

testAdminOperation('admin-device-authorization-list', () => ({}));
testAdminOperation('admin-device-authorization-read', oneRequest);
testAdminOperation(REFUSE, oneRequest);
testAdminDryRun(REFUSE, oneRequest, list);

test('200: GET /admin/v1/device-authorizations has the devices of a client, page by page, and neither of their codes', async () => {
  const tenant = testTenant();
  const television = await tenant.register(TELEVISION);
  const { codes } = await aDevice(tenant, television, { scope: 'films' });
  await aDevice(tenant, await tenant.register(TELEVISION));
  const [device = assert.fail(), ...others] = await list(tenant, `client_id=${television.client_id}`);
  assert.deepEqual(others, []);
  const { id, created_at, expires_at, ...rest } = device;
  const { client_id } = television;
  assert.deepEqual(rest, {
    client_id,
    client_name: 'Television',
    state: 'open',
    scope: ['films'],
    address: '198.51.100.7',
  });
  assert.equal(Date.parse(String(expires_at)) - Date.parse(String(created_at)), 600_000);
  for (const code of [codes.device_code, codes.user_code])
    assert.equal(JSON.stringify(device).includes(code), false);
  const read = await tenant.send('admin-device-authorization-read', { bearer: ADMIN, segments: { id } });
  assert.deepEqual(read.json, device);
  const all = await list(tenant);
  assert.equal(all.length, 2);
  const first = await tenant.send('admin-device-authorization-list', { bearer: ADMIN, query: 'limit=1' });
  assert.deepEqual(first.json['items'], all.slice(0, 1));
  tenant.clock.advance(600);
  assert.equal((await list(tenant))[0]?.['state'], 'expired');
});

test('204: POST /admin/v1/device-authorizations/{id}/refuse refuses once: its code is used up, the device gets access_denied, and a second one is 409', async () => {
  const tenant = testTenant();
  const ada = await aPerson(tenant);
  const device = await aDevice(tenant, await tenant.register(TELEVISION));
  const shown = await enter(ada, device.codes.user_code);
  const segments = { id: (await list(tenant))[0]?.id ?? '' };
  assert.equal((await tenant.send(REFUSE, { bearer: ADMIN, segments })).status, 204);
  assert.equal((await device.poll()).json['error'], 'access_denied');
  assert.match((await ada.browser.submit(shown, 'allow')).html, /no longer valid/);
  assert.equal((await device.poll()).json['error'], 'access_denied', 'the person was too late');
  assertProblem(await tenant.send(REFUSE, { bearer: ADMIN, segments }), 409, 'conflict', /it is denied/u);
  const events = await tenant.unwatched.audit.page(0, 100);
  assert.equal(
    events.filter(({ action, outcome }) => action === 'device.deny' && outcome === 'done').length,
    1,
  );
});

test('a refusal of a device that its person has allowed answers 409, and one that is unknown answers 404', async () => {
  const tenant = testTenant();
  const ada = await aPerson(tenant);
  const device = await aDevice(tenant, await tenant.register(TELEVISION));
  await ada.browser.submit(await enter(ada, device.codes.user_code), 'allow');
  const segments = { id: (await list(tenant))[0]?.id ?? '' };
  assert.equal((await list(tenant))[0]?.['state'], 'allowed');
  assertProblem(await tenant.send(REFUSE, { bearer: ADMIN, segments }), 409, 'conflict', /it is allowed/u);
  assert.equal((await device.poll()).status, 200);
  for (const id of ['unknown', 'request-unknown', segments.id.slice('request-'.length)])
    for (const name of [REFUSE, 'admin-device-authorization-read'])
      assertProblem(await tenant.send(name, { bearer: ADMIN, segments: { id } }), 404, 'not_found');
});
