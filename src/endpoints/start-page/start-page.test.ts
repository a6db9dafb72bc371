import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DevelopmentFacts } from '../../ports/development.ts';
import { DEFAULTS, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';

const FACTS: DevelopmentFacts = {
  version: '1.2.3',
  data: 'data',
  management: 'http://127.0.0.1:9090',
  account: 'developer',
  refusals: () => [
    {
      at: 1_800_000_000,
      endpoint: 'token',
      status: '401',
      reason: 'wrong-secret',
      detail: '<b>wrong</b> or expired secret',
      client: 'shop',
    },
  ],
};

const OWN = { host: new URL(DEFAULTS.issuer).host };
const BY_HAND = { ...OWN, 'sec-fetch-site': 'same-origin' };

const shownToken = (body: string): string =>
  /<pre tabindex="0">([\w.-]{60,})<\/pre>/u.exec(body)?.[1] ?? assert.fail(`no token in ${body}`);

test('GET /: 200 with a page that says what the server is, and nothing about it', async () => {
  const { status, headers, body } = await testTenant().send('start-page', { headers: OWN });
  assert.equal(status, 200);
  assert.match(headers['content-type'] ?? '', /^text\/html/u);
  assert.match(headers['content-security-policy'] ?? '', /^default-src 'none';/u);
  assert.match(body, /<h1>Sign-in server<\/h1>/u);
  assert.doesNotMatch(body, /0\.1\.0|curl|development/u);
});

test('GET /: 200 in the language of the browser', async () => {
  const headers = { ...OWN, 'accept-language': 'de' };
  assert.match((await testTenant().send('start-page', { headers })).body, /<h1>Anmeldeserver<\/h1>/u);
});

test('GET / in development: 200 with version, commands and the latest refusals, escaped', async () => {
  const { status, body } = await testTenant({ development: FACTS }).send('start-page', { headers: OWN });
  assert.equal(status, 200);
  assert.match(body, /Chancery 1\.2\.3 runs in development mode/u);
  assert.match(body, /<td>08:00:00<\/td><td>token<\/td><td>401<\/td>/u);
  assert.ok(body.includes('&lt;b&gt;wrong&lt;/b&gt; or expired secret'));
  assert.ok(body.includes(`grant_type=client_credentials ${DEFAULTS.issuer}/token`));
});

test('GET / in development: 200 with the plain page for a host that is not that of the issuer (DNS rebinding)', async () => {
  const tenant = testTenant({ development: FACTS });
  for (const host of ['evil.example', 'op.example.com:1']) {
    const { status, body } = await tenant.send('start-page', { headers: { host } });
    assert.equal(status, 200);
    assert.match(body, /<h1>Sign-in server<\/h1>/u);
  }
});

test('POST / in development: 200 with an initial access token, good for one registration', async () => {
  const tenant = testTenant({ development: FACTS });
  const { status, body } = await tenant.send('start-page-token', { headers: BY_HAND });
  assert.equal(status, 200);
  const bearer = shownToken(body);
  const registered = await tenant.send('client-registration', { bearer, json: WEB_CLIENT });
  assert.equal(registered.status, 200);
  assert.equal((await tenant.send('client-registration', { bearer, json: WEB_CLIENT })).status, 401);
});

test('POST / in development: 400 for a form of another site, and nothing is made', async () => {
  const tenant = testTenant({ development: FACTS });
  for (const headers of [
    OWN,
    { ...OWN, 'sec-fetch-site': 'cross-site' },
    { ...OWN, origin: 'https://evil.example' },
  ]) {
    const { status, body } = await tenant.send('start-page-token', { headers });
    assert.equal(status, 400);
    assert.doesNotMatch(body, /<pre/u);
  }
});

test('POST / in development: 404 for a host that is not that of the issuer', async () => {
  const headers = { ...BY_HAND, host: 'evil.example' };
  const { status } = await testTenant({ development: FACTS }).send('start-page-token', { headers });
  assert.equal(status, 404);
});

test('in production there is no button: only GET has a route', async () => {
  const { endpoints } = await testTenant().site();
  const methods = endpoints
    .filter(({ contract }) => contract.path === '/')
    .map(({ contract }) => contract.method);
  assert.deepEqual(methods, ['GET']);
});

test('an issuer with a path answers without the slash at its end too', async () => {
  const { issuerPath, endpointsOutsideIssuer = [] } = await testTenant().site();
  assert.ok(endpointsOutsideIssuer.some(({ contract }) => contract.path === issuerPath));
});

for (const name of ['start-page', 'start-page-token']) {
  test(`${name}: 500 with an error page for a defect`, async () => {
    const tenant = testTenant({ development: FACTS });
    const endpoint = await tenant.endpoint(name);
    const broken = {
      ...endpoint,
      handle: () => {
        throw new Error('defect');
      },
    };
    const { status, headers } = await tenant.ask(broken, { headers: BY_HAND });
    assert.equal(status, 500);
    assert.match(headers['content-type'] ?? '', /^text\/html/u);
  });
}
