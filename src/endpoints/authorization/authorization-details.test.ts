import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Fields, VERIFIER } from '../../../test/program/code-request.ts';
import { parseExactly } from '../../spec/exact-json.ts';
import {
  ACCOUNTS,
  askToken,
  DETAIL_SETTINGS,
  DETAILED_CLIENT,
  PAYMENT,
  payment,
} from '../../testing/authorization-details.ts';
import { aDevice, enter, TELEVISION } from '../../testing/device.ts';
import { type Answer, assertError } from '../../testing/exchange.ts';
import { signedJwt, testKey } from '../../testing/jwt.ts';
import { answeredTo, aPerson, authorizationUrl } from '../../testing/person.ts';
import {
  CALLBACK,
  type ClientInformation,
  ISSUER,
  MASTER,
  SERVICE,
  testTenant,
} from '../../testing/tenant.ts';

const tenant = testTenant({ settings: DETAIL_SETTINGS });
const KEY = testKey('ES256');
const client = await tenant.register({ ...DETAILED_CLIENT, jwks: { keys: [KEY.jwk] } });
const ada = await aPerson(tenant);
const DETAILS = JSON.stringify([payment()]);

async function granted(url: string): Promise<Answer> {
  let page = await ada.browser.open(url);
  if (page.html.includes('name="password"')) page = await ada.signIn(page);
  page = await ada.browser.submit(page, 'allow');
  const { code = '' } = answeredTo(page);
  const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER };
  const answer = await askToken(tenant, client, form);
  assert.equal(answer.status, 200, answer.body);
  return answer;
}

const detailsOf = ({ json }: Answer): unknown => json['authorization_details'];

// proves rfc9396-3-1
test('a request with scope and details gives both; one with details alone gives no default scope (RFC 9396 §3)', async () => {
  const both = await granted(authorizationUrl(client, { authorization_details: DETAILS }));
  assert.deepEqual([both.json['scope'], detailsOf(both)], ['openid', [payment()]]);
  const alone = await granted(authorizationUrl(client, { scope: undefined, authorization_details: DETAILS }));
  assert.deepEqual([alone.json['scope'], detailsOf(alone)], ['', [payment()]]);
});

// proves rfc9396-3.2-1
test('resource does not change the details that are asked for: the end-user sees all of them (RFC 9396 §3.2)', async () => {
  const other = payment({ locations: ['https://other.example/'] });
  const page = await ada.ask(client, {
    authorization_details: JSON.stringify([payment(), other]),
    resource: 'https://example.com/payments',
  });
  assert.equal(page.html.split('Merchant A').length, 3, page.html);
});

// proves rfc9396-2-1
test('a signed request object has the details as a JSON array, or as a text with one (RFC 9396 §2, RFC 9101 §4)', async () => {
  for (const authorization_details of [[payment()], DETAILS]) {
    const { searchParams } = new URL(authorizationUrl(client));
    const claims = {
      ...Object.fromEntries(searchParams),
      iss: client.client_id,
      aud: ISSUER,
      authorization_details,
    };
    const request = signedJwt(KEY, claims);
    const url = authorizationUrl(client, { request, authorization_details: '[]' });
    assert.deepEqual(detailsOf(await granted(url)), [payment()]);
  }
});

// H-729
test('a number of a signed request object that would change is refused, and not granted as another one (RFC 9396 §5)', async () => {
  const { searchParams } = new URL(authorizationUrl(client));
  const claims = {
    ...Object.fromEntries(searchParams),
    iss: client.client_id,
    aud: ISSUER,
    authorization_details: parseExactly(`[{"type":"${ACCOUNTS.type}","note":9999999999999.999}]`),
  };
  const answered = answeredTo(await ada.ask(client, { request: signedJwt(KEY, claims) }));
  assert.equal(answered['error'], 'invalid_authorization_details');
  assert.match(answered['error_description'] ?? '', /the number '9999999999999.999', which not every reader/);
});

async function push(as: ClientInformation, change: Fields): Promise<Answer> {
  const { searchParams } = new URL(authorizationUrl(as, change));
  return await tenant.send('pushed-authorization-request', {
    basic: [as.client_id, as.client_secret],
    form: Object.fromEntries(searchParams),
  });
}

// proves rfc9396-3-2
test('a pushed request has details, and a wrong one is refused when it is pushed: 400 invalid_authorization_details (RFC 9396 §5, RFC 9126 §2.3)', async () => {
  const pushed = await push(client, { authorization_details: DETAILS });
  assert.equal(pushed.status, 201, pushed.body);
  const { client_id } = client;
  const query = new URLSearchParams({ client_id, request_uri: String(pushed.json['request_uri']) });
  assert.deepEqual(detailsOf(await granted(`${ISSUER}/authorize?${String(query)}`)), [payment()]);
  const wrong = await push(client, { authorization_details: '[{"type":"x"}]' });
  assertError(wrong, 'invalid_authorization_details', /has type 'x'/);
});

/** Requests that go back to the client at once. */
const REFUSED: readonly (readonly [what: string, change: Fields, words: RegExp])[] = [
  ['an unknown type', { authorization_details: '[{"type":"x"}]' }, /has type 'x'/],
  ['no JSON', { authorization_details: 'payment' }, /must be a JSON array/],
  [
    'a wrong member',
    { authorization_details: JSON.stringify([payment({ actions: ['steal'] })]) },
    /breaks the schema/,
  ],
  ['too much', { authorization_details: `[${' '.repeat(8192)}]` }, /at most 8192 characters/],
  [
    'a token from the authorisation endpoint',
    { authorization_details: DETAILS, response_type: 'code token' },
    /need response_type code/,
  ],
];

for (const [what, change, words] of REFUSED) {
  // proves rfc9396-5-1, rfc9396-5-2
  test(`a request with ${what} goes back with invalid_authorization_details and its state, before anyone signs in (RFC 9396 §5)`, async () => {
    const as = await tenant.register({
      ...DETAILED_CLIENT,
      grant_types: ['authorization_code', 'implicit'],
      response_types: ['code', 'code token'],
    });
    const answered = answeredTo(await ada.ask(as, change));
    assert.deepEqual(
      [answered['error'], answered['state'], answered['iss']],
      ['invalid_authorization_details', 'af0ifjsldkj', ISSUER],
    );
    assert.match(answered['error_description'] ?? '', words);
  });
}

test('a client whose type is withdrawn while the page waits gets invalid_authorization_details', async () => {
  const as = await tenant.register(DETAILED_CLIENT);
  const page = await ada.ask(as, { authorization_details: DETAILS });
  const json = { ...DETAILED_CLIENT, authorization_details_types: [ACCOUNTS.type] };
  const updated = await tenant.send('client-update', { bearer: MASTER, id: as.client_id, json });
  assert.equal(updated.status, 200, updated.body);
  const answered = answeredTo(await ada.browser.submit(page, 'allow'));
  assert.equal(answered['error'], 'invalid_authorization_details');
});

test('a device asks with details, its person sees them, and it gets them (RFC 9396 §3, RFC 8628 §3.1)', async () => {
  const television = await tenant.register({ ...TELEVISION, authorization_details_types: [PAYMENT.type] });
  const device = await aDevice(tenant, television, { authorization_details: DETAILS });
  const page = await enter(ada, device.codes.user_code);
  assert.match(page.html, /Merchant A/);
  await ada.browser.submit(page, 'allow');
  const answer = await device.poll();
  assert.deepEqual([answer.json['scope'], detailsOf(answer)], ['', [payment()]], answer.body);
  const wrong = await aDevice(tenant, television, { authorization_details: '[{"type":"x"}]' });
  assertError(wrong.begun, 'invalid_authorization_details');
});

// proves rfc9396-10-1
test('discovery lists the types of the settings; without types the member is absent (RFC 9396 §10)', async () => {
  const member = 'authorization_details_types_supported';
  const { json } = await tenant.send('openid-configuration');
  assert.deepEqual(json[member], [PAYMENT.type, ACCOUNTS.type]);
  assert.equal(member in (await testTenant().send('openid-configuration')).json, false);
});

// proves rfc9396-10-2
test('authorization_details_types is registered, read, updated and removed; a type of no server is dropped beside others (RFC 9396 §10, RFC 7592 §2)', async () => {
  const member = 'authorization_details_types';
  const registered = await tenant.register({ ...SERVICE, [member]: [ACCOUNTS.type, 'x'] });
  const of = { id: registered.client_id, bearer: MASTER };
  assert.deepEqual((await tenant.send('client-read', of)).json[member], [ACCOUNTS.type]);
  const updated = await tenant.send('client-update', {
    ...of,
    json: { ...SERVICE, [member]: [PAYMENT.type] },
  });
  assert.deepEqual(updated.json[member], [PAYMENT.type]);
  const removed = await tenant.send('client-update', { ...of, json: SERVICE });
  assert.equal(member in removed.json, false);
  const only = await tenant.send('client-registration', {
    bearer: MASTER,
    json: { ...SERVICE, [member]: ['x'] },
  });
  assertError(only, 'invalid_client_metadata', /supported: payment_initiation, account_information/);
});

// H-635
test('a client cannot give itself a type: authorization_details_types needs the master token or client-reg', async () => {
  const json = { ...SERVICE, authorization_details_types: [PAYMENT.type] };
  const narrow = await tenant.initialToken('client-reg:grant:client', 'client-reg:data', 'client-reg:scope');
  const refused = await tenant.send('client-registration', { bearer: narrow, json });
  assertError(refused, 'insufficient_scope', /: client-reg$/);
  const own = await tenant.register(SERVICE);
  const bearer = own.registration_access_token;
  const updated = await tenant.send('client-update', { bearer, id: own.client_id, json });
  assert.equal('authorization_details_types' in updated.json, false, updated.body);
});
