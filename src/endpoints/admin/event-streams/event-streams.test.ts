import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertProblem,
  type OperationRequest,
  testAdminDryRun,
  testAdminOperation,
  testAdminPrecondition,
} from '../../../testing/admin-operations.ts';
import { aReceiver, aSessionOf, ENDPOINT_URL, endOf, PUSH, signalTenant } from '../../../testing/signals.ts';
import { ADMIN, type TestTenant } from '../../../testing/tenant.ts';

const TYPE = 'https://schemas.openid.net/secevent';
const delivery = {
  ...PUSH,
  endpoint_url: `${ENDPOINT_URL}?key=s3cret`,
  authorization_header: 'Bearer s3cret',
};

const aStream: OperationRequest = async (tenant) => {
  const receiver = await aReceiver(tenant);
  return { segments: { id: await receiver.stream({ delivery }) } };
};

/** Makes a stream with a failed event. */
const aFailure: OperationRequest = async (tenant) => {
  const receiver = await aReceiver(tenant);
  const id = await receiver.stream();
  await endOf(tenant, await aSessionOf(tenant, 'ada', receiver));
  await receiver.poll(id, { setErrs: { [`${id}.1`]: { err: 'invalid_key' } } });
  return { segments: { id } };
};

const matched =
  (request: OperationRequest): OperationRequest =>
  async (tenant) => ({ ...(await request(tenant)), headers: { 'if-match': '*' } });

const stored = async ({ unwatched }: TestTenant): Promise<unknown> =>
  await unwatched.eventStreams.page(undefined, 9);
const make = (): TestTenant => signalTenant();

testAdminOperation('admin-event-stream-list', () => ({}), make);
for (const name of ['read', 'event-list']) testAdminOperation(`admin-event-stream-${name}`, aStream, make);
testAdminOperation('admin-event-stream-delete', matched(aStream), make);
testAdminPrecondition('admin-event-stream-delete', aStream, make);
testAdminDryRun('admin-event-stream-delete', aStream, stored, make);
for (const verb of ['enable', 'pause', 'disable']) {
  testAdminOperation(`admin-event-stream-${verb}`, aStream, make);
  testAdminDryRun(`admin-event-stream-${verb}`, aStream, stored, make);
}
for (const verb of ['redeliver', 'drop']) {
  testAdminOperation(`admin-event-stream-${verb}`, aFailure, make);
  testAdminDryRun(`admin-event-stream-${verb}`, aFailure, stored, make);
}

test('a stream is listed page by page, without the query of its address and its header (H-660)', async () => {
  const tenant = make();
  const ids = [];
  for (let index = 0; index < 3; index += 1) ids.push((await aStream(tenant)).segments?.['id']);
  const listed: unknown[] = [];
  let query = 'limit=2';
  for (;;) {
    const { json, body } = await tenant.send('admin-event-stream-list', { bearer: ADMIN, query });
    assert.doesNotMatch(body, /s3cret/u);
    const items = json['items'] as readonly { readonly id: string; readonly endpoint_url: string }[];
    listed.push(...items.map(({ id }) => id));
    assert.equal(items[0]?.endpoint_url, ENDPOINT_URL);
    if (json['next'] === undefined) break;
    query = `limit=2&cursor=${json['next'] as string}`;
  }
  assert.deepEqual(new Set(listed), new Set(ids));
});

test('the list has the streams of one client alone, page by page, and none of a client that is unknown', async () => {
  const tenant = make();
  const [one, other] = [await aReceiver(tenant), await aReceiver(tenant)];
  const ids = [await one.stream(), await one.stream()].toSorted();
  await other.stream();
  const page = async (query: string): Promise<readonly [readonly unknown[], unknown]> => {
    const { json } = await tenant.send('admin-event-stream-list', { bearer: ADMIN, query });
    return [(json['items'] as readonly { readonly id: string }[]).map(({ id }) => id), json['next']];
  };
  const { client_id } = one.client;
  assert.deepEqual(await page(`client_id=${client_id}`), [ids, undefined]);
  const [first, next] = await page(`client_id=${client_id}&limit=1`);
  assert.deepEqual(first, ids.slice(0, 1));
  assert.deepEqual(await page(`client_id=${client_id}&limit=1&cursor=${String(next)}`), [
    ids.slice(1),
    undefined,
  ]);
  assert.deepEqual(await page('client_id=unknown'), [[], undefined]);
});

test('a stream that the operator pauses holds its events, and tells its client by an event before it stops (OpenID Shared Signals Framework 1.0 §8.1.5)', async () => {
  const tenant = make();
  const receiver = await aReceiver(tenant);
  const id = await receiver.stream();
  const segments = { id };
  const paused = await tenant.send('admin-event-stream-pause', { bearer: ADMIN, segments });
  assert.equal(paused.json['status'], 'paused');
  await endOf(tenant, await aSessionOf(tenant, 'ada', receiver));
  const [notice, ...more] = await receiver.poll(id);
  assert.equal(notice?.type, `${TYPE}/ssf/event-type/stream-updated`);
  assert.deepEqual(notice.body, { status: 'paused', reason: 'by the operator' });
  assert.deepEqual(more, []);
  await tenant.send('admin-event-stream-enable', { bearer: ADMIN, segments });
  const types = (await receiver.poll(id)).map(({ type, body }) => [type.split('/').at(-1), body['status']]);
  assert.deepEqual(types, [
    ['stream-updated', 'paused'],
    ['session-revoked', undefined],
    ['stream-updated', 'enabled'],
  ]);
  const events = await tenant.unwatched.audit.page(0, 100);
  assert.deepEqual(
    events
      .filter(({ action }) => action === 'stream.update')
      .map(({ detail, client_id }) => [detail, client_id]),
    ['paused', 'enabled'].map((status) => [`${id} ${status}`, receiver.client.client_id]),
  );
});

test('a failed event is listed without its content, waits again, and is dropped', async () => {
  const tenant = make();
  const request = { bearer: ADMIN, ...(await aFailure(tenant)) };
  const list = async (): Promise<readonly object[]> =>
    (await tenant.send('admin-event-stream-event-list', request)).json['items'] as readonly object[];
  const [failed = assert.fail(), ...more] = await list();
  assert.deepEqual(more, []);
  assert.deepEqual(Object.keys(failed), ['id', 'type', 'state', 'at', 'attempted_at', 'problem']);
  assert.equal(Reflect.get(failed, 'problem'), 'invalid_key');
  assert.deepEqual((await tenant.send('admin-event-stream-redeliver', request)).json, { events: 1 });
  assert.deepEqual(await list(), []);
  assert.deepEqual((await tenant.send('admin-event-stream-drop', request)).json, { events: 0 });
});

test('no such stream: 404; a deletion with 204 takes the outbox along', async () => {
  const tenant = make();
  const missing = { bearer: ADMIN, segments: { id: 'nothing' } };
  for (const name of ['read', 'pause', 'redeliver', 'event-list'])
    assertProblem(await tenant.send(`admin-event-stream-${name}`, missing), 404, 'not_found');
  const { segments } = await aFailure(tenant);
  const request = {
    bearer: ADMIN,
    ...(segments === undefined ? {} : { segments }),
    headers: { 'if-match': '*' },
  };
  assert.equal((await tenant.send('admin-event-stream-delete', request)).status, 204);
  assert.deepEqual(await stored(tenant), []);
});
