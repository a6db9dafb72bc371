import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  allow,
  askPerson,
  backchannelTenant,
  CIBA_GRANT,
  NOTIFICATION_TOKEN,
  pinged,
  requestsOf,
  review,
  TILL,
} from '../../testing/backchannel.ts';
import type { Answer } from '../../testing/exchange.ts';
import { aPerson } from '../../testing/person.ts';

function assertPending(answer: Answer, error = 'authorization_pending'): void {
  assert.deepEqual([answer.status, answer.json['error']], [400, error], answer.body);
}

// proves ciba-10.1-1, ciba-11-1, ciba-8-1
test('a till gets its tokens after its person has signed in, seen its message and allowed; before that authorization_pending (OpenID Connect CIBA Core 1.0 §10.1, §11)', async () => {
  const tenant = backchannelTenant();
  const ada = await aPerson(tenant);
  const asked = await askPerson(tenant, await tenant.register(TILL), {
    scope: 'openid pay offline_access',
    binding_message: 'Order 4711 <b>',
  });
  assertPending(await asked.poll());
  const consent = await review(ada);
  assert.ok(consent.html.includes('Order 4711 &lt;b&gt;'), consent.html);
  assert.ok(consent.html.includes('198.51.100.7'), 'and where the client asked from');
  assert.ok(consent.html.includes('Till'));
  const done = await ada.browser.submit(consent, 'allow');
  assert.match(done.html, /Access allowed/);
  tenant.clock.advance(5);
  const issued = await asked.poll();
  assert.equal(issued.status, 200, issued.body);
  assert.equal(issued.json['scope'], 'openid pay offline_access');
  assert.equal(typeof issued.json['refresh_token'], 'string');
  assert.equal(typeof issued.json['id_token'], 'string');
  const { active, sub } = await tenant.introspect(String(issued.json['access_token']));
  assert.deepEqual([active, sub], [true, ada.account.sub]);
  const events = (await tenant.unwatched.audit.page(0, 100)).map(({ action }) => action);
  assert.ok(events.includes('backchannel.request') && events.includes('backchannel.allow'), String(events));
});

// H-702
test('a second use of an auth_req_id ends what the first gave: 400 invalid_grant (RFC 6749 §4.1.2)', async () => {
  const tenant = backchannelTenant();
  const ada = await aPerson(tenant);
  const asked = await askPerson(tenant, await tenant.register(TILL));
  await allow(ada);
  const issued = await asked.poll();
  assert.equal(issued.status, 200, issued.body);
  assertPending(await asked.poll(), 'invalid_grant');
  assert.equal((await tenant.introspect(String(issued.json['access_token'])))['active'], false);
});

// proves ciba-11-2
test('a till whose person refuses gets access_denied, on the page of the request and on the list (OpenID Connect CIBA Core 1.0 §11)', async () => {
  const tenant = backchannelTenant();
  const ada = await aPerson(tenant);
  const till = await tenant.register(TILL);
  const first = await askPerson(tenant, till);
  assert.match((await ada.browser.submit(await review(ada), 'deny')).html, /Access denied/);
  assertPending(await first.poll(), 'access_denied');
  const second = await askPerson(tenant, till);
  const list = await ada.browser.submit(await requestsOf(ada), 'deny');
  assert.match(list.html, /No request waits for you/);
  assertPending(await second.poll(), 'access_denied');
});

// proves ciba-11-3
test('a request without an answer in time is expired_token, and can no longer be answered (OpenID Connect CIBA Core 1.0 §11)', async () => {
  const tenant = backchannelTenant();
  const ada = await aPerson(tenant);
  const asked = await askPerson(tenant, await tenant.register(TILL));
  const consent = await review(ada);
  tenant.clock.advance(120);
  assertPending(await asked.poll(), 'expired_token');
  assert.match((await ada.browser.submit(consent, 'allow')).html, /This request is over/);
  assertPending(await asked.poll(), 'expired_token');
});

// proves ciba-11-4
test('a till that asks too soon gets slow_down, in each process, and has to wait 5 seconds longer; waiting causes no write (OpenID Connect CIBA Core 1.0 §11)', async () => {
  const tenant = backchannelTenant();
  const asked = await askPerson(tenant, await tenant.register(TILL));
  tenant.watch.begin();
  const { length } = tenant.watch.calls;
  assertPending(await asked.poll());
  tenant.clock.advance(5);
  assertPending(await asked.poll());
  assert.deepEqual(
    tenant.watch.calls.slice(length).filter((call) => !call.endsWith('.find')),
    [],
  );
  tenant.clock.advance(4);
  assertPending(await asked.poll(), 'slow_down');
  tenant.clock.advance(9);
  assertPending(await asked.poll(), 'slow_down');
  tenant.clock.advance(15);
  assertPending(await asked.poll());
});

// proves ciba-11-5
test('an auth_req_id of another client, of another form or none is refused, and a client that gets its tokens pushed may not ask (OpenID Connect CIBA Core 1.0 §11)', async () => {
  const tenant = backchannelTenant();
  const asked = await askPerson(tenant, await tenant.register(TILL));
  const other = await tenant.register(TILL);
  const ask = async (form: Readonly<Record<string, string>>): Promise<Answer> =>
    await tenant.send('token', {
      basic: [other.client_id, other.client_secret],
      form: { grant_type: CIBA_GRANT, ...form },
    });
  for (const auth_req_id of [asked.auth_req_id, 'x'.repeat(43), `ciba_${'x'.repeat(43)}`, ' '])
    assertPending(await ask({ auth_req_id }), 'invalid_grant');
  assertPending(await ask({}), 'invalid_request');
  const pushed = await askPerson(tenant, await tenant.register(pinged('push')), {
    client_notification_token: NOTIFICATION_TOKEN,
  });
  assertPending(await pushed.poll(), 'unauthorized_client');
});

// H-704
test('an unknown person, a disabled one and one who blocked the client look like a person who does not answer', async () => {
  const tenant = backchannelTenant();
  const ada = await aPerson(tenant);
  const till = await tenant.register(TILL);
  await askPerson(tenant, till);
  await ada.browser.submit(await requestsOf(ada), 'block');
  const unknown = await askPerson(tenant, till, { login_hint: 'unknown' });
  const blocked = await askPerson(tenant, till);
  const silent = await askPerson(tenant, await tenant.register(TILL));
  for (const { begun, poll } of [unknown, blocked, silent]) {
    assert.deepEqual(
      [begun.status, Object.keys(begun.json)],
      [200, ['auth_req_id', 'expires_in', 'interval']],
    );
    assertPending(await poll());
  }
  tenant.clock.advance(120);
  for (const { poll } of [unknown, blocked, silent]) assertPending(await poll(), 'expired_token');
});
