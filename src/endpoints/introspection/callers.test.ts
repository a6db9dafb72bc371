import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ASSERTING, asserted, claimsOf } from '../../testing/assertion.ts';
import { assertBusyForClientKeys } from '../../testing/busy-for-client-keys.ts';
import { type Answer, assertError } from '../../testing/exchange.ts';
import {
  clientInformationOf,
  DEFAULTS,
  INTROSPECTION_SCOPE,
  ISSUER,
  MASTER,
  SERVICE,
  type TestTenant,
  testTenant,
} from '../../testing/tenant.ts';

const form = { token: 'x' };

const RESOURCE_SERVER = { ...SERVICE, scope: INTROSPECTION_SCOPE };

function assertInvalidClient(answered: Answer, challenge: string | undefined): void {
  assertError(answered, 'invalid_client');
  assert.equal(answered.headers['www-authenticate'], challenge);
}

const BASIC = `Basic realm="${ISSUER}", charset="UTF-8"`;

const BEARER = 'Bearer error="invalid_token", error_description="the bearer token is not valid"';

// proves rfc7662-2.1-4, rfc9701-5-1, rfc6750-3-4
test('no credentials: 401 invalid_client (interface, Errors)', async () => {
  assertInvalidClient(await testTenant().send('introspection', { form }), undefined);
});

// proves rfc7662-2.1-4, rfc7662-2.3-1
test('401: unknown client, wrong secret, wrong method: the same 401 invalid_client (decision 19)', async () => {
  const tenant = testTenant({ settings: { 'client-authentication.secret-transport': 'registered' } });
  const { client_id } = await tenant.register(RESOURCE_SERVER);
  const post = await tenant.register({
    ...RESOURCE_SERVER,
    token_endpoint_auth_method: 'client_secret_post',
  });
  const answers = [
    await tenant.send('introspection', { basic: ['nobody', 'x'], form }),
    await tenant.send('introspection', { basic: [client_id, 'x'], form }),
    await tenant.send('introspection', { basic: [post.client_id, post.client_secret], form }),
  ];
  for (const answered of answers) {
    assertInvalidClient(answered, BASIC);
    assert.deepEqual(answered, answers[0]);
  }
});

test('401: H-127 an expired secret is answered like a wrong one, byte for byte (decision 19)', async () => {
  const tenant = testTenant({ settings: { 'registration.client-secret-lifetime': 60 } });
  const { client_id, client_secret } = await tenant.register(RESOURCE_SERVER);
  const ask = async (secret: string): Promise<Answer> =>
    await tenant.send('introspection', { basic: [client_id, secret], form });
  assert.equal((await ask(client_secret)).status, 200);
  tenant.clock.advance(60);
  const expired = await ask(client_secret);
  assertInvalidClient(expired, BASIC);
  assert.deepEqual(expired, await ask(`${client_secret.slice(0, -1)}~`));
});

// proves rfc7662-2.3-1
test('an unknown, malformed, expired or revoked bearer token: 401 invalid_client with a Bearer challenge (decision 6)', async () => {
  const tenant = testTenant();
  const client = await tenant.register(RESOURCE_SERVER);
  const revoked = await tenant.authorize({ client_id: client.client_id, scope: [INTROSPECTION_SCOPE] });
  await tenant.send('client-delete', { bearer: MASTER, id: client.client_id });
  const other = await tenant.register(RESOURCE_SERVER);
  const expired = await tenant.authorize({ client_id: other.client_id, scope: [INTROSPECTION_SCOPE] });
  tenant.clock.advance(DEFAULTS['access-token.lifetime']);
  for (const authorization of [
    'Bearer',
    'Bearer x',
    'bearer x y',
    `Bearer ${revoked}`,
    `Bearer ${expired}`,
    `Bearer ${MASTER}`,
    `Bearer ${other.registration_access_token}`,
  ]) {
    assertInvalidClient(await tenant.send('introspection', { authorization, form }), BEARER);
  }
});

test('H-236 a bearer token longer than limits.bearer-token: 401 without a look-up, and the log names the setting', async () => {
  const tenant = testTenant({ settings: { 'limits.bearer-token': 1000 } });
  const refused = await tenant.send('introspection', { bearer: 'a'.repeat(1001), form });
  assertInvalidClient(refused, BEARER);
  assert.deepEqual(
    tenant.watch.calls.filter((call) => call.startsWith('accessTokens.')),
    [],
  );
  assertInvalidClient(await tenant.send('introspection', { bearer: 'a'.repeat(1000), form }), BEARER);
});

test('authentication comes before the form: 401 for any form without authentication (decision 22)', async () => {
  const tenant = testTenant();
  for (const each of ['', 'token=%', 'token=x&token=x']) {
    assertInvalidClient(await tenant.send('introspection', { form: each }), undefined);
    assertInvalidClient(await tenant.send('introspection', { bearer: 'x', form: each }), BEARER);
    assertInvalidClient(await tenant.send('introspection', { basic: ['nobody', 'x'], form: each }), BASIC);
  }
  assertInvalidClient(
    await tenant.send('introspection', { form, contentType: 'application/json' }),
    undefined,
  );
});

test('401: a caller that is not authenticated costs no look-up of the token (decision 22)', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register(SERVICE);
  const token = await tenant.authorize({ client_id, scope: ['read'] });
  tenant.watch.calls.length = 0;
  assertInvalidClient(
    await tenant.send('introspection', { basic: [client_id, 'x'], form: { token } }),
    BASIC,
  );
  assert.deepEqual(tenant.watch.calls, ['clients.find']);
});

test('401: a refused caller does not wait for the token, and does not learn that its look-up failed (decision 22)', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register(RESOURCE_SERVER);
  const token = await tenant.authorize({ client_id, scope: ['read'] });
  tenant.watch.before('clients.find', async () => {
    tenant.watch.fail(new Error('gone'), 'accessTokens.find');
    await Promise.resolve();
  });
  assertInvalidClient(
    await tenant.send('introspection', { basic: [client_id, 'x'], form: { token } }),
    BASIC,
  );
  assert.ok(tenant.watch.calls.includes('accessTokens.find'));
  assert.equal(tenant.reports.length, 1);
});

const LACKING = [
  undefined,
  '',
  'read',
  `${INTROSPECTION_SCOPE}/`,
  INTROSPECTION_SCOPE.toUpperCase(),
  ISSUER,
  'introspect',
];

for (const scope of LACKING) {
  // proves rfc7662-4-4
  test(`a client registered with scope ${String(scope)}: 403 access_denied (decision 21)`, async () => {
    const tenant = testTenant();
    const { client_id, client_secret } = await tenant.register(
      scope === undefined ? SERVICE : { ...SERVICE, scope },
    );
    const answered = await tenant.send('introspection', {
      basic: [client_id, client_secret],
      form: { token: 'x' },
    });
    assertError(answered, 'access_denied');
    assert.equal(answered.headers['www-authenticate'], undefined);
  });
}

test('a bearer token without the scope, of a client that has it: 403 access_denied (decision 21)', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register({ ...SERVICE, scope: `${INTROSPECTION_SCOPE} read` });
  const bearer = await tenant.authorize({ client_id, scope: ['read'] });
  assertError(await tenant.send('introspection', { bearer, form: { token: bearer } }), 'access_denied');
});

test('403: the same 403 for a live, an expired and a junk token, without a look-up (decision 21)', async () => {
  const tenant = testTenant();
  const { client_id, client_secret } = await tenant.register(SERVICE);
  const expired = await tenant.authorize({ client_id, scope: ['read'] });
  tenant.clock.advance(DEFAULTS['access-token.lifetime']);
  const live = await tenant.authorize({ client_id, scope: ['read'] });
  tenant.watch.calls.length = 0;
  const answers = await Promise.all(
    [live, expired, 'junk'].map(
      async (token) =>
        await tenant.send('introspection', { basic: [client_id, client_secret], form: { token } }),
    ),
  );
  for (const answered of answers) assert.deepEqual(answered, answers[0]);
  assert.equal(tenant.watch.calls.includes('accessTokens.find'), false);
});

test('403: the scope is taken from the registration as it is now, not as it was (decision 21)', async () => {
  const tenant = testTenant();
  const client = await tenant.register({ ...SERVICE, scope: INTROSPECTION_SCOPE });
  const request = { bearer: client.registration_access_token, id: client.client_id, json: SERVICE };
  const updated = await tenant.send('client-update', request);
  const basic = [client.client_id, String(updated.json['client_secret'])] as const;
  assertError(await tenant.send('introspection', { basic, form: { token: 'x' } }), 'access_denied');
});

for (const [method, make] of Object.entries(ASSERTING)) {
  test(`introspection with ${method}: 200 for a client of the introspection scope, 403 for another (interface, Authentication 4; decision 21)`, async () => {
    const tenant = testTenant();
    const caller = await make(tenant, { scope: INTROSPECTION_SCOPE });
    const token = await tenant.authorize({ client_id: caller.client_id, scope: ['read'] });
    const inspect = (assertion: string) =>
      tenant.send('introspection', { form: asserted(assertion, { token }) });
    const active = await inspect(caller.sign(claimsOf(caller.client_id)));
    assert.equal(active.status, 200, active.body);
    assert.equal(active.json['active'], true);
    const unfit = await make(tenant, { scope: 'read' });
    assertError(await inspect(unfit.sign(claimsOf(unfit.client_id))), 'access_denied');
  });

  // proves rfc7523-3.2-1
  test(`introspection with ${method}: the client is authenticated before the form is read, a bad assertion is 401 (decision 22)`, async () => {
    const tenant = testTenant();
    const caller = await make(tenant, { scope: INTROSPECTION_SCOPE });
    const form = asserted(caller.sign(claimsOf(caller.client_id)));
    assertError(await tenant.send('introspection', { form }), 'invalid_request', /^token is missing$/);
    const bad = asserted(caller.sign(claimsOf(caller.client_id, { aud: INTROSPECTION_SCOPE })), {
      token: 'x',
    });
    tenant.watch.calls.length = 0;
    const refused = await tenant.send('introspection', { form: bad });
    assertError(refused, 'invalid_client');
    assert.equal(refused.headers['www-authenticate'], undefined);
    assert.deepEqual(tenant.watch.calls, ['clients.find']);
  });
}

const RESOURCE = 'https://rs.example/api';

interface Callers {
  readonly tenant: TestTenant;
  /** Whether a token of this audience is told to: a caller of no resource; one that is RESOURCE; a bearer of its token. */
  readonly told: (audience: readonly string[] | undefined) => Promise<readonly boolean[]>;
  readonly names: readonly string[];
}

async function callers(audience: 'any' | 'match'): Promise<Callers> {
  const tenant = testTenant({ settings: { 'introspection.audience': audience } });
  const plain = await tenant.register(RESOURCE_SERVER);
  const owner = await tenant.register({ ...RESOURCE_SERVER, resource_identifiers: ['urn:x', RESOURCE] });
  const bearer = await tenant.authorize({ client_id: owner.client_id, scope: [INTROSPECTION_SCOPE] });
  const told: Callers['told'] = async (aud) => {
    const request = { client_id: plain.client_id, scope: ['read'] };
    const token = await tenant.authorize(aud === undefined ? request : { ...request, audience: aud });
    const form = { token };
    const answers = [
      await tenant.send('introspection', { basic: [plain.client_id, plain.client_secret], form }),
      await tenant.send('introspection', { basic: [owner.client_id, owner.client_secret], form }),
      await tenant.send('introspection', { bearer, form }),
    ];
    for (const { json, body } of answers) assert.ok(json['active'] === true || body === '{"active":false}');
    return answers.map(({ json }) => json['active'] === true);
  };
  return { tenant, told, names: [plain.client_id, owner.client_id] };
}

// proves rfc7662-4-4
test('introspection.audience any: a token is told to every caller, whatever its aud (decision 26)', async () => {
  const { told } = await callers('any');
  assert.deepEqual(await told(['https://other.example']), [true, true, true]);
});

// proves rfc7662-4-4, rfc9701-5-7
test('introspection.audience match: aud names the caller’s client_id or one of its resources, or the token is inactive (decision 26; RFC 7662 §4)', async () => {
  const { told, names } = await callers('match');
  const [plain = '', owner = ''] = names;
  assert.deepEqual(await told(undefined), [true, true, true]);
  assert.deepEqual(await told([RESOURCE]), [false, true, true]);
  assert.deepEqual(await told(['https://other.example', 'urn:x']), [false, true, true]);
  assert.deepEqual(await told([plain]), [true, false, false]);
  assert.deepEqual(await told(['https://other.example', owner]), [false, true, true]);
  assert.deepEqual(await told(['https://other.example']), [false, false, false]);
  assert.deepEqual(await told([`${RESOURCE}/`]), [false, false, false]);
  assert.deepEqual(await told([RESOURCE.toUpperCase()]), [false, false, false]);
});

test('resource_identifiers: absolute URIs without fragment, and a privilege like data: no client can name itself a resource (RFC 8707 §2)', async () => {
  const tenant = testTenant();
  for (const value of [
    'x',
    [],
    [''],
    ['x'],
    ['https://rs.example/#a'],
    ['/a'],
    [1],
    [RESOURCE, RESOURCE],
    {},
  ]) {
    const json = { ...SERVICE, resource_identifiers: value };
    const answered = await tenant.send('client-registration', { bearer: MASTER, json });
    if (Array.isArray(value) && value.length === 0) assert.equal(answered.status, 200);
    else assertError(answered, 'invalid_client_metadata', /^resource_identifiers(?:\[\d\])? /);
  }
  const json = { ...SERVICE, resource_identifiers: [RESOURCE] };
  const poor = await tenant.initialToken('client-reg:grant:client');
  const refused = await tenant.send('client-registration', { bearer: poor, json });
  assertError(refused, 'insufficient_scope');
  const rich = await tenant.initialToken('client-reg:grant:client', 'client-reg:data');
  const client = clientInformationOf(await tenant.send('client-registration', { bearer: rich, json }));
  assert.deepEqual(client.members['resource_identifiers'], [RESOURCE]);
});

test('POST /token/introspect: 503 with Retry-After while the server is too busy to fetch the keys of the client (decision 50)', async () => {
  await assertBusyForClientKeys('introspection', { token: 'x' });
});
