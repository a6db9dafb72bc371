import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AGENT_SCOPE, FIELD_CLIENTS, type FieldClient } from '../../testing/clients-in-the-field.ts';
import { DEVICE_GRANT } from '../../testing/device.ts';
import { type Answer, assertError } from '../../testing/exchange.ts';
import { MASTER, type TestTenant, testTenant } from '../../testing/tenant.ts';

const openTenant = (settings: FieldClient['settings'] = {}): TestTenant =>
  testTenant({
    settings: {
      'registration.allow-open-registration': true,
      'registration.open-scope-values': AGENT_SCOPE.split(' '),
      ...settings,
    },
  });

for (const { name, sends, gets, token, settings, loses = [] } of FIELD_CLIENTS) {
  test(`201: the standard registration of ${name} is accepted with${token === undefined ? 'out' : ''} a token (decisions 42, 43 and 47)`, async () => {
    const tenant = openTenant(settings);
    const answered = await tenant.send('client-registration-201', {
      json: sends,
      ...(await bearerOf(tenant, token)),
    });
    assert.equal(answered.status, 201, answered.body);
    for (const [member, value] of Object.entries(gets))
      assert.deepEqual(answered.json[member], value, member);
    for (const member of loses) assert.equal(member in answered.json, false, member);
    for (const uri of sends['redirect_uris'] as string[])
      assert.ok((answered.json['redirect_uris'] as string[]).includes(uri), uri);
  });
}

async function bearerOf(
  tenant: TestTenant,
  token: FieldClient['token'],
): Promise<{ readonly bearer?: string }> {
  return token === undefined ? {} : { bearer: await tenant.initialToken(...token) };
}

test('200: what the response shows can be sent back as an update, and stays the same (decision 9, RFC 7592 §2.2)', async () => {
  for (const { sends, token, settings } of FIELD_CLIENTS) {
    const tenant = openTenant(settings);
    const { json } = await tenant.send('client-registration-201', {
      json: sends,
      ...(await bearerOf(tenant, token)),
    });
    for (const bearer of [String(json['registration_access_token']), MASTER]) {
      const id = String(json['client_id']);
      const updated = await tenant.send('client-update-at-register', { bearer, id, json });
      assert.equal(updated.status, 200, updated.body);
      const changing = new Set(['client_secret', 'registration_access_token']);
      for (const [member, value] of Object.entries(json))
        if (!changing.has(member)) assert.deepEqual(updated.json[member], value, member);
    }
  }
});

const ASSERTIONS = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

test('401: a grant that needs a token is refused without one beside others, unless the settings let it be dropped (interface, Authentication)', async () => {
  const both = { redirect_uris: ['https://rp.example/cb'], grant_types: ['authorization_code', ASSERTIONS] };
  const alone = { ...both, grant_types: [ASSERTIONS, 'refresh_token'] };
  const tenant = openTenant();
  const refused = await tenant.send('client-registration', { json: both });
  assertError(refused, 'invalid_token', /grant_types 'urn:ietf:params:oauth:grant-type:jwt-bearer'/);
  const dropping = openTenant({ 'registration.open-other-grants': 'drop' });
  assertError(await dropping.send('client-registration', { json: alone }), 'invalid_token', /jwt-bearer/);
  const managed = testTenant({ settings: { 'registration.open-other-grants': 'drop' } });
  assertError(await managed.send('client-registration', { json: both }), 'invalid_token');
  const bearer = await managed.initialToken('client-reg:grant:code');
  const narrow = await managed.send('client-registration', { json: both, bearer });
  assertError(narrow, 'insufficient_scope');
});

const MISTAKEN = {
  redirect_uris: [
    'https://ok.example/cb',
    'rp.example/cb',
    'https://*.rp.example/cb',
    'http://rp.example/cb',
  ],
  post_logout_redirect_uri: 'https://ok.example/',
  grant_types: ['authorisation_code', 'client-credentials'],
  token_endpoint_auth_method: 'client_secret_basics',
  id_token_signed_response_alg: 'RS257',
  default_max_age: -1,
  preferred_client_secret: 'too short',
  client_name: 7,
};

const dryRun = async (tenant: TestTenant, json: object): Promise<Answer> =>
  await tenant.send('client-registration', { bearer: MASTER, json, query: 'dry_run=true' });

test('400: a dry run lists every mistake with member, index, value, rule, allowed values and the nearest (decision 42)', async () => {
  const { status, json } = await dryRun(testTenant(), MISTAKEN);
  assert.deepEqual([status, json['error'], json['dry_run']], [400, 'invalid_client_metadata', true]);
  const mistakes = json['mistakes'] as readonly Readonly<Record<string, unknown>>[];
  const named = mistakes.map(({ member, index, value, did_you_mean }) => [
    member,
    index,
    value,
    did_you_mean,
  ]);
  assert.deepEqual(named, [
    ['grant_types', 0, "'authorisation_code'", 'authorization_code'],
    ['grant_types', 1, "'client-credentials'", 'client_credentials'],
    ['token_endpoint_auth_method', undefined, "'client_secret_basics'", 'client_secret_basic'],
    ['id_token_signed_response_alg', undefined, "'RS257'", 'RS256'],
    ['default_max_age', undefined, '-1', undefined],
    ['preferred_client_secret', undefined, undefined, undefined],
    ['client_name', undefined, undefined, undefined],
    ['redirect_uris', 1, "'rp.example/cb'", undefined],
    ['redirect_uris', 2, "'https://*.rp.example/cb'", undefined],
    ['redirect_uris', 3, "'http://rp.example/cb'", undefined],
  ]);
  for (const { rule, words } of mistakes) assert.ok(String(words).includes(String(rule)));
  assert.ok(String(mistakes[0]?.['allowed']).includes('refresh_token'));
  assert.deepEqual(json['dropped'], [
    {
      member: 'post_logout_redirect_uri',
      rule: 'is unknown',
      did_you_mean: 'post_logout_redirect_uris',
      words: 'post_logout_redirect_uri is unknown; did you mean post_logout_redirect_uris?',
    },
  ]);
});

test('400: a refusal describes the first mistake and counts the others; the log has them all (decision 42)', async () => {
  const tenant = testTenant();
  const answered = await tenant.send('client-registration', { bearer: MASTER, json: MISTAKEN });
  assert.equal(
    answered.json['error_description'],
    "grant_types[0] 'authorisation_code' is not supported; supported: authorization_code, implicit, refresh_token, password, " +
      'client_credentials, urn:ietf:params:oauth:grant-type:device_code, urn:ietf:params:oauth:grant-type:jwt-bearer, urn:ietf:params:oauth:grant-type:saml2-bearer; ' +
      'did you mean authorization_code?; 9 more mistakes, which a request with dry_run=true lists',
  );
  assert.deepEqual(Object.keys(answered.json), ['error', 'error_description']);
  const [failure] = tenant.reports as { readonly detail: string }[];
  assert.match(failure?.detail ?? '', /RS257.*client_name must be a string.*redirect_uris\[3\]/);
  assert.doesNotMatch(failure?.detail ?? '', /too short/);
});

test('200: a dry run and the log list what is dropped or changed (decision 42)', async () => {
  const tenant = testTenant();
  const json = {
    redirect_uris: ['app://cb/'],
    application_type: 'web',
    grant_types: ['authorization_code', 'device_code'],
    tls_client_certificate_bound_access_tokens: true,
    'client_nam#de': 'A',
    contacts: [],
  };
  const words = [
    "grant_types[1] 'device_code' is not supported; supported: authorization_code, implicit, refresh_token, password, client_credentials, " +
      'urn:ietf:params:oauth:grant-type:device_code, urn:ietf:params:oauth:grant-type:jwt-bearer, urn:ietf:params:oauth:grant-type:saml2-bearer',
    'tls_client_certificate_bound_access_tokens true asks for something that this server does not do',
    'client_nam#de is unknown; did you mean client_name?',
    "application_type 'web' is replaced by native, because redirect_uris[0] 'app://cb/' has a private-use scheme",
  ];
  const dry = await dryRun(tenant, json);
  assert.equal(dry.status, 200, dry.body);
  assert.deepEqual(
    (dry.json['dropped'] as readonly { readonly words: string }[]).map((dropped) => dropped.words),
    words,
  );
  assert.match((dry.json['warnings'] as string[]).join(), /no domain name in reverse order/);
  const registered = await tenant.send('client-registration', { bearer: MASTER, json });
  const lines = tenant.log.filter(({ message }) => message === 'metadata dropped');
  assert.equal(lines.length, 1);
  const { client_id, count, dropped } = lines[0]?.members ?? {};
  assert.deepEqual([client_id, count, dropped], [registered.json['client_id'], 4, words]);
});

test('200: a dry run says which types do not go together, and why (decision 42, RFC 7591 §2.1)', async () => {
  const json = {
    redirect_uris: ['https://rp.example/cb'],
    grant_types: ['authorization_code', 'implicit', 'client_credentials'],
    response_types: ['code', 'none'],
  };
  const { json: both } = await dryRun(testTenant(), json);
  const { json: devices } = await dryRun(testTenant(), {
    grant_types: [DEVICE_GRANT],
    response_types: ['token', 'code'],
  });
  const words = [both, devices].map(({ dropped }) =>
    (dropped as readonly { readonly words: string }[]).map((one) => one.words),
  );
  assert.deepEqual(words, [
    [
      "response_types[1] 'none' is not supported; supported: code, token, id_token, id_token token, code id_token, code token, code id_token token; did you mean code?",
      "grant_types 'implicit' is dropped, because no registered response type uses it",
    ],
    [
      "response_types 'token' is dropped, because grant_types does not include implicit",
      "response_types 'code' is dropped, because grant_types does not include authorization_code",
    ],
  ]);
});

for (const development of [true, false]) {
  test(`401: a used initial access token is called used ${development ? 'in development' : 'never in production'} (decision 43)`, async () => {
    const tenant = testTenant({ settings: { 'pages.error-details': development } });
    const bearer = await tenant.initialToken('client-reg');
    const json = { redirect_uris: ['https://rp.example/cb'] };
    assert.equal((await tenant.send('client-registration', { bearer, json })).status, 200);
    const { status, json: refused } = await tenant.send('client-registration', { bearer, json });
    const words = String(refused['error_description']);
    assert.equal(status, 401);
    assert.match(
      words,
      development ? /^the initial access token has been used;/ : /^the bearer token is not valid$/,
    );
    const unknown = await tenant.send('client-registration', { bearer: `${bearer.slice(0, -1)}~`, json });
    assert.equal(unknown.json['error_description'], 'the bearer token is not valid');
  });
}

test('204: a client is read, changed and deleted at /register/{id} as at /clients/{id} (RFC 7592 §2)', async () => {
  const tenant = testTenant();
  const created = await tenant.register({ redirect_uris: ['https://rp.example/cb'] });
  const { client_id: id, registration_access_token: bearer } = created;
  const read = await tenant.send('client-read-at-register', { bearer, id });
  assert.deepEqual([read.status, read.json], [200, created.members]);
  const json = { redirect_uris: ['https://rp.example/other'] };
  const updated = await tenant.send('client-update-at-register', { bearer, id, json });
  assert.deepEqual(updated.json['redirect_uris'], json.redirect_uris);
  const token = String(updated.json['registration_access_token']);
  assert.equal((await tenant.send('client-delete-at-register', { bearer: token, id })).status, 204);
  assert.equal((await tenant.send('client-read', { bearer: MASTER, id })).status, 404);
});
