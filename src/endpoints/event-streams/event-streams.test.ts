import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestRequest } from '../../testing/exchange.ts';
import { aReceiver, ENDPOINT_URL, PUSH, signalTenant } from '../../testing/signals.ts';
import { INTROSPECTION_SCOPE, ISSUER } from '../../testing/tenant.ts';

const CAEP = 'https://schemas.openid.net/secevent/caep/event-type/';
const EVENTS = ['session-revoked', 'credential-change', 'token-claims-change'].map((name) => CAEP + name);

// proves ssf-8.1.1.1-1, ssf-8.1.1-1, ssf-8.1.1-2
test('POST /ssf/streams: 201 with the stream of the caller, which polls unless it says otherwise (OpenID Shared Signals Framework 1.0 §8.1.1.1)', async () => {
  const tenant = signalTenant();
  const receiver = await aReceiver(tenant);
  const made = await receiver.send('event-stream-create', { json: {} });
  assert.equal(made.status, 201, made.body);
  assert.equal(made.headers['cache-control'], 'no-store');
  const id = String(made.json['stream_id']);
  assert.match(id, /^[A-Za-z0-9]{24}$/u);
  assert.deepEqual(made.json, {
    stream_id: id,
    iss: ISSUER,
    aud: receiver.client.client_id,
    events_supported: EVENTS,
    events_delivered: EVENTS,
    delivery: { method: 'urn:ietf:rfc:8936', endpoint_url: `${ISSUER}/ssf/poll/${id}` },
    min_verification_interval: 60,
  });
  const events = (await tenant.unwatched.audit.page(0, 100)).filter(
    ({ action }) => action === 'stream.create',
  );
  assert.deepEqual(
    events.map(({ actor, client_id, detail }) => [actor, client_id, detail]),
    [[`client:${receiver.client.client_id}`, receiver.client.client_id, id]],
  );
});

// proves ssf-8.1.1-3, ssf-6.1.1-1
test('a stream that is pushed has what the client asked for, and the types that the server knows among it', async () => {
  const tenant = signalTenant();
  const receiver = await aReceiver(tenant);
  const delivery = { ...PUSH, endpoint_url: `${ENDPOINT_URL}?key=k`, authorization_header: 'Bearer secret' };
  const wanted = { delivery, events_requested: [EVENTS[0], 'urn:other'], description: 'd'.repeat(600) };
  const id = await receiver.stream(wanted);
  const { json } = await receiver.send('event-stream-read', { query: `stream_id=${id}` });
  assert.deepEqual(json['delivery'], delivery);
  assert.deepEqual(json['events_requested'], wanted.events_requested);
  assert.deepEqual(json['events_delivered'], [EVENTS[0]]);
  assert.equal(json['description'], 'd'.repeat(500));
  const stored = JSON.stringify(await tenant.unwatched.eventStreams.page(undefined, 9));
  assert.doesNotMatch(stored, /key=k|Bearer secret/u, 'secrets are encrypted at rest');
  assert.doesNotMatch(JSON.stringify(tenant.log), /key=k|Bearer secret/u);
});

// proves ssf-8.1.1.2-1
test('GET /ssf/streams: 200 with one stream, or with all of the caller and of no other client (OpenID Shared Signals Framework 1.0 §8.1.1.2)', async () => {
  const tenant = signalTenant();
  const [one, two] = [await aReceiver(tenant), await aReceiver(tenant, { scope: 'ssf.manage ssf.read' })];
  const ids = [await one.stream(), await one.stream()];
  const { status, body } = await one.send('event-stream-read');
  assert.equal(status, 200);
  const listed = JSON.parse(body) as readonly { readonly stream_id: string }[];
  assert.deepEqual(listed.map(({ stream_id }) => stream_id).toSorted(), ids.toSorted());
  assert.equal((await two.send('event-stream-read')).body, '[]');
});

// proves ssf-8.1.1.3-1, ssf-8.1.1.3-2
test('PATCH /ssf/streams: 200, and members that are absent stay (OpenID Shared Signals Framework 1.0 §8.1.1.3)', async () => {
  const receiver = await aReceiver(signalTenant());
  const stream_id = await receiver.stream({ delivery: PUSH, description: 'first' });
  const { status, json } = await receiver.send('event-stream-update', {
    json: { stream_id, iss: ISSUER, events_requested: [EVENTS[1]] },
  });
  assert.equal(status, 200);
  assert.deepEqual([json['description'], json['delivery']], ['first', PUSH]);
  assert.deepEqual(json['events_delivered'], [EVENTS[1]]);
});

// proves ssf-8.1.1.4-1
test('PUT /ssf/streams: 200, and members that are absent go (OpenID Shared Signals Framework 1.0 §8.1.1.4)', async () => {
  const receiver = await aReceiver(signalTenant());
  const stream_id = await receiver.stream({
    delivery: PUSH,
    description: 'd',
    events_requested: [EVENTS[0]],
  });
  const { status, json } = await receiver.send('event-stream-replace', { json: { stream_id } });
  assert.equal(status, 200);
  assert.deepEqual([json['description'], json['events_requested']], [undefined, undefined]);
  assert.equal(Reflect.get(json['delivery'] as object, 'method'), 'urn:ietf:rfc:8936');
});

// proves ssf-8.1.1.5-1
test('DELETE /ssf/streams: 204, and then there is no such stream (OpenID Shared Signals Framework 1.0 §8.1.1.5)', async () => {
  const tenant = signalTenant();
  const receiver = await aReceiver(tenant);
  const query = `stream_id=${await receiver.stream()}`;
  assert.equal((await receiver.send('event-stream-delete', { query })).status, 204);
  assert.equal((await receiver.send('event-stream-delete', { query })).status, 404);
  assert.equal((await receiver.send('event-stream-delete')).status, 400);
  assert.deepEqual(await tenant.unwatched.eventStreams.page(undefined, 9), []);
});

const MISTAKEN: readonly (readonly [words: string, body: unknown, pointer: string])[] = [
  ['another method', { delivery: { method: 'urn:x' } }, '/delivery/method'],
  ['a push without an address', { delivery: { method: PUSH.method } }, '/delivery/endpoint_url'],
  [
    'an address with a fragment',
    { delivery: { ...PUSH, endpoint_url: 'https://a.example/#b' } },
    '/delivery/endpoint_url',
  ],
  [
    'a header with a line break (H-658)',
    { delivery: { ...PUSH, authorization_header: 'a\r\nb: c' } },
    '/delivery/authorization_header',
  ],
  ['events that are no list', { events_requested: 'all' }, '/events_requested'],
];
for (const [words, json, pointer] of MISTAKEN) {
  test(`POST /ssf/streams with ${words}: 400 that names the member`, async () => {
    const receiver = await aReceiver(signalTenant());
    const refused = await receiver.send('event-stream-create', { json });
    assert.equal(refused.status, 400);
    const [first] = refused.json['errors'] as readonly { readonly pointer: string }[];
    assert.equal(first?.pointer, pointer);
  });
}

// proves ssf-8.1.1.3-3
test('PATCH and PUT with another value of a member that the server sets, or without a stream: 400 (OpenID Shared Signals Framework 1.0 §8.1.1.3)', async () => {
  const receiver = await aReceiver(signalTenant());
  const stream_id = await receiver.stream();
  for (const endpoint of ['event-stream-update', 'event-stream-replace'])
    for (const other of [
      { aud: 'x' },
      { iss: 'https://x.example' },
      { events_delivered: [] },
      { inactivity_timeout: 5 },
    ]) {
      const refused = await receiver.send(endpoint, { json: { stream_id, ...other } });
      assert.equal(refused.status, 400, JSON.stringify(other));
    }
  assert.equal((await receiver.send('event-stream-update', { json: {} })).status, 400);
});

const STREAM_ENDPOINTS = [
  ['event-stream-create', {}],
  ['event-stream-read', {}],
  ['event-stream-update', { json: { stream_id: 'x' } }],
  ['event-stream-replace', { json: { stream_id: 'x' } }],
  ['event-stream-delete', { query: 'stream_id=x' }],
] as const satisfies readonly (readonly [string, TestRequest])[];

// proves ssf-8-1, caep-interop-2.7.3-1
test('each operation without a token, and with one of nothing: 401 with a challenge (RFC 6750 §3)', async () => {
  const tenant = signalTenant();
  for (const [endpoint, request] of STREAM_ENDPOINTS)
    for (const token of [{}, { bearer: 'x' }, { basic: ['a', 'b'] as const }]) {
      const refused = await tenant.send(endpoint, { ...request, ...token });
      assert.equal(refused.status, 401, endpoint);
      assert.match(refused.headers['www-authenticate'] ?? '', /^Bearer/u);
    }
});

test('H-657 a token that a person gave a client, and one for another resource server: 401', async () => {
  const tenant = signalTenant();
  const { client } = await aReceiver(tenant);
  const { client_id } = client;
  const scope = ['ssf.manage'];
  for (const request of [
    { sub: 'ada', client_id, scope },
    { client_id, scope, audience: ['https://api.example'] },
  ]) {
    const bearer = await tenant.authorize(request);
    assert.equal((await tenant.send('event-stream-read', { bearer })).status, 401, JSON.stringify(request));
  }
});

test('each operation without its scope: 403 that names the scope (OpenID CAEP Interoperability Profile 1.0 §2.7.2)', async () => {
  const tenant = signalTenant();
  const nothing = await aReceiver(tenant, { scope: INTROSPECTION_SCOPE });
  const reader = await aReceiver(tenant, { scope: 'ssf.read' });
  for (const [endpoint, request] of STREAM_ENDPOINTS) {
    const isRead = endpoint === 'event-stream-read';
    const refused = await nothing.send(endpoint, request);
    assert.equal(refused.status, 403, endpoint);
    const scope = isRead ? 'ssf.read' : 'ssf.manage';
    assert.ok(refused.headers['www-authenticate']?.includes(`scope="${scope}"`), endpoint);
    assert.equal((await reader.send(endpoint, request)).status, isRead ? 200 : 403, endpoint);
  }
});

// proves ssf-8-2
test('H-656 a stream of another client, and none at all: 404, alike (OpenID Shared Signals Framework 1.0 §8)', async () => {
  const tenant = signalTenant();
  const [one, two] = [await aReceiver(tenant), await aReceiver(tenant)];
  const foreign = await one.stream();
  for (const stream_id of [foreign, 'nothing']) {
    const query = `stream_id=${encodeURIComponent(stream_id)}`;
    for (const [endpoint, request] of [
      ['event-stream-read', { query }],
      ['event-stream-update', { json: { stream_id } }],
      ['event-stream-replace', { json: { stream_id } }],
      ['event-stream-delete', { query }],
    ] as const)
      assert.equal((await two.send(endpoint, request)).status, 404, endpoint);
  }
  assert.equal((await one.send('event-stream-read', { query: `stream_id=${foreign}` })).status, 200);
});

// proves ssf-8.1.1.1-2
test('one stream more than a client may have: 409; a change that another one overtook: 409', async () => {
  const tenant = signalTenant({ 'signals.streams-per-client': 1 });
  const receiver = await aReceiver(tenant);
  const stream_id = await receiver.stream();
  assert.equal((await receiver.send('event-stream-create', { json: {} })).status, 409);
  for (const endpoint of ['event-stream-update', 'event-stream-replace']) {
    tenant.watch.before('eventStreams.replace', async () => {
      const [stream = assert.fail()] = await tenant.unwatched.eventStreams.page(undefined, 1);
      await tenant.unwatched.eventStreams.replace(
        { ...stream, version: stream.version + 1 },
        stream.version,
        {},
      );
    });
    assert.equal((await receiver.send(endpoint, { json: { stream_id } })).status, 409, endpoint);
  }
});

test('a fault of the storage: 500 without its cause', async () => {
  const tenant = signalTenant();
  const receiver = await aReceiver(tenant);
  const cause = new Error('disk /var/lib/registry is full');
  tenant.watch.fail(cause, 'clients.find');
  for (const [endpoint, request] of STREAM_ENDPOINTS) {
    const failed = await receiver.send(endpoint, request);
    assert.equal(failed.status, 500, endpoint);
    assert.doesNotMatch(failed.body, /disk/u);
  }
});

test('streams are off by default: no endpoint, no metadata', async () => {
  const { endpoints } = await signalTenant({ 'signals.enabled': false }).site();
  const names = endpoints.map(({ contract }) => contract.name);
  assert.deepEqual(
    names.filter((name) => /^event-stream|^signals/u.test(name)),
    [],
  );
});
