import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aReceiver, aSessionOf, endOf, signalTenant } from '../../testing/signals.ts';

// proves ssf-8.1.2.1-1, ssf-8.1.2.2-1
test('GET and POST /ssf/status: 200 with the status and its reason (OpenID Shared Signals Framework 1.0 §8.1.2)', async () => {
  const receiver = await aReceiver(signalTenant(), { scope: 'ssf.manage ssf.read' });
  const stream_id = await receiver.stream();
  const query = `stream_id=${stream_id}`;
  const read = await receiver.send('event-stream-status-read', { query });
  assert.deepEqual([read.status, read.json], [200, { stream_id, status: 'enabled' }]);
  const wanted = { stream_id, status: 'paused', reason: 'maintenance' };
  const changed = await receiver.send('event-stream-status-update', { json: wanted });
  assert.deepEqual([changed.status, changed.json], [200, wanted]);
  assert.deepEqual((await receiver.send('event-stream-status-read', { query })).json, wanted);
});

// proves ssf-8.1.2.1-2, ssf-8.1.2.1-3
test('200: a paused stream gives its events later in their order, a disabled one has dropped them (OpenID Shared Signals Framework 1.0 §8.1.2.1)', async () => {
  const tenant = signalTenant();
  const receiver = await aReceiver(tenant);
  const stream_id = await receiver.stream();
  const set = async (status: string): Promise<void> => {
    const { status: code } = await receiver.send('event-stream-status-update', {
      json: { stream_id, status },
    });
    assert.equal(code, 200);
  };
  const end = async (sub: string): Promise<void> =>
    await endOf(tenant, await aSessionOf(tenant, sub, receiver));
  await set('paused');
  await end('ada');
  await end('bob');
  assert.deepEqual(await receiver.poll(stream_id), []);
  await set('enabled');
  const subjects = (await receiver.poll(stream_id)).map(({ claims }) => JSON.stringify(claims.sub_id));
  assert.match(subjects[0] ?? '', /"ada"/u);
  assert.match(subjects[1] ?? '', /"bob"/u);
  await set('disabled');
  await end('eve');
  await set('enabled');
  assert.deepEqual(await receiver.poll(stream_id), []);
});

test('no stream, another status, or no stream_id: 400; a stream of another client: 404; without a token: 401; with ssf.read alone: 403 for a change', async () => {
  const tenant = signalTenant();
  const receiver = await aReceiver(tenant);
  const reader = await aReceiver(tenant, { scope: 'ssf.read' });
  const stream_id = await receiver.stream();
  const update = 'event-stream-status-update';
  for (const json of [{}, { stream_id }, { stream_id, status: 'gone' }, { status: 'paused' }])
    assert.equal((await receiver.send(update, { json })).status, 400);
  assert.equal((await receiver.send('event-stream-status-read')).status, 400);
  const json = { stream_id, status: 'paused' };
  const query = `stream_id=${stream_id}`;
  assert.equal((await tenant.send(update, { json })).status, 401);
  assert.equal((await tenant.send('event-stream-status-read', { query })).status, 401);
  assert.equal((await reader.send(update, { json })).status, 403);
  assert.equal((await reader.send('event-stream-status-read', { query })).status, 404);
  const stranger = await aReceiver(tenant);
  assert.equal((await stranger.send(update, { json })).status, 404);
  const nothing = await aReceiver(tenant, { scope: 'read' });
  assert.equal((await nothing.send('event-stream-status-read', { query })).status, 403);
});

test('a change that another one overtook: 409; a fault of the storage: 500', async () => {
  const tenant = signalTenant();
  const receiver = await aReceiver(tenant);
  const stream_id = await receiver.stream();
  const json = { stream_id, status: 'paused' };
  tenant.watch.before('eventStreams.replace', async () => {
    const [stream = assert.fail()] = await tenant.unwatched.eventStreams.page(undefined, 1);
    await tenant.unwatched.eventStreams.replace({ ...stream, version: 2 }, 1, {});
  });
  assert.equal((await receiver.send('event-stream-status-update', { json })).status, 409);
  tenant.watch.fail(new Error('disk'), 'eventStreams.find');
  assert.equal((await receiver.send('event-stream-status-update', { json })).status, 500);
  const query = `stream_id=${stream_id}`;
  assert.equal((await receiver.send('event-stream-status-read', { query })).status, 500);
});
