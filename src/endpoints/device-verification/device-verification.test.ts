import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aDevice, enter, TELEVISION } from '../../testing/device.ts';
import { aPerson, browserOf, inFrontOf } from '../../testing/person.ts';
import { ISSUER, testTenant } from '../../testing/tenant.ts';

// proves rfc8628-3.3-1
test('GET /device answers 200 with a form, filled in from the address in upper case, and sends nothing without the person (RFC 8628 §3.3.1)', async () => {
  const tenant = testTenant();
  const browser = browserOf(tenant);
  const empty = await browser.open(`${ISSUER}/device`);
  assert.equal(empty.status, 200);
  assert.match(empty.html, /name="user_code"[^>]* value=""/);
  const { codes } = await aDevice(tenant, await tenant.register(TELEVISION));
  const filled = await browser.open(`${ISSUER}/device?user_code=${codes.user_code.toLowerCase()}`);
  assert.match(filled.html, new RegExp(`value="${codes.user_code}"`));
  assert.match(filled.html, /Continue only if your device shows exactly this code/);
  const hostile = await browser.open(`${ISSUER}/device?user_code=%22%3E%3Cscript%3E`);
  assert.match(hostile.html, /value=""/);
});

test('429: wrong codes have a limit, also for a right one after them; a right code does not count, and a wrong one answers 200 with the page (RFC 8628 §5.1)', async () => {
  const tenant = testTenant({ settings: { 'device.wrong-code-rate-per-network': 2 } });
  const { codes } = await aDevice(tenant, await tenant.register(TELEVISION));
  const browser = browserOf(tenant);
  const page = await browser.open(`${ISSUER}/device`);
  const type = async (user_code: string) => await browser.submit(page, 'continue', { user_code });
  for (let count = 0; count < 3; count += 1)
    assert.match((await type(codes.user_code)).html, /name="password"/);
  for (let count = 0; count < 2; count += 1) {
    const wrong = await type('BCDF-GHJK');
    assert.equal(wrong.status, 200);
    assert.match(wrong.html, /not valid or has expired/);
  }
  const limited = await type(codes.user_code);
  assert.equal(limited.status, 429);
  assert.equal(limited.headers.get('retry-after'), '30');
});

test('a form of another site or another browser is 400: a code is entered by its person only (RFC 8628 §5.4)', async () => {
  const tenant = testTenant();
  const { codes } = await aDevice(tenant, await tenant.register(TELEVISION));
  const form = { user_code: codes.user_code, form_token: 'x' };
  const own = { 'sec-fetch-site': 'same-origin', origin: 'null' };
  for (const headers of [own, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }]) {
    const answer = await tenant.send('device-verification-post', { form, headers });
    assert.equal(answer.status, 400);
    assert.match(answer.body, /Something went wrong/);
  }
});

// H-609
test('a prefetch of the page is refused: 400 (Fetch Standard, Sec-Purpose)', async () => {
  const answer = await testTenant().send('device-verification', { headers: { 'sec-purpose': 'prefetch' } });
  assert.equal(answer.status, 400);
});

// H-607
test('303 leads to sign-in; of two persons with one code the first one decides (RFC 8628 §5.2)', async () => {
  const tenant = testTenant();
  const client = await tenant.register(TELEVISION);
  const ada = await aPerson(tenant);
  const sameElsewhere = { ...ada, ...inFrontOf(browserOf(tenant)) };
  for (const [answer, words] of [
    ['deny', /Access denied/],
    ['allow', /Your device is connected/],
  ] as const) {
    const device = await aDevice(tenant, client);
    const first = await enter(ada, device.codes.user_code);
    const second = await enter(sameElsewhere, device.codes.user_code);
    assert.match((await ada.browser.submit(first, answer)).html, words);
    const late = answer === 'deny' ? 'allow' : 'deny';
    assert.match((await sameElsewhere.browser.submit(second, late)).html, /no longer valid/);
    const { status, json } = await device.poll();
    assert.deepEqual([status, json['error']], answer === 'deny' ? [400, 'access_denied'] : [200, undefined]);
  }
});

// H-606
test('the person agrees each time, also for a client of the operator and after an earlier consent (RFC 8628 §5.4)', async () => {
  const tenant = testTenant({ settings: { 'sign-in.consent': 'third-party' } });
  const client = await tenant.register(TELEVISION);
  const ada = await aPerson(tenant);
  for (let count = 0; count < 2; count += 1) {
    const { codes } = await aDevice(tenant, client);
    assert.match((await enter(ada, codes.user_code)).html, /value="allow"/);
  }
});

test('500: a storage that fails, with a page (interface, Errors)', async () => {
  const tenant = testTenant();
  const { codes } = await aDevice(tenant, await tenant.register(TELEVISION));
  const browser = browserOf(tenant);
  const page = await browser.open(`${ISSUER}/device`);
  tenant.watch.begin();
  tenant.watch.fail(new Error('disk'), 'interactions.find');
  assert.equal((await browser.submit(page, 'continue', { user_code: codes.user_code })).status, 500);
});
