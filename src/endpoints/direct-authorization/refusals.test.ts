import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertBearerNeeded,
  assertBodiless,
  assertError,
  assertInvalidToken,
  assertMissingScopes,
} from '../../testing/exchange.ts';
import { DEFAULTS, DIRECT, MASTER, SERVICE, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';

const LONG = 'x'.repeat(257);

const ROWS: readonly (readonly [json: object, words: RegExp])[] = [
  [{}, /^scope must be a list of one or more scope values$/],
  [{ scope: [] }, /^scope must be a list of one or more scope values$/],
  [{ scope: '' }, /^scope/],
  [{ scope: ' ' }, /^scope/],
  [{ scope: 'read  write' }, /^scope/],
  [{ scope: ['read write'] }, /^scope must be a list of one or more scope values$/],
  [{ scope: ['a"b'] }, /^scope must be a list of one or more scope values$/],
  [{ scope: [1] }, /^scope must be a string/],
  [{ scope: { a: 1 } }, /^scope must be a list/],
  [{ scope: null }, /^scope must be a list/],
  [{ scope: Array.from({ length: 101 }, (_, index) => `s${index}`) }, /at most 100/],
  [{ scope: ['read'], client_id: 'nobody' }, /^client_id 'nobody' is not registered$/],
  [{ scope: ['read'], client_id: undefined }, /^client_id is missing$/],
  [{ scope: ['client-reg'], client_id: 'nobody' }, /^client_id 'nobody' is not registered$/],
  [{ scope: ['read'], client_id: 7 }, /^client_id must be a string/],
  [{ scope: ['read'], client_id: '' }, /^client_id must be a string/],
  [{ scope: ['read'], sub: 7 }, /^sub must be a string/],
  [{ scope: ['read'], sub: '' }, /^sub must be a string/],
  [{ scope: ['read'], sub: null }, /^sub must be a string/],
  [{ scope: ['read'], sub: LONG }, /^sub must be a string of 1 to 256/],
  [{ scope: ['read'], sub: 'a\u0007b' }, /^sub must be a string/],
  [{ scope: ['read'], label: 7 }, /^label must be a string/],
  [{ scope: ['read'], label: LONG }, /^label must be a string/],
  [{ scope: ['read'], label: 'a\nb' }, /^label must be a string/],
  [{ scope: ['read'], data: 'text' }, /^data must be a JSON object$/],
  [{ scope: ['read'], data: [] }, /^data must be a JSON object$/],
  [{ scope: ['read'], data: null }, /^data must be a JSON object$/],
  [{ scope: ['read'], audience: 7 }, /^audience must be a list/],
  [{ scope: ['read'], audience: [''] }, /^audience must be a string/],
  [{ scope: ['read'], audience: Array.from({ length: 21 }, (_, index) => `a${index}`) }, /at most 20/],
  [{ scope: ['read'], lifetime: 0 }, /^lifetime must be a positive whole number/],
  [{ scope: ['read'], lifetime: -1 }, /^lifetime must be a positive/],
  [{ scope: ['read'], lifetime: 1.5 }, /^lifetime must be a positive/],
  [{ scope: ['read'], lifetime: '60' }, /^lifetime must be a positive/],
  [{ scope: ['read'], lifetime: 1e300 }, /^lifetime must be a positive/],
  [
    { scope: ['read'], lifetime: DEFAULTS['access-token.lifetime-max'] + 1 },
    /^lifetime must be at most 86400 seconds$/,
  ],
  [
    { scope: ['client-reg'], lifetime: DEFAULTS['initial-access-token.lifetime-max'] + 1 },
    /at most 2592000 seconds$/,
  ],
  [{ scope: ['read'], access_token: 'x' }, /^access_token must be a JSON object$/],
  [{ scope: ['read'], access_token: { lifetime: 0 } }, /^lifetime must be a positive/],
  [
    { scope: ['read'], access_token: { encoding: 'JWT' } },
    /^access_token.encoding must be IDENTIFIER or SELF_CONTAINED$/,
  ],
  [{ scope: ['read'], access_token: { encoding: 'toString' } }, /^access_token.encoding must be/],
  [{ scope: ['read'], access_token: { encoding: 1 } }, /^access_token.encoding must be/],
  [
    { scope: ['client-reg'], access_token: { encoding: 'SELF_CONTAINED' } },
    /^a token with a registration scope must be an IDENTIFIER, without/,
  ],
  [
    { scope: ['client-reg'], long_lived: true },
    /^a token with a registration scope must be an IDENTIFIER, without/,
  ],
  [
    { scope: ['client-reg'], refresh_token: { issue: true } },
    /^a token with a registration scope must be an IDENTIFIER, without/,
  ],
  [
    { scope: ['client-reg'], id_token: { issue: true } },
    /^a token with a registration scope must be an IDENTIFIER, without/,
  ],
  [{ scope: ['read'], username: '' }, /^username must be a string/],
  [{ scope: ['read'], claims: [''] }, /^claims must be a string/],
  [{ scope: ['read'], claims: 7 }, /^claims must be a list/],
  [{ scope: ['read'], claims_data: [] }, /^claims_data must be a JSON object$/],
  [
    { scope: ['read'], claims: ['name'], claims_data: { email: 'a@b' } },
    /^claims_data holds 'email', which claims does not name$/,
  ],
  [
    { scope: ['read'], audience: ['a'], resources: ['https://a.example'] },
    /^audience and resources must not be used together$/,
  ],
  [{ scope: ['read'], long_lived: 'yes' }, /^long_lived must be true or false$/],
  [{ scope: ['read'], refresh_token: true }, /^refresh_token must be a JSON object$/],
  [{ scope: ['read'], refresh_token: {} }, /^refresh_token.issue must be true or false$/],
  [{ scope: ['read'], refresh_token: { issue: 'true' } }, /^refresh_token.issue must be true or false$/],
  [
    { scope: ['read'], refresh_token: { issue: true } },
    /^the client is not registered for grant type refresh_token$/,
  ],
  [{ scope: ['read'], refresh_token: { issue: true, lifetime: -1 } }, /^refresh_token.lifetime must be/],
  [{ scope: ['read'], refresh_token: { issue: true, max_idle: 1.5 } }, /^refresh_token.max_idle must be/],
  [{ scope: ['read'], refresh_token: { issue: true, rotate: 1 } }, /^refresh_token.rotate must be/],
  [{ scope: ['read'], refresh_token: { issue: true, secret: 1 } }, /^refresh_token.secret is not supported$/],
  [{ scope: ['read'], refresh_token: { issue: true }, long_lived: false }, /^long_lived must not be false/],
  [{ scope: ['read'], id_token: {} }, /^id_token.issue must be true or false$/],
  [{ scope: ['read'], id_token: { issue: true } }, /^sub is missing: an ID token needs it$/],
  [
    { scope: ['read'], sub: 'a', id_token: { issue: true, lifetime: 86_401 } },
    /^id_token.lifetime must be at most/,
  ],
  [{ scope: ['read'], sub: 'a', id_token: { issue: true, impersonate: 1 } }, /^id_token.impersonate is not/],
  [{ scope: ['read'], access_token: { sub_type: 'PAIRWISE' } }, /^access_token.sub_type is not supported$/],
  [{ scope: ['read'], preset_claims: {} }, /^preset_claims is not supported$/],
  [{ scope: ['read'], Scope: ['x'] }, /^Scope is not supported$/],
  [{ scope: ['read'], '"><script>': 1 }, /^a member is not supported$/],
  [{ scope: ['client-reg'], redirect_hosts: ['Client.example'] }, /^redirect_hosts/],
  [{ scope: ['client-reg'], redirect_hosts: ['client.example:443'] }, /^redirect_hosts/],
  [{ scope: ['client-reg'], redirect_hosts: ['*'] }, /^redirect_hosts/],
];

for (const [json, words] of ROWS) {
  test(`POST /direct-authz/rest/v2 with ${JSON.stringify(json).slice(0, 80)}: 400 invalid_request, and no token is issued`, async () => {
    const tenant = testTenant();
    const { client_id } = await tenant.register(SERVICE);
    assertError(
      await tenant.send('direct-authorization', { bearer: DIRECT, json: { client_id, ...json } }),
      'invalid_request',
      words,
    );
    const stored = tenant.watch.calls.filter((call) => /^(accessTokens\.issue|grants\.create)/.test(call));
    assert.deepEqual(stored, []);
  });
}

for (const body of ['', '[]', '{"scope":["a"],"scope":["b"]}']) {
  test(`POST /direct-authz/rest/v2 with the body ${body}: 400 invalid_request`, async () => {
    assertError(await testTenant().send('direct-authorization', { bearer: DIRECT, body }), 'invalid_request');
  });
}

test('POST /direct-authz/rest/v2 as a form: 400 invalid_request', async () => {
  const request = {
    bearer: DIRECT,
    contentType: 'application/x-www-form-urlencoded',
    body: 'scope=client-reg',
  };
  assertError(await testTenant().send('direct-authorization', request), 'invalid_request', /^Content-Type/);
});

test('a deleted client gets no token: 400', async () => {
  const tenant = testTenant();
  const { client_id, registration_access_token: bearer } = await tenant.register(SERVICE);
  await tenant.send('client-delete', { bearer, id: client_id });
  assertError(
    await tenant.send('direct-authorization', { bearer: DIRECT, json: { client_id, scope: ['read'] } }),
    'invalid_request',
    /not registered/,
  );
});

const REFRESH_LIFETIME_MAX = 31_536_000;

const REFRESHING = { ...WEB_CLIENT, grant_types: ['authorization_code', 'refresh_token'] };

const REFRESH_ROWS: readonly (readonly [metadata: object, refresh_token: object, words: RegExp])[] = [
  [{ token_endpoint_auth_method: 'none' }, { rotate: false }, /^refresh_token.rotate must not be false/],
  [{}, { lifetime: REFRESH_LIFETIME_MAX + 1 }, /^refresh_token.lifetime must be at most 31536000/],
  [{}, { lifetime: 0 }, /^refresh_token.lifetime must be at most 31536000 seconds$/],
];

for (const [metadata, wishes, words] of REFRESH_ROWS) {
  test(`refresh_token ${JSON.stringify(wishes)} for a client with ${JSON.stringify(metadata)}: 400 invalid_request`, async () => {
    const tenant = testTenant({ settings: { 'refresh-token.lifetime-max': REFRESH_LIFETIME_MAX } });
    const { client_id } = await tenant.register({ ...REFRESHING, ...metadata });
    const json = { client_id, sub: 'alice', scope: ['read'], refresh_token: { issue: true, ...wishes } };
    assertError(
      await tenant.send('direct-authorization', { bearer: DIRECT, json }),
      'invalid_request',
      words,
    );
  });
}

for (const resource of ['a.example', 'https://a.example#', '/x']) {
  test(`resources [${resource}]: 400 invalid_target (RFC 8707 §2)`, async () => {
    const tenant = testTenant();
    const { client_id } = await tenant.register(SERVICE);
    const json = { client_id, scope: ['read'], resources: ['https://b.example', resource] };
    assertError(await tenant.send('direct-authorization', { bearer: DIRECT, json }), 'invalid_target');
  });
}

const json = { scope: ['client-reg'] };

test('POST /direct-authz/rest/v2 without credentials: 401 with the bare challenge, before the body is read', async () => {
  assertBearerNeeded(await testTenant().send('direct-authorization', { json }));
  assertBearerNeeded(await testTenant().send('direct-authorization', { body: '{', contentType: null }));
});

test('the master token of the client registry does not open it: 401 invalid_token (its own master tokens)', async () => {
  assertInvalidToken(await testTenant().send('direct-authorization', { bearer: MASTER, json }));
});

test('no token that the server issued opens it: 401 invalid_token', async () => {
  const tenant = testTenant();
  const { registration_access_token } = await tenant.register(WEB_CLIENT);
  for (const bearer of [
    await tenant.initialToken('client-reg'),
    registration_access_token,
    `${DIRECT}x`,
    'x'.repeat(DEFAULTS['limits.bearer-token'] + 1),
  ]) {
    assertInvalidToken(await tenant.send('direct-authorization', { bearer, json }));
  }
});

for (const authorization of ['Bearer', 'Basic YTpi', DIRECT, `Bearer ${DIRECT} `]) {
  test(`POST /direct-authz/rest/v2 with Authorization: ${authorization.slice(0, 20)}: 401 invalid_token`, async () => {
    assertInvalidToken(await testTenant().send('direct-authorization', { authorization, json }));
  });
}

for (const bearer of [undefined, DIRECT, MASTER]) {
  test(`POST /direct-authz/rest/v2 where no token is configured, with ${bearer ?? 'none'}: 403, it is closed`, async () => {
    const tenant = testTenant({ settings: { 'direct-authorization.token-sha256': [] } });
    const request = { json: { scope: ['client-reg'] }, ...(bearer === undefined ? {} : { bearer }) };
    assertMissingScopes(await tenant.send('direct-authorization', request), 'direct-authorization');
  });
}

for (const verb of ['clients.find', 'accessTokens.issue', 'accessTokens.issueInitial']) {
  test(`POST /direct-authz/rest/v2, ${verb} fails: 500 without body, and only the report has the cause (interface, Errors)`, async () => {
    const tenant = testTenant();
    const { client_id } = await tenant.register(SERVICE);
    const scope = verb === 'accessTokens.issueInitial' ? ['client-reg'] : ['read'];
    const cause = new Error('disk /var/lib/registry is full');
    tenant.watch.fail(cause, verb);
    assertBodiless(
      await tenant.send('direct-authorization', { bearer: DIRECT, json: { client_id, scope } }),
      500,
    );
    assert.deepEqual(tenant.reports, [cause]);
  });
}
