import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aDevice, enter, TELEVISION, type TestDevice } from '../../testing/device.ts';
import { dpopKey } from '../../testing/dpop.ts';
import type { Answer } from '../../testing/exchange.ts';
import { aPerson } from '../../testing/person.ts';
import { CALLBACK, ISSUER, type TestTenant, testTenant } from '../../testing/tenant.ts';

function assertPending(answer: Answer, error = 'authorization_pending'): void {
  assert.deepEqual([answer.status, answer.json['error']], [400, error], answer.body);
}

/** Waits as long as the device must, and asks. */
async function later(tenant: TestTenant, device: TestDevice, seconds = 5): Promise<Answer> {
  tenant.clock.advance(seconds);
  return await device.poll();
}

// proves rfc8628-3.4-1, rfc8628-3.5-1
test('a device gets its tokens after its person has entered the code, signed in and agreed; before that authorization_pending (RFC 8628 §3.4, §3.5)', async () => {
  const tenant = testTenant();
  const device = await aDevice(tenant, await tenant.register(TELEVISION), {
    scope: 'openid films offline_access',
  });
  const ada = await aPerson(tenant);
  assertPending(await device.poll());
  const consent = await enter(ada, device.codes.user_code);
  assert.ok(consent.html.includes(device.codes.user_code), 'the page shows the code to compare');
  assert.ok(consent.html.includes('198.51.100.7'), 'and where the device asked from');
  assert.ok(consent.html.includes('Television'));
  assertPending(await later(tenant, device));
  const done = await ada.browser.submit(consent, 'allow');
  assert.match(done.html, /Your device is connected/);
  const issued = await later(tenant, device);
  assert.equal(issued.status, 200, issued.body);
  assert.equal(issued.json['scope'], 'openid films offline_access');
  assert.equal(typeof issued.json['refresh_token'], 'string');
  assert.equal(typeof issued.json['id_token'], 'string');
  const { active, sub } = await tenant.introspect(String(issued.json['access_token']));
  assert.deepEqual([active, sub], [true, ada.account.sub]);
});

// H-607
test('a second use of a device code ends what the first gave: 400 invalid_grant (RFC 6749 §4.1.2)', async () => {
  const tenant = testTenant();
  const device = await aDevice(tenant, await tenant.register(TELEVISION));
  const ada = await aPerson(tenant);
  await ada.browser.submit(await enter(ada, device.codes.user_code), 'allow');
  const issued = await device.poll();
  assert.equal(issued.status, 200, issued.body);
  assertPending(await later(tenant, device), 'invalid_grant');
  assert.equal((await tenant.introspect(String(issued.json['access_token'])))['active'], false);
});

// proves rfc8628-3.5-2
test('a device whose person refuses gets access_denied, and the code cannot be entered again (RFC 8628 §3.5)', async () => {
  const tenant = testTenant();
  const device = await aDevice(tenant, await tenant.register(TELEVISION));
  const ada = await aPerson(tenant);
  const denied = await ada.browser.submit(await enter(ada, device.codes.user_code), 'deny');
  assert.match(denied.html, /Access denied/);
  assertPending(await device.poll(), 'access_denied');
  assert.match((await enter(ada, device.codes.user_code)).html, /not valid or has expired/);
});

// proves rfc8628-3.5-3
test('a device that waits longer than its code lives gets expired_token (RFC 8628 §3.5)', async () => {
  const tenant = testTenant();
  const device = await aDevice(tenant, await tenant.register(TELEVISION));
  assertPending(await later(tenant, device, 600), 'expired_token');
});

// proves rfc8628-3.5-4
test('a device that asks too soon gets slow_down, and has to wait 5 seconds longer each time; waiting causes no write (RFC 8628 §3.5)', async () => {
  const tenant = testTenant();
  const device = await aDevice(tenant, await tenant.register(TELEVISION));
  tenant.watch.begin();
  const { length } = tenant.watch.calls;
  assertPending(await device.poll());
  for (let count = 0; count < 5; count += 1) assertPending(await later(tenant, device));
  assert.deepEqual(
    tenant.watch.calls.slice(length).filter((call) => !call.endsWith('.find')),
    [],
  );
  assertPending(await later(tenant, device, 4), 'slow_down');
  assertPending(await later(tenant, device, 9), 'slow_down');
  assertPending(await later(tenant, device, 15));
});

test('another process holds a device that was too fast to the longer interval (RFC 8628 §3.5)', async () => {
  const tenant = testTenant();
  const client = await tenant.register(TELEVISION);
  const device = await aDevice(tenant, client);
  await device.poll();
  assertPending(await device.poll(), 'slow_down');
  const other = testTenant({ platform: tenant.platform });
  const ask = async (): Promise<Answer> =>
    await other.send('token', {
      form: {
        grant_type: TELEVISION.grant_types[0] ?? '',
        client_id: client.client_id,
        device_code: device.codes.device_code,
      },
    });
  assertPending(await ask());
  tenant.clock.advance(6);
  assertPending(await ask(), 'slow_down');
});

test('a device code of another client, of another form, and an authorisation code are 400 invalid_grant (RFC 8628 §3.4)', async () => {
  const tenant = testTenant();
  const device = await aDevice(tenant, await tenant.register(TELEVISION));
  const other = await tenant.register(TELEVISION);
  const [grant_type = ''] = TELEVISION.grant_types;
  const ask = async (client_id: string, device_code: string): Promise<Answer> =>
    await tenant.send('token', { form: { grant_type, client_id, device_code } });
  for (const code of [
    device.codes.device_code,
    device.codes.user_code,
    'x'.repeat(43),
    `device_${'x'.repeat(43)}`,
  ])
    assertPending(await ask(other.client_id, code), 'invalid_grant');
  const { client_id, client_secret } = await tenant.register({ redirect_uris: [CALLBACK] });
  const asCode = await tenant.send('token', {
    basic: [client_id, client_secret],
    form: {
      grant_type: 'authorization_code',
      code: device.codes.device_code,
      redirect_uri: `${ISSUER}/device`,
    },
  });
  assertPending(asCode, 'invalid_grant');
  const without = await tenant.send('token', { form: { grant_type, client_id: other.client_id } });
  assertPending(without, 'invalid_request');
});

test('a device may bind its tokens to a key, and needs a proof with its last request only (RFC 9449 §5)', async () => {
  const tenant = testTenant();
  const key = dpopKey();
  const device = await aDevice(
    tenant,
    await tenant.register({ ...TELEVISION, dpop_bound_access_tokens: true }),
  );
  const proof = (): Readonly<Record<string, string>> => ({
    dpop: key.proof({ method: 'POST', address: `${ISSUER}/token`, now: tenant.clock.now() }),
  });
  assertPending(await device.poll(proof()));
  const ada = await aPerson(tenant);
  await ada.browser.submit(await enter(ada, device.codes.user_code), 'allow');
  assert.equal((await device.poll()).json['error'], 'invalid_dpop_proof');
  const issued = await device.poll(proof());
  assert.equal(issued.json['token_type'], 'DPoP', issued.body);
});
