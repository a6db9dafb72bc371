import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aReceiver, aSessionOf, endOf, signalTenant } from '../../testing/signals.ts';
import { ISSUER } from '../../testing/tenant.ts';

const REMOVE = 'event-stream-subject-remove';
const ADD = 'event-stream-subject-add';

const user = (sub: string) => ({ format: 'iss_sub', iss: ISSUER, sub });

// proves ssf-8.1.3.3-1, ssf-8.1.3.2-1, ssf-8.1.3-1
test('POST /ssf/subjects/remove: 204, and no events about the person come until it is added again with 200 (OpenID Shared Signals Framework 1.0 §8.1.3)', async () => {
  const tenant = signalTenant();
  const receiver = await aReceiver(tenant);
  const stream_id = await receiver.stream();
  const removed = await receiver.send(REMOVE, { json: { stream_id, subject: user('ada') } });
  assert.deepEqual([removed.status, removed.body], [204, '']);
  for (const sub of ['ada', 'bob']) await endOf(tenant, await aSessionOf(tenant, sub, receiver));
  const told = await receiver.poll(stream_id);
  assert.equal(told.length, 1);
  assert.match(JSON.stringify(told[0]?.claims.sub_id), /"bob"/u);
  // The same subject, with its members in another order.
  const { format, ...members } = user('ada');
  const added = await receiver.send(ADD, { json: { stream_id, subject: { ...members, format } } });
  assert.deepEqual([added.status, added.body], [200, '']);
  await endOf(tenant, await aSessionOf(tenant, 'ada', receiver));
  assert.equal((await receiver.poll(stream_id)).length, 2);
});

test('204: one session is left out by its identifier, and a complex subject leaves out only what it names whole', async () => {
  const tenant = signalTenant();
  const receiver = await aReceiver(tenant);
  const stream_id = await receiver.stream();
  const [one, two, three] = [
    await aSessionOf(tenant, 'ada', receiver),
    await aSessionOf(tenant, 'ada', receiver),
    await aSessionOf(tenant, 'ada', receiver),
  ];
  const session = (id: string) => ({ format: 'opaque', id });
  for (const subject of [
    session(one.sid),
    { format: 'complex', user: user('ada'), session: session(two.sid) },
    { format: 'complex', user: user('bob'), session: session(three.sid) },
  ])
    assert.equal((await receiver.send(REMOVE, { json: { stream_id, subject } })).status, 204);
  for (const each of [one, two, three]) await endOf(tenant, each);
  const told = await receiver.poll(stream_id);
  assert.deepEqual(
    told.map(({ claims }) => Reflect.get(claims.sub_id as object, 'session') as unknown),
    [session(three.sid)],
  );
});

const MISTAKEN: readonly unknown[] = [
  undefined,
  'ada',
  [],
  {},
  { format: 'other', id: 'x' },
  { format: 'iss_sub', sub: 'ada' },
  { format: 'opaque', id: 7 },
  { format: 'complex' },
  { format: 'complex', user: 'ada' },
  { format: 'complex', user: { format: 'complex', user: { format: 'opaque', id: 'x' } } },
];

test('a subject that is no subject identifier: 400 that says what is wrong (RFC 9493 §3)', async () => {
  const receiver = await aReceiver(signalTenant());
  const stream_id = await receiver.stream();
  for (const subject of MISTAKEN)
    for (const endpoint of [ADD, REMOVE]) {
      const refused = await receiver.send(endpoint, { json: { stream_id, subject } });
      assert.equal(refused.status, 400, JSON.stringify(subject));
      assert.match(String(refused.json['detail']), /^\/subject /u);
    }
});

// proves ssf-9.1-1
test('H-662 a subject that the server does not know: 200 and 204 as for any other; a format that no event has: 400 when it is removed (OpenID Shared Signals Framework 1.0 §9.1)', async () => {
  const receiver = await aReceiver(signalTenant());
  const stream_id = await receiver.stream();
  const email = { format: 'email', email: 'ada@example.com' };
  assert.equal((await receiver.send(ADD, { json: { stream_id, subject: email } })).status, 200);
  assert.equal((await receiver.send(REMOVE, { json: { stream_id, subject: user('nobody') } })).status, 204);
  const refused = await receiver.send(REMOVE, { json: { stream_id, subject: email } });
  assert.equal(refused.status, 400);
  assert.match(String(refused.json['detail']), /email.*iss_sub and opaque/u);
});

test('a stream of another client: 404; without a token: 401; with another scope: 403; one subject too many: 409; a fault: 500', async () => {
  const tenant = signalTenant({ 'signals.subjects-max': 1 });
  const receiver = await aReceiver(tenant);
  const stranger = await aReceiver(tenant);
  const reader = await aReceiver(tenant, { scope: 'ssf.read' });
  const json = { stream_id: await receiver.stream(), subject: user('ada') };
  for (const endpoint of [ADD, REMOVE]) {
    assert.equal((await stranger.send(endpoint, { json })).status, 404);
    assert.equal((await tenant.send(endpoint, { json })).status, 401);
    assert.equal((await reader.send(endpoint, { json })).status, 403);
  }
  assert.equal((await receiver.send(REMOVE, { json })).status, 204);
  const another = { ...json, subject: user('bob') };
  assert.equal((await receiver.send(REMOVE, { json: another })).status, 409);
  tenant.watch.fail(new Error('disk'), 'eventStreams.find');
  for (const endpoint of [ADD, REMOVE]) assert.equal((await receiver.send(endpoint, { json })).status, 500);
});
