import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordedAuditEvent } from '../ports/audit-log.ts';
import { REQUEST_ID } from '../testing/exchange.ts';
import {
  CALLBACK,
  clientInformationOf,
  MASTER,
  SERVICE,
  START,
  type TestTenant,
  testTenant,
  WEB_CLIENT,
} from '../testing/tenant.ts';
import { sweepAuditEvents } from './audit-trail.ts';

/** Waits for the events of refusals, which are recorded after the answer. */
async function eventsAfter(
  tenant: TestTenant,
  act: () => Promise<unknown>,
): Promise<readonly RecordedAuditEvent[]> {
  const before = (await tenant.unwatched.audit.page(0, 1000)).at(-1)?.sequence ?? 0;
  await act();
  let found: readonly RecordedAuditEvent[] = [];
  for (let turn = 0; turn < 100 && found.length === 0; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    found = await tenant.unwatched.audit.page(before, 1000);
  }
  return found;
}

const words = ({ action, outcome, actor, client_id, detail }: RecordedAuditEvent): string =>
  [action, outcome, actor, client_id ?? '-', detail ?? '-'].join(' ');

test('each operation on the registry records one event, except the refusal of a stranger (decision 46)', async () => {
  const tenant = testTenant();
  const { client_id: id, registration_access_token: bearer } = await tenant.register({
    ...WEB_CLIENT,
    preferred_client_id: 'app',
  });
  const acts: readonly (readonly [act: () => Promise<unknown>, expected: string | undefined])[] = [
    [async () => await tenant.send('client-read', { bearer, id }), 'client.read done registration app -'],
    [
      async () => await tenant.send('client-read', { bearer: MASTER, id }),
      'client.read done master:master app -',
    ],
    [async () => await tenant.send('client-read', { id }), undefined],
    [
      async () => await tenant.send('client-read', { bearer: MASTER, id: 'x' }),
      'client.read refused master:master - not_found',
    ],
    [async () => await tenant.send('client-read', { bearer: 'wrong', id }), undefined],
    [async () => await tenant.send('client-delete', { bearer: 'wrong', id: 'x' }), undefined],
    [async () => await tenant.send('client-list', { bearer: MASTER }), 'client.list done master:master - -'],
    [async () => await tenant.send('client-list', { bearer }), undefined],
    [
      async () => await tenant.send('client-update', { bearer: MASTER, id, json: {} }),
      'client.update refused master:master app invalid_redirect_uri',
    ],
    [
      async () => await tenant.send('client-registration', { bearer: MASTER, json: {} }),
      'client.create refused master:master - invalid_redirect_uri',
    ],
    [
      async () => await tenant.send('client-update', { bearer: MASTER, id, json: WEB_CLIENT }),
      'client.update done master:master app -',
    ],
    [
      async () => await tenant.send('client-delete', { bearer: MASTER, id }),
      'client.delete done master:master app -',
    ],
  ];
  for (const [act, expected] of acts) {
    const events = await eventsAfter(tenant, act);
    assert.deepEqual(events.map(words), expected === undefined ? [] : [expected]);
    for (const { request_id, at } of events) assert.deepEqual([request_id, at], [REQUEST_ID, START]);
  }
});

test('the events of an initial access token and of its registration name the token’s label', async () => {
  const tenant = testTenant();
  let bearer = '';
  const issued = await eventsAfter(tenant, async () => {
    bearer = await tenant.authorize({ scope: ['client-reg'], label: 'team' });
  });
  assert.deepEqual(issued.map(words), ['initial-access-token.create done master:master - team']);
  let id = '';
  const registered = await eventsAfter(tenant, async () => {
    id = clientInformationOf(
      await tenant.send('client-registration', { bearer, json: WEB_CLIENT }),
    ).client_id;
  });
  assert.deepEqual(registered.map(words), [`client.create done initial:team ${id} -`]);
});

test('the event of a refused registration names a client only if the identifier is taken', async () => {
  const tenant = testTenant({
    settings: { 'registration.allow-open-registration': true, 'registration.open-clients-max': 1 },
  });
  await tenant.send('client-registration', { json: WEB_CLIENT });
  await tenant.register({ ...WEB_CLIENT, preferred_client_id: 'app' });
  const full = await eventsAfter(
    tenant,
    async () => await tenant.send('client-registration', { json: WEB_CLIENT }),
  );
  assert.deepEqual(full.map(words), []);
  const taken = await eventsAfter(tenant, async () => {
    await tenant.send('client-registration', {
      bearer: MASTER,
      json: { ...WEB_CLIENT, preferred_client_id: 'app' },
    });
  });
  assert.deepEqual(taken.map(words), ['client.create refused master:master app invalid_client_metadata']);
});

test('the renewal of an expired secret is recorded once, in the same write (F28)', async () => {
  const tenant = testTenant({ settings: { 'registration.client-secret-lifetime': 10 } });
  const { client_id: id, registration_access_token: bearer } = await tenant.register({
    ...SERVICE,
    preferred_client_id: 'app',
  });
  tenant.clock.advance(10);
  const events = await eventsAfter(tenant, async () => await tenant.send('client-read', { bearer, id }));
  assert.deepEqual(events.map(words), ['client.read done registration app expired secret renewed']);
});

test('neither audit events nor their log lines contain a secret or a token', async () => {
  const tenant = testTenant();
  const preferred_client_secret = 'a-secret-of-32-printable-letters';
  const bearer = await tenant.initialToken('client-reg');
  const answered = await tenant.send('client-registration', {
    bearer,
    json: { redirect_uris: [CALLBACK], preferred_client_secret },
  });
  const { client_id: id, registration_access_token } = clientInformationOf(answered);
  await tenant.send('client-read', { bearer: registration_access_token, id });
  await tenant.send('client-delete', { bearer: MASTER, id });
  await tenant.send('client-list', { bearer: 'some-unknown-token' });
  const events = await eventsAfter(
    tenant,
    async () => await tenant.send('client-read', { bearer: MASTER, id }),
  );
  assert.ok(events.length > 0);
  const everything = JSON.stringify([await tenant.unwatched.audit.page(0, 1000), tenant.log]);
  for (const secret of [
    preferred_client_secret,
    bearer,
    registration_access_token,
    MASTER,
    'some-unknown-token',
  ]) {
    assert.equal(everything.includes(secret), false, secret);
  }
});

test('a server fault records no refusal; an event that cannot be stored is logged and fails no request', async () => {
  const tenant = testTenant();
  const { client_id: id } = await tenant.register(WEB_CLIENT);
  tenant.watch.fail(new Error('gone'), 'clients.find');
  assert.equal((await tenant.send('client-read', { bearer: MASTER, id })).status, 500);
  tenant.watch.fail(new Error('full'), 'audit.append');
  assert.equal((await tenant.send('client-read', { bearer: MASTER, id })).status, 200);
  const events = await tenant.unwatched.audit.page(0, 1000);
  assert.deepEqual(
    events.map(({ action }) => action),
    ['client.create'],
  );
  assert.ok(tenant.log.some(({ message }) => message === 'an audit event could not be recorded'));
});

test('every stored audit event is also logged, once', async () => {
  const tenant = testTenant();
  const bearer = await tenant.authorize({ scope: ['client-reg'], label: 'team' });
  const { client_id: id } = clientInformationOf(
    await tenant.send('client-registration', { bearer, json: WEB_CLIENT }),
  );
  await tenant.send('client-read', { bearer: MASTER, id });
  await eventsAfter(tenant, async () => await tenant.send('client-read', { bearer: MASTER, id: 'x' }));
  const recorded = (await tenant.unwatched.audit.page(0, 1000)).map(words);
  const logged = tenant.log
    .filter(({ message }) => message === 'audit')
    .map(({ members }) => words(members as unknown as RecordedAuditEvent));
  assert.deepEqual(logged, recorded);
  assert.equal(logged.length, 4);
});

test('audit events are deleted in batches after their lifetime, and none earlier', async () => {
  const tenant = testTenant();
  const { audit, clock, log } = await tenant.registry();
  for (let number = 0; number < 7; number += 1) await tenant.register(WEB_CLIENT);
  tenant.clock.advance(100);
  await tenant.register(WEB_CLIENT);
  const needs = { audit, clock, log, batch: 3, goOn: async () => true };
  assert.equal(await sweepAuditEvents({ ...needs, lifetime: 100 }), 0);
  tenant.clock.advance(1);
  assert.equal(await sweepAuditEvents({ ...needs, lifetime: 0 }), 0);
  assert.equal(await sweepAuditEvents({ ...needs, lifetime: 100 }), 7);
  assert.equal(tenant.watch.calls.filter((call) => call === 'audit.sweep').length, 4);
  const [kept, ...more] = await tenant.unwatched.audit.page(0, 10);
  assert.deepEqual([kept?.sequence, more.length], [8, 0]);
  assert.equal((await tenant.send('client-list', { bearer: MASTER })).status, 200);
});

test('a sweep that fails is logged and does not throw', async () => {
  const tenant = testTenant();
  const { audit, clock, log } = await tenant.registry();
  tenant.watch.fail(new Error('full'), 'audit.sweep');
  assert.equal(
    await sweepAuditEvents({ audit, clock, log, lifetime: 1, batch: 3, goOn: async () => true }),
    0,
  );
  assert.ok(tenant.log.some(({ message }) => message === 'expired audit events could not be swept'));
});
