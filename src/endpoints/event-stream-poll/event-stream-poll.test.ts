import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import {
  aReceiver,
  aSessionOf,
  endOf,
  PUSH,
  signalTenant,
  type TestReceiver,
} from '../../testing/signals.ts';
import { ISSUER, type TestTenant } from '../../testing/tenant.ts';

const POLL = 'event-stream-poll';

async function ended(tenant: TestTenant, receiver: TestReceiver, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await endOf(tenant, await aSessionOf(tenant, `person${index}`, receiver));
}

// proves rfc8936-2.2-1, rfc8936-2.3-1, rfc8936-2.4-1
test('POST /ssf/poll: 200 with the oldest events, which come again until they are acknowledged (RFC 8936 §2)', async () => {
  const tenant = signalTenant();
  const receiver = await aReceiver(tenant);
  const stream_id = await receiver.stream();
  const segments = { stream_id };
  await ended(tenant, receiver, 3);
  const json = { maxEvents: 2, returnImmediately: true };
  const first = await receiver.send(POLL, { segments, json });
  assert.equal(first.status, 200);
  assert.equal(first.json['moreAvailable'], true);
  const jtis = Object.keys(first.json['sets'] as object);
  assert.deepEqual(jtis, [`${stream_id}.1`, `${stream_id}.2`]);
  assert.deepEqual(Object.keys((await receiver.send(POLL, { segments, json })).json['sets'] as object), jtis);
  const acked = await receiver.send(POLL, { segments, json: { ...json, ack: jtis } });
  assert.deepEqual(Object.keys(acked.json['sets'] as object), [`${stream_id}.3`]);
  assert.equal(acked.json['moreAvailable'], false);
  const [stream] = await tenant.unwatched.eventStreams.page(undefined, 1);
  assert.deepEqual([stream?.delivered, stream?.held], [2, 1]);
});

// proves rfc8936-2.4-2
test('200: an event that the client refuses is kept for the operator and does not come again (RFC 8936 §2.4)', async () => {
  const tenant = signalTenant();
  const receiver = await aReceiver(tenant);
  const stream_id = await receiver.stream();
  await ended(tenant, receiver, 2);
  const setErrs = { [`${stream_id}.1`]: { err: 'invalid_key', description: 'unknown kid' } };
  assert.deepEqual(
    (await receiver.poll(stream_id, { setErrs })).map(({ claims }) => claims.jti),
    [`${stream_id}.2`],
  );
  const [stream = assert.fail()] = await tenant.unwatched.eventStreams.page(undefined, 1);
  const [letter] = await tenant.unwatched.eventStreams.events(stream.id, 'failed', 0, 9);
  assert.equal(letter?.problem, 'invalid_key: unknown kid');
});

// proves rfc8936-2.2-2
test('200: maxEvents 0 acknowledges only, and acknowledgements of other streams or of nothing change nothing', async () => {
  const tenant = signalTenant();
  const [one, two] = [await aReceiver(tenant), await aReceiver(tenant)];
  const [mine, theirs] = [await one.stream(), await two.stream()];
  await endOf(tenant, await aSessionOf(tenant, 'ada', one, two));
  const ack = [`${mine}.1`, `${mine}.x`, `${mine}.01`, 'nothing', `${mine}.999999999999999999`];
  assert.deepEqual(await two.poll(theirs, { maxEvents: 0, ack }), []);
  assert.equal((await one.poll(mine)).length, 1);
  assert.equal((await two.poll(theirs)).length, 1);
});

// proves rfc8936-2.2-3
test('200: a poll that may wait is answered when an event comes, and empty when its time is over (RFC 8936 §2.2)', async () => {
  const tenant = signalTenant({ 'signals.poll-wait': 5 });
  const receiver = await aReceiver(tenant);
  const stream_id = await receiver.stream();
  const waiting = async () => {
    const poll = receiver.send(POLL, { segments: { stream_id }, json: {} });
    const over = poll.then(() => true);
    const later = async (): Promise<false> => {
      await new Promise((resolve) => setImmediate(resolve));
      return false;
    };
    while (!(await Promise.race([over, later()]))) tenant.clock.advance(1);
    return Object.keys((await poll).json['sets'] as object);
  };
  const before = tenant.clock.now();
  assert.deepEqual(await waiting(), []);
  assert.ok(tenant.clock.now() - before >= 5);
  tenant.watch.before('eventStreams.events', async () => {
    tenant.watch.before('eventStreams.events', async () => await ended(tenant, receiver, 1));
  });
  assert.deepEqual(await waiting(), [`${stream_id}.1`]);
});

// proves ssf-4.1-4, caep-3.1-1, caep-2-1, caep-interop-2.6-1, ssf-4.1.9-1
test('200: an event of a session is a JWT that jose verifies with the published keys, and says who ended the session (OpenID CAEP 1.0 §3.1)', async () => {
  const tenant = signalTenant();
  const receiver = await aReceiver(tenant);
  const stream_id = await receiver.stream();
  const session = await aSessionOf(tenant, 'ada', receiver);
  const at = tenant.clock.now();
  await endOf(tenant, session);
  tenant.clock.advance(50);
  const [event = assert.fail()] = await receiver.poll(stream_id);
  const keys = (await tenant.send('jwk-set')).json as unknown as JSONWebKeySet;
  const { payload, protectedHeader } = await jwtVerify(event.jwt, createLocalJWKSet(keys), {
    typ: 'secevent+jwt',
    issuer: ISSUER,
    audience: receiver.client.client_id,
  });
  assert.equal(protectedHeader.alg, 'RS256');
  assert.deepEqual(payload['sub_id'], {
    format: 'complex',
    user: { format: 'iss_sub', iss: ISSUER, sub: 'ada' },
    session: { format: 'opaque', id: session.sid },
  });
  assert.deepEqual(
    [payload.sub, payload.exp, payload.iat, payload['txn']],
    [undefined, undefined, at, 'request-1'],
  );
  assert.equal(event.type, 'https://schemas.openid.net/secevent/caep/event-type/session-revoked');
  assert.deepEqual(event.body, {
    event_timestamp: at,
    initiating_entity: 'user',
    reason_admin: { en: 'The session was ended.' },
  });
});

test('a body that is no object, or that has other types: 400', async () => {
  const receiver = await aReceiver(signalTenant());
  const segments = { stream_id: await receiver.stream() };
  for (const json of [
    [],
    { maxEvents: -1 },
    { maxEvents: '1' },
    { ack: 'x' },
    { ack: [1] },
    { setErrs: [] },
    { returnImmediately: 1 },
  ])
    assert.equal((await receiver.send(POLL, { segments, json })).status, 400, JSON.stringify(json));
});

test('a stream that is pushed, of another client, or of nothing: 404; without a token: 401; with ssf.read: 403; a fault: 500', async () => {
  const tenant = signalTenant();
  const receiver = await aReceiver(tenant);
  const stream_id = await receiver.stream();
  const json = { returnImmediately: true };
  const pushed = { stream_id: await receiver.stream({ delivery: PUSH }) };
  for (const segments of [pushed, { stream_id: 'nothing' }])
    assert.equal((await receiver.send(POLL, { segments, json })).status, 404);
  const segments = { stream_id };
  assert.equal((await (await aReceiver(tenant)).send(POLL, { segments, json })).status, 404);
  assert.equal((await tenant.send(POLL, { segments, json })).status, 401);
  assert.equal(
    (await (await aReceiver(tenant, { scope: 'ssf.read' })).send(POLL, { segments, json })).status,
    403,
  );
  tenant.watch.fail(new Error('disk'), 'eventStreams.events');
  assert.equal((await receiver.send(POLL, { segments, json })).status, 500);
});
