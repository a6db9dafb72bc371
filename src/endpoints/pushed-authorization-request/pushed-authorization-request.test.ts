import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Fields, formText } from '../../../test/program/code-request.ts';
import { configurationUrl } from '../../federation/entity-id.ts';
import { asserted, claimsOf, KEY } from '../../testing/assertion.ts';
import { assertBusyForClientKeys } from '../../testing/busy-for-client-keys.ts';
import { assertBusy, busyOutbound, NO_SLOT } from '../../testing/busy-outbound.ts';
import { type Answer, assertBodiless, assertError, assertUncached } from '../../testing/exchange.ts';
import { ANCHOR, federatedTenant, ORG, RP } from '../../testing/federated-tenant.ts';
import { signedJwt } from '../../testing/jwt.ts';
import { answeredTo, aPerson, authorizationUrl, RELYING_PARTY } from '../../testing/person.ts';
import { CALLBACK, type ClientInformation, ISSUER, testTenant } from '../../testing/tenant.ts';

const tenant = testTenant();

const strictClient = await tenant.register({ ...RELYING_PARTY, require_pushed_authorization_requests: true });

const ada = await aPerson(tenant);

const client = await tenant.register(RELYING_PARTY);

const limited = testTenant({ settings: { 'interaction.rate-per-network': 1 } });

const publicClient = await limited.register({ ...RELYING_PARTY, token_endpoint_auth_method: 'none' });

const confidential = await limited.register(RELYING_PARTY);

async function push(as: ClientInformation, change: Fields = {}): Promise<Answer> {
  const form = Object.fromEntries(new URL(authorizationUrl(as, change)).searchParams);
  const basic = as.client_secret === '' ? {} : { basic: [as.client_id, as.client_secret] as const };
  return await tenant.send('pushed-authorization-request', { ...basic, form: formText(form) });
}

const addressOf = (as: ClientInformation, { json }: Answer): string =>
  `${ISSUER}/authorize?${formText({ client_id: as.client_id, request_uri: String(json['request_uri']) })}`;

// proves rfc9126-2.2-1, rfc9126-7.3-1
test('a pushed request: 201 with a reference that is good once, for its client (RFC 9126 §2.2)', async () => {
  const pushed = await push(strictClient, { state: 'pushed' });
  assert.equal(pushed.status, 201, pushed.body);
  assert.match(String(pushed.json['request_uri']), /^urn:ietf:params:oauth:request_uri:[A-Za-z0-9]{43}$/);
  assert.equal(pushed.json['expires_in'], 60);
  assertUncached(pushed);
  await ada.grant(await tenant.register(RELYING_PARTY));
  const answered = await ada.browser.open(addressOf(strictClient, pushed));
  assert.equal(answeredTo(answered)['state'], 'pushed');
  assert.equal((await ada.browser.open(addressOf(strictClient, pushed))).status, 400, 'used');
});

// proves rfc9126-2.2-1
test('a request_uri of another client: refused, and still good for its own (RFC 9126 §2.2)', async () => {
  const other = await tenant.register(RELYING_PARTY);
  const pushed = await push(strictClient);
  assert.equal((await ada.browser.visit(addressOf(other, pushed))).status, 400);
  assert.ok(answeredTo(await ada.browser.open(addressOf(strictClient, pushed)))['code']);
});

// proves rfc9126-4-1
test('what is in the address beside the reference does not count (RFC 9126 §4)', async () => {
  const pushed = await push(strictClient, { state: 'pushed' });
  const answered = await ada.browser.open(`${addressOf(strictClient, pushed)}&state=other&scope=email`);
  assert.equal(answeredTo(answered)['state'], 'pushed');
});

// proves rfc9126-6-1
test('a client that registered to push its requests cannot ask otherwise, by GET or POST (RFC 9126 §6)', async () => {
  assert.equal(
    answeredTo(await ada.browser.visit(authorizationUrl(strictClient)))['error'],
    'invalid_request',
  );
  const form = Object.fromEntries(new URL(authorizationUrl(strictClient)).searchParams);
  const posted = await ada.browser.visit(`${ISSUER}/authorize`, form);
  assert.equal(answeredTo(posted)['error'], 'invalid_request');
});

// proves rfc9126-2-1
test('201: a public client pushes by saying who it is (RFC 9126 §2.1)', async () => {
  const spa = await tenant.register({ ...RELYING_PARTY, token_endpoint_auth_method: 'none' });
  assert.equal((await push(spa)).status, 201);
});

// proves rfc9126-2.2-1
test('a reference that has expired: refused', async () => {
  const pushed = await push(strictClient);
  tenant.clock.advance(60);
  assert.equal((await ada.browser.visit(addressOf(strictClient, pushed))).status, 400);
});

const REFUSED: readonly (readonly [title: string, error: string, change: Fields])[] = [
  ['another redirect_uri', 'invalid_request', { redirect_uri: 'https://evil.example/' }],
  ['a request_uri in it (§2.1)', 'invalid_request', { request_uri: 'urn:ietf:params:oauth:request_uri:x' }],
  ['a request object that is none', 'invalid_request_object', { request: 'a.b.c' }],
  ['a response type it is not registered for', 'unauthorized_client', { response_type: 'id_token' }],
  ['code_challenge_method plain', 'invalid_request', { code_challenge_method: 'plain' }],
  ['a malformed scope', 'invalid_scope', { scope: 'a"b' }],
  ['prompt none with another', 'invalid_request', { prompt: 'none login' }],
];

for (const [title, error, change] of REFUSED) {
  // proves rfc9126-2.1-1, rfc9126-2.3-1
  test(`POST /par, ${title}: 400 ${error} as JSON, wherever answers would go (RFC 9126 §2.3)`, async () => {
    const form = Object.fromEntries(new URL(authorizationUrl(client, change)).searchParams);
    tenant.watch.calls.length = 0;
    const answered = await tenant.send('pushed-authorization-request', {
      basic: [client.client_id, client.client_secret],
      form: formText(form),
    });
    if (error.startsWith('invalid_request_')) assert.equal(answered.json['error'], error);
    else assertError(answered, error);
    assert.equal(answered.status, 400);
    assert.equal(answered.headers['location'], undefined);
    assert.equal(tenant.watch.calls.includes('interactions.begin'), false);
  });
}

const form = Object.fromEntries(new URL(authorizationUrl(client)).searchParams);

// proves rfc9126-2-1
test('POST /par without authentication of a client that authenticates: 401 invalid_client (RFC 9126 §2.1)', async () => {
  assertError(await tenant.send('pushed-authorization-request', { form }), 'invalid_client');
});

// proves rfc9126-2-1
test('POST /par with a wrong secret: 401 invalid_client', async () => {
  const answered = await tenant.send('pushed-authorization-request', {
    basic: [client.client_id, 'wrong'],
    form,
  });
  assertError(answered, 'invalid_client');
});

// proves rfc9126-2-1
test('POST /par for another client than the one that authenticates: 401 invalid_client (RFC 9126 §2.1)', async () => {
  const other = await tenant.register(RELYING_PARTY);
  const answered = await tenant.send('pushed-authorization-request', {
    basic: [other.client_id, other.client_secret],
    form,
  });
  assertError(answered, 'invalid_client');
});

async function pushFrom(client: ClientInformation, from: string): Promise<Answer> {
  const form = Object.fromEntries(new URL(authorizationUrl(client)).searchParams);
  const proof =
    client.client_secret === '' ? {} : { basic: [client.client_id, client.client_secret] as const };
  return await limited.send('pushed-authorization-request', { ...proof, form: formText(form), from });
}

test('POST /par of a public client, more from a network than may wait: 429 as JSON with Retry-After (RFC 9126 §2.3)', async () => {
  assert.equal((await pushFrom(publicClient, '192.0.2.7')).status, 201);
  const refused = await pushFrom(publicClient, '192.0.2.7');
  assert.deepEqual([refused.status, refused.json['error']], [429, 'temporarily_unavailable']);
  assert.equal(refused.headers['retry-after'], '60');
  assert.equal((await pushFrom(publicClient, '192.0.2.8')).status, 201);
});

test('H-250 POST /par of a public client asks the rate limit before it reads the request: an unsound one counts', async () => {
  const unsound = async (): Promise<Answer> =>
    await limited.send('pushed-authorization-request', {
      form: formText({ client_id: publicClient.client_id, request: 'e30.e30.AA' }),
      from: '192.0.2.17',
    });
  assert.equal((await unsound()).status, 400);
  assert.equal((await unsound()).status, 429);
});

test('POST /par of a client that proves itself is not limited', async () => {
  for (let count = 0; count < 3; count += 1)
    assert.equal((await pushFrom(confidential, '192.0.2.9')).status, 201);
});

test('POST /par, the storage fails: 500 without body', async () => {
  const tenant = testTenant();
  const client = await tenant.register(RELYING_PARTY);
  tenant.watch.fail(new Error('disk is full'), 'interactions.begin');
  const answered = await tenant.send('pushed-authorization-request', {
    basic: [client.client_id, client.client_secret],
    form: Object.fromEntries(new URL(authorizationUrl(client)).searchParams),
  });
  assertBodiless(answered, 500);
});

test('POST /par: 503 with Retry-After while the server is too busy to fetch the keys of the client (decision 50)', async () => {
  await assertBusyForClientKeys('pushed-authorization-request', {});
});

test('POST /par: 503 with Retry-After while the server is too busy to fetch the keys of a request object (decision 50)', async () => {
  const { outbound, causes } = busyOutbound();
  const busy = testTenant({ outbound });
  const jwks_uri = 'https://client.example/jwks.json';
  const { client_id, client_secret } = await busy.register({ ...RELYING_PARTY, jwks_uri });
  const request = signedJwt(KEY, { iss: client_id, aud: ISSUER, client_id });
  const form = { client_id, request, redirect_uri: CALLBACK, response_type: 'code' };
  assertBusy(await busy.send('pushed-authorization-request', { basic: [client_id, client_secret], form }));
  assert.equal(causes.length, 1);
});

test('an unregistered entity, at /par and /authorize while the server is too busy to search for its trust chain: 503 with Retry-After, and a search for another network begins anew (decision 50; OpenID Federation 1.0 §12.1)', async () => {
  const automatic = await federatedTenant({ 'federation.automatic-registration': true });
  const { documents } = automatic.federation;
  automatic.federation.join(RP, [ORG], {
    metadata: {
      openid_relying_party: {
        redirect_uris: [CALLBACK],
        jwks: { keys: [RP.key.jwk] },
        client_registration_types: ['automatic'],
      },
    },
  });
  const anchor = documents.get(configurationUrl(ANCHOR.id)) ?? '';
  let busy = 1;
  documents.set(configurationUrl(ANCHOR.id), async () => {
    busy -= 1;
    if (busy >= 0) return await Promise.resolve(NO_SLOT);
    const mediaType = 'application/entity-statement+jwt';
    return { status: 'ok', body: Buffer.from(String(anchor)), mediaType };
  });
  const sent = (from: string): Promise<Answer> => {
    const form = asserted(signedJwt(RP.key, claimsOf(RP.id)), {
      client_id: RP.id,
      request: signedJwt(RP.key, { iss: RP.id, aud: ISSUER, client_id: RP.id }),
    });
    return automatic.send('pushed-authorization-request', { form, from });
  };
  const [refused, searchedAnew] = await Promise.all([sent('198.51.100.7'), sent('203.0.113.7')]);
  assert.deepEqual([refused.status, refused.json['error']], [503, 'temporarily_unavailable']);
  assert.equal(refused.headers['retry-after'], '7');
  assert.notEqual(searchedAnew.status, 503, searchedAnew.body);
  const other = `${RP.id}/other`;
  documents.set(configurationUrl(other), async () => await Promise.resolve(NO_SLOT));
  const page = await automatic.send('authorization', {
    query: formText({ client_id: other, request: 'a.b.c', redirect_uri: CALLBACK, response_type: 'code' }),
  });
  assert.deepEqual([page.status, page.headers['retry-after']], [503, '7']);
});
