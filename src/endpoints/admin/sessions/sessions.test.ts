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
import type { Answer } from '../../../testing/exchange.ts';
import { aPerson } from '../../../testing/person.ts';
import { ADMIN, testTenant } from '../../../testing/tenant.ts';

const BEA = { username: 'bea', password: 'correct horse', claims: {} };

interface Listed {
  readonly sid: string;
  readonly username: string;
  readonly clients: readonly { readonly client_id: string; readonly client_name: string }[];
}

const list = listed<Listed>('admin-session-list');

const oneSession: OperationRequest = async (tenant) => {
  await peopleWorld(tenant);
  return { segments: { sid: (await list(tenant))[0]?.sid ?? '' } };
};

testAdminOperation('admin-session-list', () => ({}));
testAdminOperation('admin-session-read', oneSession);
testAdminOperation('admin-session-end', oneSession);
testAdminDryRun('admin-session-end', oneSession, list);

test('200: GET /admin/v1/sessions has the sessions of a subject or a client, with the clients that took part', async () => {
  const tenant = testTenant();
  const { client, sub } = await peopleWorld(tenant);
  const bea = await aPerson(tenant, BEA);
  tenant.clock.advance(10);
  const another = await tenant.register({ redirect_uris: ['https://client.example/cb'] });
  await bea.grant(another);
  const names = async (query: string): Promise<string> =>
    (await list(tenant, query)).map(({ username }) => username).join(' ');
  assert.equal(await names(''), 'bea Ada');
  assert.equal(await names(`sub=${sub}`), 'Ada');
  assert.equal(await names(`client_id=${client.client_id}`), 'Ada');
  assert.equal(await names(`client_id=${another.client_id}&sub=${sub}`), '');
  assert.equal(await names('client_id=unknown'), '');
  const [session] = await list(tenant, `sub=${sub}`);
  assert.deepEqual(
    session?.clients.map(({ client_id, client_name }) => [client_id, client_name]),
    [[client.client_id, 'Paper Clips']],
  );
  const segments = { sid: session.sid };
  assert.deepEqual((await tenant.send('admin-session-read', { bearer: ADMIN, segments })).json, session);
});

test('204: POST /admin/v1/sessions/{sid}/end ends the session with its grants, once, and the audit has it; a second time answers 404', async () => {
  const tenant = testTenant();
  const { tokens, sub } = await peopleWorld(tenant);
  const segments = { sid: (await list(tenant))[0]?.sid ?? '' };
  const end = async (): Promise<Answer> =>
    await tenant.send('admin-session-end', { bearer: ADMIN, segments });
  assert.equal((await end()).status, 204);
  assert.deepEqual(await tenant.introspect(String(tokens['access_token'])), { active: false });
  assertProblem(await end(), 404, 'not_found');
  assertProblem(await tenant.send('admin-session-read', { bearer: ADMIN, segments }), 404, 'not_found');
  const events = await tenant.unwatched.audit.page(0, 100);
  const event = events.find(({ action, outcome }) => action === 'session.end' && outcome === 'done');
  assert.equal(event?.sub, sub);
});

test('a session that has expired is not found: 404', async () => {
  const tenant = testTenant();
  await peopleWorld(tenant);
  const [session] = await list(tenant);
  tenant.clock.advance(365 * 86_400);
  assert.deepEqual(await list(tenant), []);
  const segments = { sid: session?.sid ?? '' };
  assertProblem(await tenant.send('admin-session-read', { bearer: ADMIN, segments }), 404, 'not_found');
});
