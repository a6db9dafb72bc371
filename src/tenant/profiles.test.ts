import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VERIFIER } from '../../test/program/code-request.ts';
import { pruneIdleClients } from '../clients/upkeep/prune-clients.ts';
import { type Profile, valuesOfProfile } from '../config/profiles.ts';
import type { Settings } from '../config/settings.ts';
import { assertError } from '../testing/exchange.ts';
import { answeredTo, aPerson, authorizationUrl, RELYING_PARTY, type TestPerson } from '../testing/person.ts';
import {
  CALLBACK,
  type ClientInformation,
  INTROSPECTION_SCOPE,
  ISSUER,
  MASTER,
  SERVICE,
  type TestTenant,
  testTenant,
} from '../testing/tenant.ts';

const API = 'https://mcp.example/mcp';
const PASSWORD_CLIENT = { grant_types: ['password'] };
const IMPLICIT_CLIENT = {
  redirect_uris: [CALLBACK],
  grant_types: ['implicit', 'authorization_code'],
  response_types: ['code', 'token', 'id_token token', 'code id_token'],
};

function tenantOf(profile: Profile, settings: Partial<Settings> = {}): TestTenant {
  return testTenant({ settings: { ...valuesOfProfile(profile), ...settings } });
}

/** A tenant whose clients registered before its profile was switched on. */
async function switchedOn(
  profile: Profile,
  metadata: object,
): Promise<readonly [tenant: TestTenant, client: ClientInformation]> {
  const before = testTenant();
  const client = await before.register(metadata);
  return [testTenant({ platform: before.platform, settings: valuesOfProfile(profile) }), client];
}

async function redeemed(
  tenant: TestTenant,
  client: ClientInformation,
  code: string | undefined,
  more: object = {},
) {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code: code ?? '',
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
    ...more,
  });
  return await tenant.send('token', {
    basic: [client.client_id, client.client_secret],
    form: form.toString(),
  });
}

async function tokensFor(
  person: TestPerson,
  tenant: TestTenant,
  client: ClientInformation,
  change: Readonly<Record<string, string>> = {},
) {
  const { code } = answeredTo(await person.grant(client, change));
  return await redeemed(tenant, client, code);
}

const STRICT = ['oauth-2.1', 'mcp'] as const;

// proves rfc9700-2.1.1-2, mcp-overview-1, mcp-security-3, mcp-response-1
test('oauth-2.1 and mcp: a confidential client without code_challenge gets invalid_request (RFC 9700 §2.1.1)', async () => {
  for (const profile of STRICT) {
    const tenant = tenantOf(profile);
    const person = await aPerson(tenant);
    const client = await tenant.register(RELYING_PARTY);
    const bare = { code_challenge: undefined, code_challenge_method: undefined };
    const { error, error_description, iss } = answeredTo(await person.ask(client, bare));
    assert.deepEqual([error, error_description], ['invalid_request', 'code_challenge is missing']);
    assert.equal(iss, ISSUER);
  }
});

// proves rfc9700-2.4-1
test('oauth-2.1 and mcp: the password grant is unsupported_grant_type, for a client that registered it before (RFC 9700 §2.4)', async () => {
  for (const profile of STRICT) {
    const [tenant, { client_id, client_secret }] = await switchedOn(profile, PASSWORD_CLIENT);
    assertError(
      await tenant.send('token', {
        basic: [client_id, client_secret],
        form: 'grant_type=password&username=Ada&password=correct+horse',
      }),
      'unsupported_grant_type',
      /^grant_type 'password' is not supported, supported: authorization_code, client_credentials, refresh_token, urn:ietf:params:oauth:grant-type:device_code$/,
    );
  }
});

// proves rfc9700-2.1.2-1
test('oauth-2.1 and mcp: no response type gives a token in the browser, for a client that registered it before (RFC 9700 §2.1.2)', async () => {
  for (const profile of STRICT) {
    const [tenant, client] = await switchedOn(profile, IMPLICIT_CLIENT);
    const person = await aPerson(tenant);
    for (const response_type of ['token', 'id_token token', 'code id_token']) {
      const change = { response_type, nonce: 'n', resource: API };
      const { error, error_description, ...rest } = answeredTo(await person.grant(client, change));
      assert.equal(error, 'unsupported_response_type', response_type);
      assert.match(String(error_description), /is not offered, offered: code$/);
      assert.deepEqual(Object.keys(rest).sort(), ['iss', 'state']);
    }
  }
});

// proves mcp-overview-2, mcp-security-2, mcp-response-1
test('oauth-2.1 and mcp: discovery names no grant and no response type that is off (RFC 8414 §2)', async () => {
  for (const profile of STRICT) {
    const { json } = await tenantOf(profile).send('openid-configuration');
    assert.deepEqual(json['grant_types_supported'], [
      'authorization_code',
      'client_credentials',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:device_code',
    ]);
    assert.deepEqual(json['response_types_supported'], ['code']);
    assert.deepEqual(json['code_challenge_methods_supported'], ['S256']);
    assert.equal(json['authorization_response_iss_parameter_supported'], true);
  }
});

test('oauth-2.1 and mcp: a registration that asks for a grant that is off gets the rest; no token is needed for what is dropped (decision 42)', async () => {
  for (const profile of STRICT) {
    const tenant = tenantOf(profile, { 'registration.allow-open-registration': true });
    const answer = await tenant.send('client-registration', {
      json: {
        redirect_uris: [CALLBACK],
        grant_types: ['authorization_code', 'refresh_token', 'implicit', 'password'],
        response_types: ['code', 'code id_token', 'token'],
      },
    });
    assert.equal(answer.status, 200, answer.body);
    assert.deepEqual(answer.json['grant_types'], ['authorization_code', 'refresh_token']);
    assert.deepEqual(answer.json['response_types'], ['code']);
    const nothing = await tenant.send('client-registration', {
      bearer: MASTER,
      json: { grant_types: ['password'] },
    });
    assertError(nothing, 'invalid_client_metadata', /password.*authorization_code/);
  }
});

test('oauth-2.1: an error about an unknown response_type names only what is offered', async () => {
  const tenant = tenantOf('oauth-2.1');
  const person = await aPerson(tenant);
  const client = await tenant.register(RELYING_PARTY);
  const { error, error_description } = answeredTo(await person.ask(client, { response_type: 'cod' }));
  assert.equal(error, 'unsupported_response_type');
  assert.match(String(error_description), /supported: code$/);
});

test('standard: discovery names the implicit and the password grant, and a confidential client needs no PKCE', async () => {
  const tenant = testTenant();
  const { json } = await tenant.send('openid-configuration');
  assert.ok((json['grant_types_supported'] as readonly string[]).includes('implicit'));
  assert.ok((json['grant_types_supported'] as readonly string[]).includes('password'));
  const person = await aPerson(tenant);
  const client = await tenant.register(RELYING_PARTY);
  const bare = { code_challenge: undefined, code_challenge_method: undefined };
  assert.ok(answeredTo(await person.grant(client, bare))['code']);
});

test('authorization.grant-types without refresh_token: no refresh token, and offline_access is ignored', async () => {
  const tenant = testTenant({ settings: { 'authorization.grant-types': ['authorization_code'] } });
  const person = await aPerson(tenant);
  const client = await tenant.register(RELYING_PARTY);
  const answered = await tokensFor(person, tenant, client, { scope: 'openid offline_access' });
  assert.equal(answered.status, 200, answered.body);
  assert.equal(answered.json['refresh_token'], undefined);
  assert.equal(answered.json['scope'], 'openid');
  const { json } = await tenant.send('openid-configuration');
  assert.ok(!(json['scopes_supported'] as readonly string[]).includes('offline_access'));
});

// proves rfc8707-2-6
test('mcp: a request for scope of another server without resource is invalid_target, at /authorize and at /token (RFC 8707 §2)', async () => {
  const tenant = tenantOf('mcp');
  const person = await aPerson(tenant);
  const client = await tenant.register({ ...RELYING_PARTY, scope: 'openid mcp:read' });
  const { error, error_description } = answeredTo(await person.ask(client, { scope: 'openid mcp:read' }));
  assert.equal(error, 'invalid_target');
  assert.match(
    String(error_description),
    /^resource is missing: this server requires it for scope 'mcp:read'/,
  );
  const { client_id, client_secret } = await tenant.register({ ...SERVICE, scope: 'mcp:read' });
  const form = 'grant_type=client_credentials';
  assertError(
    await tenant.send('token', { basic: [client_id, client_secret], form }),
    'invalid_target',
    /^resource is missing/,
  );
  const named = `${form}&resource=${encodeURIComponent(API)}`;
  const { json } = await tenant.send('token', { basic: [client_id, client_secret], form: named });
  assert.deepEqual((await tenant.introspect(String(json['access_token'])))['aud'], [API]);
});

// proves mcp-resource-1
test('mcp: the access token, also a refreshed one, is for the resource of the request (RFC 8707 §2.2)', async () => {
  const tenant = tenantOf('mcp');
  const person = await aPerson(tenant);
  const client = await tenant.register({ ...RELYING_PARTY, scope: 'mcp:read' });
  const { json } = await tokensFor(person, tenant, client, { scope: 'mcp:read', resource: API });
  assert.deepEqual((await tenant.introspect(String(json['access_token'])))['aud'], [API]);
  const refresh = await tenant.send('token', {
    basic: [client.client_id, client.client_secret],
    form: `grant_type=refresh_token&refresh_token=${String(json['refresh_token'])}`,
  });
  assert.deepEqual((await tenant.introspect(String(refresh.json['access_token'])))['aud'], [API]);
});

// H-383
test('H-383 mcp: a token request cannot add a resource that the end-user never saw', async () => {
  const tenant = tenantOf('mcp');
  const person = await aPerson(tenant);
  const client = await tenant.register(RELYING_PARTY);
  const { code } = answeredTo(await person.grant(client, { scope: 'openid' }));
  assertError(await redeemed(tenant, client, code, { resource: API }), 'invalid_target', /was not granted$/);
  const answered = await redeemed(tenant, client, code);
  assert.deepEqual((await tenant.introspect(String(answered.json['access_token'])))['aud'], [ISSUER]);
});

test('mcp: the introspection scope needs no resource, and its token opens introspection (interface, Authentication 4)', async () => {
  const tenant = tenantOf('mcp');
  const { client_id, client_secret } = await tenant.register({ ...SERVICE, scope: INTROSPECTION_SCOPE });
  const { json, status } = await tenant.send('token', {
    basic: [client_id, client_secret],
    form: 'grant_type=client_credentials',
  });
  assert.equal(status, 200);
  const token = String(json['access_token']);
  const asked = await tenant.send('introspection', { bearer: token, form: `token=${token}` });
  assert.deepEqual(asked.json['aud'], [ISSUER]);
});

// proves mcp-refresh-1
test('mcp: offline_access is granted when asked for and consented, though it is not registered', async () => {
  const asked = { scope: 'mcp:read offline_access', resource: API };
  const metadata = { ...RELYING_PARTY, scope: 'mcp:read' };
  for (const [tenant, granted] of [
    [tenantOf('mcp'), 'mcp:read offline_access'],
    [tenantOf('mcp', { 'authorization.offline-access': 'registered' }), 'mcp:read'],
  ] as const) {
    const person = await aPerson(tenant);
    const client = await tenant.register(metadata);
    const page = await person.signIn(await person.ask(client, asked));
    assert.equal(page.html.includes('value="allow"'), granted.includes('offline_access'), 'consent');
    const { json } = await tokensFor(person, tenant, client, asked);
    assert.equal(json['scope'], granted);
  }
});

// proves mcp-overview-3
test('mcp: anyone may register, and a client of another grant type than refresh_token is refused no offline_access request', async () => {
  const tenant = tenantOf('mcp');
  const { status, json } = await tenant.send('client-registration', {
    json: { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' },
  });
  assert.equal(status, 200, JSON.stringify(json));
  const client: ClientInformation = {
    client_id: String(json['client_id']),
    client_secret: '',
    registration_access_token: '',
    members: json,
  };
  const person = await aPerson(tenant);
  assert.ok(answeredTo(await person.grant(client, { scope: 'openid offline_access' }))['code']);
  assert.equal((await testTenant().send('client-registration', { json: {} })).status, 401);
  assert.equal((await tenant.send('client-list', { bearer: MASTER })).status, 200);
});

test('mcp: anyone may register offline_access, for which every client may ask; standard needs a token for it', async () => {
  const metadata = {
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code', 'refresh_token'],
    scope: 'mcp:read offline_access',
  };
  const settings = {
    'registration.open-scope-values': ['mcp:read'],
    'registration.allow-open-registration': true,
  };
  const registered = await tenantOf('mcp', settings).send('client-registration', { json: metadata });
  assert.equal(registered.status, 200);
  assert.equal(registered.json['scope'], 'mcp:read offline_access');
  assert.equal(
    (await tenantOf('standard', settings).send('client-registration', { json: metadata })).status,
    401,
  );
});

test('mcp: offline_access alone is no default scope: a client that registers no scope may ask for what every client may (decision 43)', async () => {
  const json = { redirect_uris: [CALLBACK], grant_types: ['authorization_code', 'refresh_token'] };
  const alone = await tenantOf('mcp').send('client-registration', { json });
  assert.deepEqual([alone.status, 'scope' in alone.json], [200, false]);
  const settings = { 'registration.open-scope-values': ['mcp:read'] };
  const listed = await tenantOf('mcp', settings).send('client-registration', { json });
  assert.equal(listed.json['scope'], 'mcp:read offline_access');
});

// proves mcp-refresh-1
test('mcp: discovery names offline_access and Client ID Metadata Documents; standard does not name the latter', async () => {
  const { json } = await tenantOf('mcp').send('oauth-authorization-server');
  assert.ok((json['scopes_supported'] as readonly string[]).includes('offline_access'));
  assert.equal(json['client_id_metadata_document_supported'], true);
  const standard = await testTenant().send('oauth-authorization-server');
  assert.notEqual(standard.json['client_id_metadata_document_supported'], true);
});

// H-388
test('H-388 mcp: an idle client that was deleted gets invalid_client with a hint, the same for every reason (decision 19)', async () => {
  const tenant = tenantOf('mcp');
  const { json } = await tenant.send('client-registration', { json: { redirect_uris: [CALLBACK] } });
  const { registry, uses } = await tenant.opened();
  await uses.flush();
  const idleSeconds = registry.settings['registration.idle-client-lifetime'];
  tenant.clock.advance(idleSeconds + 1);
  const sweep = {
    idleSeconds,
    tokenLifetimeMax: 86_400,
    dryRun: false,
    actor: 'server',
    request_id: 'sweep',
  };
  assert.deepEqual(await pruneIdleClients(registry, sweep), [json['client_id']]);
  const refused = await tenant.send('token', {
    basic: [String(json['client_id']), String(json['client_secret'])],
    form: 'grant_type=authorization_code',
  });
  assertError(
    refused,
    'invalid_client',
    /^client authentication failed; a client that registered itself is deleted after a time without use, and can register again$/,
  );
  const { client_id } = await tenant.register(RELYING_PARTY);
  const wrong = await tenant.send('token', {
    basic: [client_id, 'wrong'],
    form: 'grant_type=authorization_code',
  });
  assert.equal(wrong.body, refused.body);
  const person = await aPerson(tenant);
  const page = await person.browser.open(authorizationUrl({ client_id: String(json['client_id']) }));
  assert.equal(page.status, 400);
  assert.match(page.html, /removed after a long time without use\. Return to the application/);
});
