import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertMissingScopes } from '../../testing/exchange.ts';
import { CALLBACK, testTenant } from '../../testing/tenant.ts';

const SECRET = 'a-secret-of-32-printable-letters';
const JWT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const SAML = 'urn:ietf:params:oauth:grant-type:saml2-bearer';

/** What each scope value alone permits to register, beside the one grant that every registration needs. */
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
    test(`${held} and a registration that needs ${needed} (interface, Initial access token scopes)`, async () => {
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
    test(`${held} beside a grant, and a registration that needs ${needed} (interface, Initial access token scopes)`, async () => {
      const tenant = testTenant();
      const bearer = await tenant.initialToken('client-reg:grant:password', held);
      const answered = await tenant.send('client-registration', { bearer, json: { ...GRANT, ...members } });
      if (held === needed) assert.equal(answered.status, 200, answered.body);
      else assertMissingScopes(answered, needed);
    });
  }
  test(`${held} permits no grant, not even the one by default (interface)`, async () => {
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
  [[], '', 'client-reg:scope'],
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

test('privileges come before values: who lacks one learns nothing about the rest of the body', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg:grant:code');
  const json = { redirect_uris: ['javascript:alert(1)'], data: { a: 1 } };
  assertMissingScopes(await tenant.send('client-registration', { bearer, json }), 'client-reg:data');
});

test('in open mode a token is held to its own scope, which may be less than anyone has', async () => {
  const tenant = testTenant({ settings: { 'registration.allow-open-registration': true } });
  const bearer = await tenant.initialToken('client-reg:data');
  const answered = await tenant.send('client-registration', { bearer, json: { redirect_uris: [CALLBACK] } });
  assertMissingScopes(answered, 'client-reg:grant:code');
});

test('the challenge fits into any proxy’s header buffer, however many scope values are asked for', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg:grant:password', 'client-reg:scope:openid');
  const scope = Array.from({ length: 12_000 }, (_, index) => index.toString(36)).join(' ');
  const answered = await tenant.send('client-registration', { bearer, json: { ...GRANT, scope } });
  assertMissingScopes(answered, 'client-reg:scope');
});
