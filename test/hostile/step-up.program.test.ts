import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fields } from '../program/code-request.ts';
import type { PlainBrowser, Visit } from '../program/plain-browser.ts';
import { sha256 } from '../program/start.ts';
import { attackedProgram } from './attacked-program.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import {
  answered,
  authorizeUrl,
  browserAt,
  CALLBACK,
  call,
  type Registered,
  redeem,
  register,
} from './sign-in-world.ts';

/** Step-up as a client or an end-user sees it who wants a token that says more than is true. */
const PAGE = 'http://127.0.0.1:9/sign-in';
const PAGE_TOKEN = 'canary-token-of-the-own-sign-in-page-0123456789';
const WEAK = { subject: 'ada', acr: 'weak', amr: ['pwd'] };
const STRONG = { subject: 'ada', acr: 'strong', amr: ['pwd', 'otp'] };
let client: Registered;
let reader: Registered;
const attacked = attackedProgram(
  {
    environment: {
      CHANCERY_SIGN_IN_EXTERNAL_URL: PAGE,
      CHANCERY_SIGN_IN_TOKEN_SHA256: sha256(PAGE_TOKEN),
      CHANCERY_SIGN_IN_ACR_VALUES: 'weak,strong',
      CHANCERY_SIGN_IN_ACR_REQUIRED: 'true',
    },
  },
  async ({ program, secrets }) => {
    secrets.add(PAGE_TOKEN);
    client = await register(program);
    const scope = `${program.issuer}/token/introspect`;
    reader = await register(program, { redirect_uris: [], grant_types: ['client_credentials'], scope });
  },
);

/** Leads the browser to the client; the page reports `outcome` wherever the browser is sent there. */
async function through(browser: PlainBrowser, change: Fields, outcome: object): Promise<Visit> {
  const { program } = attacked;
  let visit = await browser.open(authorizeUrl(program, client, change));
  if (visit.location?.startsWith(PAGE) === true) {
    const handle = new URL(visit.location).searchParams.get('interaction') ?? '';
    const answer = await fetch(`${program.url}/interaction-api/${handle}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${PAGE_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(outcome),
    });
    const { redirect_to } = (await answer.json()) as { readonly redirect_to: string };
    visit = await browser.open(redirect_to);
  }
  return visit.html.includes('value="allow"') ? await browser.submit(visit, 'allow') : visit;
}

async function said(token: unknown): Promise<Readonly<Record<string, unknown>>> {
  const { json } = await call(attacked.program, '/token/introspect', reader, { token: String(token) });
  assert.equal(json['active'], true);
  const { acr, amr, auth_time } = json;
  return { acr, amr, auth_time };
}

test('H-384 a weak session asked silently for a strong one: login_required, and no code (RFC 9470 §5)', async () => {
  const browser = browserAt(attacked.program);
  assert.ok(answered(await through(browser, {}, WEAK))['code']);
  const given = answered(await through(browser, { acr_values: 'strong', prompt: 'none' }, STRONG));
  assert.deepEqual([given['error'], given['code']], ['login_required', undefined]);
});

test('H-384 a weak sign-in for a strong request: unmet_authentication_requirements, and the next request leads to the page again', async () => {
  const browser = browserAt(attacked.program);
  for (let round = 0; round < 2; round += 1) {
    const given = answered(await through(browser, { acr_values: 'strong' }, WEAK));
    assert.deepEqual([given['error'], given['code']], ['unmet_authentication_requirements', undefined]);
  }
  assert.ok(answered(await through(browser, { acr_values: 'strong' }, STRONG))['code']);
});

for (const change of [
  { max_age: '-1' },
  { max_age: '1e9' },
  { max_age: '999999999' },
  { max_age: '0x10' },
  { max_age: ' 1' },
  { acr_values: 'a '.repeat(600) },
]) {
  const shown = JSON.stringify(change).slice(0, 40);
  test(`H-385 ${shown}: invalid_request to the client, in an address and pushed`, async () => {
    const given = answered(
      await browserAt(attacked.program).open(authorizeUrl(attacked.program, client, change)),
    );
    assert.equal(given['error'], 'invalid_request');
    const pushed = await call(attacked.program, '/par', client, {
      response_type: 'code',
      redirect_uri: CALLBACK,
      scope: 'openid',
      ...change,
    });
    assert.deepEqual([pushed.status, pushed.json['error']], [400, 'invalid_request']);
  });
}

test('H-386 a client that acts for itself gets no acr, whatever its token request says', async () => {
  const forged = { acr: 'strong', acr_values: 'strong', amr: 'otp', auth_time: '9999999999', max_age: '0' };
  const { status, json } = await call(attacked.program, '/token', reader, {
    grant_type: 'client_credentials',
    ...forged,
  });
  assert.equal(status, 200);
  assert.deepEqual(await said(json['access_token']), {
    acr: undefined,
    amr: undefined,
    auth_time: undefined,
  });
});

test('H-387 a refresh says what the authorisation said, also after a stronger sign-in of the same end-user', async () => {
  const { program } = attacked;
  const browser = browserAt(program);
  const auth_time = Math.floor(Date.now() / 1000) - 1000;
  const { code } = answered(
    await through(browser, { scope: 'openid offline_access' }, { ...WEAK, auth_time }),
  );
  const first = await redeem(program, client, code);
  const expected = { acr: 'weak', amr: ['pwd'], auth_time };
  assert.deepEqual(await said(first.json['access_token']), expected);
  const { code: better } = answered(await through(browser, { acr_values: 'strong' }, STRONG));
  const second = await redeem(program, client, better);
  assert.equal((await said(second.json['access_token']))['acr'], 'strong');
  const refreshed = await call(program, '/token', client, {
    grant_type: 'refresh_token',
    refresh_token: String(first.json['refresh_token']),
    acr: 'strong',
    auth_time: String(auth_time + 1000),
  });
  assert.equal(refreshed.status, 200);
  assert.deepEqual(await said(refreshed.json['access_token']), expected);
});

testInvariantsAtTheEnd(attacked);
