import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aReceiver, signalTenant } from '../../testing/signals.ts';
import { ISSUER, START } from '../../testing/tenant.ts';

const VERIFY = 'event-stream-verification';

// proves ssf-8.1.4.1-1, ssf-8.1.4.2-1, ssf-4.1-1, ssf-4.1-2, ssf-4.1-3, rfc8417-2.2-1, rfc8417-2.3-1
test('POST /ssf/verify: 204, and the stream has an event about itself with the state (OpenID Shared Signals Framework 1.0 §8.1.4)', async () => {
  const receiver = await aReceiver(signalTenant());
  const stream_id = await receiver.stream({ events_requested: [] });
  const asked = await receiver.send(VERIFY, { json: { stream_id, state: 'V"1' } });
  assert.deepEqual([asked.status, asked.body], [204, '']);
  const [event, ...more] = await receiver.poll(stream_id);
  assert.deepEqual(more, []);
  assert.equal(event?.header.typ, 'secevent+jwt');
  assert.deepEqual(event.claims, {
    iss: ISSUER,
    jti: `${stream_id}.1`,
    iat: START,
    aud: receiver.client.client_id,
    sub_id: { format: 'opaque', id: stream_id },
    events: { 'https://schemas.openid.net/secevent/ssf/event-type/verification': { state: 'V"1' } },
  });
});

// proves ssf-8.1.4.2-2, ssf-8.1.1-4
test('a second request within min_verification_interval: 429 with Retry-After, and then 204 (OpenID Shared Signals Framework 1.0 §8.1.1)', async () => {
  const tenant = signalTenant({ 'signals.verification-interval': 30 });
  const receiver = await aReceiver(tenant);
  const json = { stream_id: await receiver.stream() };
  assert.equal((await receiver.send(VERIFY, { json })).status, 204);
  tenant.clock.advance(29);
  const refused = await receiver.send(VERIFY, { json });
  assert.equal(refused.status, 429);
  assert.equal(refused.headers['retry-after'], '30');
  tenant.clock.advance(1);
  assert.equal((await receiver.send(VERIFY, { json })).status, 204);
  assert.equal((await receiver.poll(json.stream_id)).length, 2);
});

test('a body without stream: 400; a disabled stream: 409; a stream of another client: 404; without a token: 401; with ssf.read: 403; a fault: 500', async () => {
  const tenant = signalTenant();
  const receiver = await aReceiver(tenant);
  const json = { stream_id: await receiver.stream() };
  for (const wrong of [
    {},
    { stream_id: 7 },
    { ...json, state: { a: 1 } },
    { ...json, state: 's'.repeat(1025) },
  ])
    assert.equal((await receiver.send(VERIFY, { json: wrong })).status, 400);
  await receiver.send('event-stream-status-update', { json: { ...json, status: 'disabled' } });
  assert.equal((await receiver.send(VERIFY, { json })).status, 409);
  assert.equal((await (await aReceiver(tenant)).send(VERIFY, { json })).status, 404);
  assert.equal((await tenant.send(VERIFY, { json })).status, 401);
  assert.equal((await (await aReceiver(tenant, { scope: 'ssf.read' })).send(VERIFY, { json })).status, 403);
  tenant.watch.fail(new Error('disk'), 'eventStreams.find');
  assert.equal((await receiver.send(VERIFY, { json })).status, 500);
});
