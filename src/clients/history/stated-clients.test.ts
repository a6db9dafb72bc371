import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredClient } from '../../ports/client-store.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { assertProblem } from '../../testing/admin-operations.ts';
import { aDocument, CLIENT_URL, codeFor, documentWorld } from '../../testing/client-documents.ts';
import { RP } from '../../testing/federated-tenant.ts';
import { livingMember } from '../../testing/living-member.ts';
import { ADMIN, MASTER, type TestTenant } from '../../testing/tenant.ts';

/** Clients whose metadata a document or a federation states. */

const clientOf = async ({ unwatched }: TestTenant, id: string): Promise<StoredClient> =>
  (await unwatched.clients.find(id as ClientId)) ?? assert.fail('no client');

const versionsKept = async (tenant: TestTenant, id: string): Promise<readonly string[]> =>
  (await tenant.unwatched.clientHistory.versions(await clientOf(tenant, id), undefined, 9)).map(
    ({ version, actor }) => `${version} ${actor}`,
  );

const send = async (tenant: TestTenant, name: string, id: string) =>
  await tenant.send(name, { bearer: ADMIN, segments: { id }, json: {} });

test('a document that changed keeps the version before, one that only became fresh keeps none, and none is restored', async () => {
  const { host, tenant, ada } = await documentWorld();
  await codeFor(ada);
  host.documents.set(CLIENT_URL, aDocument());
  tenant.clock.advance(3601);
  await codeFor(ada);
  assert.deepEqual(await versionsKept(tenant, CLIENT_URL), []);
  host.documents.set(CLIENT_URL, aDocument({ client_name: 'Another name' }));
  tenant.clock.advance(3601);
  await codeFor(ada);
  assert.deepEqual(await versionsKept(tenant, CLIENT_URL), ['2 document']);
  const refused = await send(tenant, 'admin-client-restore', CLIENT_URL);
  assertProblem(refused, 400, 'invalid_request', /is the document at its client_id/);
});

test('a deleted client of a document comes back, and its document is fetched before it is used', async () => {
  const { host, tenant, ada } = await documentWorld();
  await codeFor(ada);
  assert.equal((await tenant.send('client-delete', { bearer: MASTER, id: CLIENT_URL })).status, 204);
  host.documents.set(CLIENT_URL, aDocument({ client_name: 'Another name' }));
  const restored = await send(tenant, 'admin-deleted-client-restore', CLIENT_URL);
  assert.equal(restored.status, 200, restored.body);
  const fetches = host.fetches.length;
  await codeFor(ada);
  assert.equal(host.fetches.length, fetches + 1);
  assert.match((await clientOf(tenant, CLIENT_URL)).metadata, /Another name/);
});

test('a renewal in a federation keeps a version if it changed the metadata; a deleted client comes back while its chain lasts', async () => {
  const member = await livingMember();
  const { tenant } = member;
  member.publish();
  await member.tokens();
  tenant.clock.advance(3600);
  member.publish();
  assert.deepEqual(await member.renewDue(), { renewed: 1, failed: 0 });
  assert.deepEqual(await versionsKept(tenant, RP.id), []);
  assert.equal((await member.push()).status, 201);
  tenant.clock.advance(3600);
  member.publish({ metadata: { client_name: 'Another name' } });
  assert.deepEqual(await member.renewDue(), { renewed: 1, failed: 0 });
  const { version, expires_at } = await member.stored();
  assert.deepEqual(await versionsKept(tenant, RP.id), [`${version - 1} federation:${RP.id}`]);
  const refused = await send(tenant, 'admin-client-restore', RP.id);
  assertProblem(refused, 400, 'invalid_request', /states the metadata of this client/);
  assert.equal((await tenant.send('client-delete', { bearer: MASTER, id: RP.id })).status, 204);
  const restored = await send(tenant, 'admin-deleted-client-restore', RP.id);
  assert.equal(restored.status, 200, restored.body);
  const { renew_at, ...back } = await member.stored();
  assert.deepEqual(
    [renew_at, back.expires_at],
    [tenant.clock.now(), expires_at],
    'due at once, and no longer than before',
  );
  assert.equal((await tenant.send('client-delete', { bearer: MASTER, id: RP.id })).status, 204);
  tenant.clock.advance((expires_at ?? 0) - tenant.clock.now());
  const late = await send(tenant, 'admin-deleted-client-restore', RP.id);
  assertProblem(late, 400, 'invalid_request', /has ended; the entity registers again/);
});
