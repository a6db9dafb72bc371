import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestOf } from '../../keys/digest.ts';
import {
  type Answer,
  assertBearerNeeded,
  assertInvalidToken,
  assertMissingScopes,
} from '../../testing/exchange.ts';
import { CALLBACK, DEFAULTS, DIRECT, MASTER, SERVICE, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';

// proves rfc7591-3-4, rfc6750-3-2, rfc6750-3-3
test('managed mode, no credentials: 401 with the bare challenge (decisions 5 and 6; RFC 6750 §3)', async () => {
  assertBearerNeeded(await testTenant().send('client-registration', { json: WEB_CLIENT }));
});

test('credentials come before the body: 401 even where the body is bad', async () => {
  assertBearerNeeded(await testTenant().send('client-registration', { body: '{', contentType: null }));
  assertInvalidToken(await testTenant().send('client-registration', { bearer: 'nobody', body: '{' }));
});

const FREE = String.raw`\(allowed without a token: authorization_code, implicit, refresh_token\)`;
const OPEN_REFUSALS: readonly (readonly [json: object, words: RegExp])[] = [
  [SERVICE, new RegExp(`: it must permit grant_types 'client_credentials' ${FREE}$`)],
  [
    { ...WEB_CLIENT, grant_types: ['authorization_code', 'password', 'telepathy'] },
    new RegExp(`: it must permit grant_types 'password' ${FREE}$`),
  ],
  [{ grant_types: ['urn:ietf:params:oauth:grant-type:jwt-bearer'] }, /jwt-bearer'/],
  [{ grant_types: ['urn:ietf:params:oauth:grant-type:saml2-bearer'] }, /saml2-bearer'/],
  [{ ...WEB_CLIENT, scope: 'openid' }, /: it must permit scope 'openid' \(allowed without a token: none\)$/],
  [{ ...WEB_CLIENT, data: {} }, /: it must permit data$/],
  [{ ...WEB_CLIENT, preferred_client_id: 'app' }, /: it must permit preferred_client_id$/],
  [
    { ...WEB_CLIENT, preferred_client_secret: 'a-secret-of-32-printable-letters', data: {}, scope: 'a b' },
    /: it must permit scope 'a', 'b' \(allowed without a token: none\) and data and preferred_client_secret$/,
  ],
  [
    { ...WEB_CLIENT, scope: 'a b c d e f g' },
    /: it must permit scope 'a', 'b', 'c', ... \(allowed without a token: none\)$/,
  ],
];

for (const [json, words] of OPEN_REFUSALS) {
  // proves rfc7591-6-1
  test(`in open mode ${JSON.stringify(json)} needs a token: 401 with the bare challenge (decision 6)`, async () => {
    const tenant = testTenant({ settings: { 'registration.allow-open-registration': true } });
    assertBearerNeeded(await tenant.send('client-registration', { json }), words);
  });
}

test('401: in open mode a scope value that is not configured needs a token (decision 6)', async () => {
  const tenant = testTenant({
    settings: { 'registration.allow-open-registration': true, 'registration.open-scope-values': ['openid'] },
  });
  assertBearerNeeded(
    await tenant.send('client-registration', { json: { ...WEB_CLIENT, scope: 'openid email' } }),
    /: it must permit scope 'email' \(allowed without a token: openid\)$/,
  );
});

test('the scope of OpenID Connect needs no token where the settings say so, and other values still do (ADR 108)', async () => {
  const settings = { 'registration.open-openid-scope': true, 'registration.open-scope-values': ['read'] };
  const open = testTenant({ settings: { ...settings, 'registration.allow-open-registration': true } });
  const register = async (scope: string | undefined, bearer?: string): Promise<Answer> => {
    const request = { json: { ...WEB_CLIENT, ...(scope === undefined ? {} : { scope }) } };
    return await open.send('client-registration', bearer === undefined ? request : { ...request, bearer });
  };
  assert.equal((await register('email openid read')).json['scope'], 'email openid read');
  assert.equal((await register(undefined)).json['scope'], 'read');
  for (const scope of ['openid write', 'OPENID', 'openid:x'])
    assertBearerNeeded(await register(scope), /: it must permit scope /);
  const narrow = await open.initialToken('client-reg:grant:code', 'client-reg:scope:read');
  assertMissingScopes(await register('openid', narrow), 'client-reg:scope:openid');
  const managed = testTenant({ settings });
  assertBearerNeeded(await managed.send('client-registration', { json: { ...WEB_CLIENT, scope: 'openid' } }));
});

test('401: in open mode an unknown token is refused, not ignored (decision 6)', async () => {
  const tenant = testTenant({ settings: { 'registration.allow-open-registration': true } });
  assertInvalidToken(await tenant.send('client-registration', { bearer: 'nobody', json: WEB_CLIENT }));
});

const HEADERS = [
  'Bearer',
  'Bearer ',
  `bearer  ${MASTER}`,
  `Bearer ${MASTER} `,
  `Bearer ${MASTER}, Bearer ${MASTER}`,
  `Bearer "${MASTER}"`,
  `Token ${MASTER}`,
  MASTER,
  `Basic ${Buffer.from(`master:${MASTER}`).toString('base64')}`,
  `Bearer ${'a'.repeat(DEFAULTS['limits.bearer-token'] + 1)}`,
  `Bearer ${DIRECT}`,
  `Bearer ${MASTER.slice(0, -1)}`,
  `Bearer ${digestOf(MASTER)}`,
];

for (const authorization of HEADERS) {
  // proves rfc7591-3.2.2-1, rfc6750-2.1-1
  test(`Authorization: ${authorization.slice(0, 60)}: 401 invalid_token (RFC 6750 §2.1 and §3.1)`, async () => {
    assertInvalidToken(await testTenant().send('client-registration', { authorization, json: WEB_CLIENT }));
  });
}

// proves rfc7591-3.2.2-1, rfc6750-3.1-1
test('an expired initial access token: 401 invalid_token (decision 6)', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg');
  tenant.clock.advance(DEFAULTS['initial-access-token.lifetime']);
  assertInvalidToken(await tenant.send('client-registration', { bearer, json: WEB_CLIENT }));
});

// proves rfc7591-3-4
test('a used-up initial access token: 401 invalid_token (decision 6)', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg');
  await tenant.send('client-registration', { bearer, json: WEB_CLIENT });
  assertInvalidToken(await tenant.send('client-registration', { bearer, json: WEB_CLIENT }));
});

// proves rfc6750-5.2-1
test('a registration access token registers nothing: 401 invalid_token', async () => {
  const tenant = testTenant();
  const client = await tenant.register(WEB_CLIENT);
  assertInvalidToken(
    await tenant.send('client-registration', { bearer: client.registration_access_token, json: WEB_CLIENT }),
  );
});

test('401: without a configured master token no token is one (decision 5)', async () => {
  const tenant = testTenant({ settings: { 'registration.master-token-sha256': [] } });
  assertInvalidToken(await tenant.send('client-registration', { bearer: MASTER, json: WEB_CLIENT }));
  assert.deepEqual(tenant.watch.calls, []);
});

const SECRET = 'a-secret-of-32-printable-letters';

const JWT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

const SAML = 'urn:ietf:params:oauth:grant-type:saml2-bearer';

/** Each scope value alone, and the member that it permits beside the one grant that every registration needs. */
const PROBES: readonly (readonly [scope: string, metadata: object])[] = [
  ['client-reg:grant:code', { grant_types: ['authorization_code'], redirect_uris: [CALLBACK] }],
  ['client-reg:grant:implicit', { grant_types: ['implicit'], redirect_uris: [CALLBACK] }],
  ['client-reg:grant:refresh', { grant_types: ['refresh_token'] }],
  ['client-reg:grant:password', { grant_types: ['password'] }],
  ['client-reg:grant:client', { grant_types: ['client_credentials'] }],
  ['client-reg:grant:jwt', { grant_types: [JWT] }],
  ['client-reg:grant:saml', { grant_types: [SAML] }],
];

const MEMBER_PROBES: readonly (readonly [scope: string, metadata: object])[] = [
  ['client-reg:scope', { scope: 'email openid' }],
  ['client-reg:data', { data: { a: 1 } }],
  ['client-reg:set-id', { preferred_client_id: 'app' }],
  ['client-reg:set-secret', { preferred_client_secret: SECRET }],
];

for (const [held] of PROBES) {
  for (const [needed, metadata] of PROBES) {
    // proves rfc7591-5-3, rfc7591-6-1
    test(`403: ${held} and a registration that needs ${needed} (interface, Initial access token scopes)`, async () => {
      const tenant = testTenant();
      const bearer = await tenant.initialToken(held);
      const answered = await tenant.send('client-registration', { bearer, json: metadata });
      if (held === needed) assert.equal(answered.status, 200, answered.body);
      else assertMissingScopes(answered, needed);
    });
  }
}

const GRANT = { grant_types: ['password'] };

for (const [held] of MEMBER_PROBES) {
  for (const [needed, members] of MEMBER_PROBES) {
    test(`403: ${held} beside a grant, and a registration that needs ${needed} (interface, Initial access token scopes)`, async () => {
      const tenant = testTenant();
      const bearer = await tenant.initialToken('client-reg:grant:password', held);
      const answered = await tenant.send('client-registration', { bearer, json: { ...GRANT, ...members } });
      if (held === needed) assert.equal(answered.status, 200, answered.body);
      else assertMissingScopes(answered, needed);
    });
  }
  test(`403: ${held} permits no grant, not even the one by default (interface)`, async () => {
    const tenant = testTenant();
    const bearer = await tenant.initialToken(held);
    const answered = await tenant.send('client-registration', {
      bearer,
      json: { redirect_uris: [CALLBACK] },
    });
    assertMissingScopes(answered, 'client-reg:grant:code');
  });
}

const EVERYTHING = {
  grant_types: [
    'authorization_code',
    'implicit',
    'refresh_token',
    'password',
    'client_credentials',
    JWT,
    SAML,
  ],
  response_types: ['code', 'token'],
  redirect_uris: [CALLBACK],
  scope: 'email openid',
  data: { a: 1 },
  preferred_client_id: 'app',
  preferred_client_secret: SECRET,
};

test('client-reg permits everything (interface)', async () => {
  const tenant = testTenant();
  const answered = await tenant.send('client-registration', {
    bearer: await tenant.initialToken('client-reg'),
    json: EVERYTHING,
  });
  assert.equal(answered.status, 200, answered.body);
});

test('all scopes together permit what client-reg permits (interface)', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken(...[...PROBES, ...MEMBER_PROBES].map(([scope]) => scope));
  const answered = await tenant.send('client-registration', { bearer, json: EVERYTHING });
  assert.equal(answered.status, 200, answered.body);
});

// proves rfc7591-3.2.2-1, rfc6750-3-5, rfc6750-3.1-2
test('403 names every missing scope value, in header and body (decision 6)', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg:grant:code');
  const answered = await tenant.send('client-registration', { bearer, json: EVERYTHING });
  assertMissingScopes(
    answered,
    'client-reg:grant:implicit client-reg:grant:refresh client-reg:grant:password client-reg:grant:client ' +
      'client-reg:grant:jwt client-reg:grant:saml client-reg:scope client-reg:data client-reg:set-id client-reg:set-secret',
  );
});

const SCOPE_ROWS: readonly (readonly [held: readonly string[], asked: string, missing: string])[] = [
  [['client-reg:scope:openid'], 'openid', ''],
  [['client-reg:scope:openid'], '', ''],
  [['client-reg:scope:openid', 'client-reg:scope:email'], 'email openid', ''],
  [['client-reg:scope'], 'anything at:all', ''],
  [['client-reg:scope:openid'], 'openid email', 'client-reg:scope:email'],
  [['client-reg:scope:openid'], 'phone email', 'client-reg:scope:phone client-reg:scope:email'],
  [['client-reg:scope:openid'], 'openid2', 'client-reg:scope:openid2'],
  [['client-reg:scope:open'], 'openid', 'client-reg:scope:openid'],
  [['client-reg:scope', 'client-reg:scope:openid'], 'email', 'client-reg:scope:email'],
  [[], 'openid', 'client-reg:scope'],
  [[], '', ''],
];

for (const [held, asked, missing] of SCOPE_ROWS) {
  const outcome = missing === '' ? 'is permitted' : `lacks ${missing}`;
  test(`scope "${asked}" with ${held.join(' and ') || 'no client-reg:scope'} ${outcome} (interface)`, async () => {
    const tenant = testTenant();
    const bearer = await tenant.initialToken('client-reg:grant:password', ...held);
    const answered = await tenant.send('client-registration', { bearer, json: { ...GRANT, scope: asked } });
    if (missing === '') assert.equal(answered.status, 200, answered.body);
    else assertMissingScopes(answered, missing);
  });
}

for (const lookAlike of [
  'client-reg:grant',
  'client-reg:grant:',
  'client-reg:grants:code',
  'CLIENT-REG',
  'client-reg:',
  'client-reg:grant:code:x',
  'client-registration',
]) {
  // proves rfc7591-5-3
  test(`the look-alike ${lookAlike} permits nothing: 403`, async () => {
    const tenant = testTenant();
    const client = await tenant.register(GRANT);
    const bearer = await tenant.authorize({ client_id: client.client_id, scope: [lookAlike] });
    const answered = await tenant.send('client-registration', {
      bearer,
      json: { redirect_uris: [CALLBACK] },
    });
    assertMissingScopes(answered, 'client-reg:grant:code');
  });
}

test('403: privileges come before values: a caller that lacks one learns nothing about the rest of the body', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg:grant:code');
  const json = { redirect_uris: ['javascript:alert(1)'], data: { a: 1 } };
  assertMissingScopes(await tenant.send('client-registration', { bearer, json }), 'client-reg:data');
});

test('403: in open mode a token is limited to its own scope, which may be less than a caller without a token has', async () => {
  const tenant = testTenant({ settings: { 'registration.allow-open-registration': true } });
  const bearer = await tenant.initialToken('client-reg:data');
  const answered = await tenant.send('client-registration', { bearer, json: { redirect_uris: [CALLBACK] } });
  assertMissingScopes(answered, 'client-reg:grant:code');
});

test('403: the challenge fits into any proxy’s header buffer, however many scope values are asked for', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg:grant:password', 'client-reg:scope:openid');
  const scope = Array.from({ length: 12_000 }, (_, index) => index.toString(36)).join(' ');
  const answered = await tenant.send('client-registration', { bearer, json: { ...GRANT, scope } });
  assertMissingScopes(answered, 'client-reg:scope');
});
