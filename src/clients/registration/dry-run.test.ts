import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, assertBearerNeeded, assertError } from '../../testing/exchange.ts';
import { CALLBACK, MASTER, SERVICE, type TestTenant, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';

async function dryRun(tenant: TestTenant, json: object, bearer: string = MASTER): Promise<Answer> {
  return await tenant.send('client-registration', { bearer, json, query: 'dry_run=true' });
}

test('POST /clients?dry_run=true returns the metadata as it would be stored, and stores nothing', async () => {
  const tenant = testTenant();
  const answered = await dryRun(tenant, { ...WEB_CLIENT, client_name: 'A', unknown: 1, data: { n: 1 } });
  assert.equal(answered.status, 200, answered.body);
  assert.deepEqual(answered.json, {
    dry_run: true,
    missing_scopes: [],
    dropped: [{ member: 'unknown', rule: 'is unknown', words: 'unknown is unknown' }],
    warnings: [],
    metadata: {
      redirect_uris: [CALLBACK],
      client_name: 'A',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      application_type: 'web',
      token_endpoint_auth_method: 'client_secret_basic',
      id_token_signed_response_alg: 'RS256',
      subject_type: 'public',
      data: { n: 1 },
    },
  });
  assert.equal((await tenant.send('client-list', { bearer: MASTER })).body, '[]');
});

test('a dry run lists every scope that the token lacks instead of refusing, and does not use up the token', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg:grant:code');
  const answered = await dryRun(tenant, { ...SERVICE, scope: 'a', data: {} }, bearer);
  assert.deepEqual(answered.json['missing_scopes'], [
    'client-reg:grant:client',
    'client-reg:scope',
    'client-reg:data',
  ]);
  assert.equal((await tenant.send('client-registration', { bearer, json: WEB_CLIENT })).status, 200);
});

test('a dry run refuses metadata that no token could register', async () => {
  const tenant = testTenant();
  for (const metadata of [{ redirect_uris: ['javascript:alert(1)'] }, {}]) {
    const refused = await dryRun(tenant, metadata);
    assert.deepEqual([refused.status, refused.json['error']], [400, 'invalid_redirect_uri'], refused.body);
  }
  await tenant.register({ ...WEB_CLIENT, preferred_client_id: 'app' });
  assertError(
    await dryRun(tenant, { ...WEB_CLIENT, preferred_client_id: 'app' }),
    'invalid_client_metadata',
    /taken/,
  );
});

test('a dry run reveals whether an identifier is taken only to callers that may choose one (RFC 7591 §5)', async () => {
  const tenant = testTenant({ settings: { 'registration.allow-open-registration': true } });
  await tenant.register({ ...WEB_CLIENT, preferred_client_id: 'taken' });
  const narrow = await tenant.initialToken('client-reg:grant:code');
  for (const bearer of [undefined, narrow]) {
    const ask = async (preferred_client_id: string): Promise<Answer> =>
      await tenant.send('client-registration', {
        ...(bearer === undefined ? {} : { bearer }),
        json: { ...WEB_CLIENT, preferred_client_id },
        query: 'dry_run=true',
      });
    const [taken, free] = [await ask('taken'), await ask('free')];
    assert.deepEqual([taken.status, taken.body], [200, free.body]);
    assert.deepEqual(taken.json['missing_scopes'], ['client-reg:set-id']);
  }
});

test('a dry run needs the credentials of a registration', async () => {
  assertBearerNeeded(
    await testTenant().send('client-registration', { json: WEB_CLIENT, query: 'dry_run=true' }),
  );
});

const ADVICE: readonly (readonly [metadata: object, advice: readonly RegExp[]])[] = [
  [{ ...SERVICE }, []],
  [{ ...WEB_CLIENT }, [/client_name/]],
  [
    { redirect_uris: ['http://localhost/cb'], client_name: 'A' },
    [/http on a loopback host/, /localhost may resolve/],
  ],
  [{ ...WEB_CLIENT, client_name: 'A', grant_types: ['authorization_code', 'password'] }, [/password grant/]],
  [{ ...WEB_CLIENT, client_name: 'A', grant_types: ['implicit'] }, [/implicit grant/, /PKCE alone/]],
  [{ ...WEB_CLIENT, client_name: 'A', token_endpoint_auth_method: 'none' }, [/PKCE alone/]],
  [{ ...WEB_CLIENT, client_name: 'A', token_endpoint_auth_method: 'none', application_type: 'native' }, []],
  [
    { ...WEB_CLIENT, client_name: 'A', logo_uri: 'https://cdn.example/l.png' },
    [/logo_uri, policy_uri or tos_uri/],
  ],
  [{ ...WEB_CLIENT, client_name: 'A', logo_uri: 'https://client.example/l.png' }, []],
  [{ ...WEB_CLIENT, client_name: 'A', 'logo_uri#de': 'http://client.example/l.png' }, [/http is not shown/]],
  [
    { ...WEB_CLIENT, client_name: 'A', frontchannel_logout_uri: 'https://client.example/out' },
    [/register backchannel_logout_uri too/],
  ],
];

for (const [metadata, advice] of ADVICE) {
  test(`the advice on ${JSON.stringify(metadata)} is about ${advice.map(String).join(' and ') || 'nothing'} (RFC 9700)`, async () => {
    const { json } = await dryRun(testTenant(), metadata);
    const warnings = json['warnings'] as readonly string[];
    assert.equal(warnings.length, advice.length, warnings.join('\n'));
    for (const [index, words] of advice.entries()) assert.match(warnings[index] ?? '', words);
  });
}

for (const query of ['dry_run=1', 'dry_run=TRUE', 'dry_run=true&dry_run=true', 'dry_run=%']) {
  test(`POST /clients?${query} is 400 instead of an unintended registration`, async () => {
    const tenant = testTenant();
    assertError(
      await tenant.send('client-registration', { bearer: MASTER, json: WEB_CLIENT, query }),
      'invalid_request',
    );
    assert.equal((await tenant.send('client-list', { bearer: MASTER })).body, '[]');
  });
}

test('dry_run without a value is 400 and stores nothing', async () => {
  const tenant = testTenant();
  for (const query of ['dry_run', 'dry_run=', 'dry_run=1']) {
    const answered = await tenant.send('client-registration', { bearer: MASTER, json: WEB_CLIENT, query });
    assert.equal(answered.status, 400, query);
    assert.equal(answered.json['error'], 'invalid_request');
  }
  assert.deepEqual(await tenant.storage.clients.page(undefined, 10), []);
});

test('dry_run=false and other parameters register', async () => {
  const tenant = testTenant();
  for (const query of ['dry_run=false', 'x=y']) {
    const answered = await tenant.send('client-registration', { bearer: MASTER, json: WEB_CLIENT, query });
    assert.equal(typeof answered.json['client_id'], 'string');
  }
});
