import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBusy, busyOutbound } from '../../testing/busy-outbound.ts';
import { testInsufficientScope, testNotFound, testUnauthorized } from '../../testing/client-refusals.ts';
import { assertBodiless, assertError, assertMissingScopes } from '../../testing/exchange.ts';
import {
  CALLBACK,
  clientInformationOf,
  INTROSPECTION_SCOPE,
  MASTER,
  testTenant,
  WEB_CLIENT,
} from '../../testing/tenant.ts';

const ROWS: readonly (readonly [json: object, code: string, words: RegExp])[] = [
  [
    { ...WEB_CLIENT, client_id: 'another' },
    'invalid_request',
    /^client_id must be absent or .app., the client of this URL$/,
  ],
  [
    { ...WEB_CLIENT, client_id: 7 },
    'invalid_request',
    /^client_id must be absent or .app., the client of this URL$/,
  ],
  [
    { ...WEB_CLIENT, client_id: '' },
    'invalid_request',
    /^client_id must be absent or .app., the client of this URL$/,
  ],
  [
    {},
    'invalid_redirect_uri',
    /^redirect_uris must have at least one value for the grant type authorization_code$/,
  ],
  [
    { redirect_uris: ['javascript:alert(1)'] },
    'invalid_redirect_uri',
    /^redirect_uris\[0\] 'javascript:alert.1.' must not have the scheme javascript: a browser interprets it itself$/,
  ],
  [{ redirect_uris: [CALLBACK], client_name: 7 }, 'invalid_client_metadata', /^client_name/],
  [{ ...WEB_CLIENT, response_types: ['token'] }, 'invalid_client_metadata', /^response_types/],
];

for (const kind of ['master', 'registration'] as const) {
  for (const [json, code, words] of ROWS) {
    // proves rfc7592-2.2-8
    test(`PUT ${JSON.stringify(json)} with the ${kind} token: 400 ${code}, and nothing changes (decisions 8 and 9)`, async () => {
      const tenant = testTenant();
      const client = await tenant.register({ ...WEB_CLIENT, preferred_client_id: 'app' });
      const bearer = kind === 'master' ? MASTER : client.registration_access_token;
      assertError(await tenant.send('client-update', { bearer, id: 'app', json }), code, words);
      const read = await tenant.send('client-read', { bearer: client.registration_access_token, id: 'app' });
      assert.deepEqual(read.json, client.members);
    });
  }
}

test('not even the master token gives a client another identifier: 400 invalid_client_metadata', async () => {
  const tenant = testTenant();
  const { client_id: id } = await tenant.register(WEB_CLIENT);
  const json = { ...WEB_CLIENT, preferred_client_id: 'other' };
  assertError(
    await tenant.send('client-update', { bearer: MASTER, id, json }),
    'invalid_client_metadata',
    /identifier/,
  );
});

for (const body of ['', '{', '[]', 'null', '{"client_id":"a","client_id":"b"}']) {
  test(`PUT with the body ${body}: 400 invalid_request (interface, Errors)`, async () => {
    const tenant = testTenant();
    const { client_id: id, registration_access_token: bearer } = await tenant.register(WEB_CLIENT);
    assertError(await tenant.send('client-update', { bearer, id, body }), 'invalid_request');
  });
}

for (const contentType of [null, 'text/plain', 'application/x-www-form-urlencoded']) {
  test(`PUT with Content-Type ${String(contentType)}: 400 invalid_request (interface)`, async () => {
    const tenant = testTenant();
    const { client_id: id, registration_access_token: bearer } = await tenant.register(WEB_CLIENT);
    assertError(
      await tenant.send('client-update', { bearer, id, json: WEB_CLIENT, contentType }),
      'invalid_request',
      /^Content-Type/,
    );
  });
}

test('credentials come before the body: a bad body is 401 without credentials, and 404 for an unknown id', async () => {
  const tenant = testTenant();
  const { client_id: id } = await tenant.register(WEB_CLIENT);
  assert.equal((await tenant.send('client-update', { id, body: '{' })).status, 401);
  assert.equal((await tenant.send('client-update', { bearer: MASTER, id: 'nobody', body: '{' })).status, 404);
});

testUnauthorized('update');

testInsufficientScope('update');

const REGISTERED = ['open', 'master', 'initial'] as const;

const WIDER: readonly (readonly [json: object, missing: string])[] = [
  [{ ...WEB_CLIENT, grant_types: ['authorization_code', 'client_credentials'] }, 'client-reg:grant:client'],
  [{ ...WEB_CLIENT, grant_types: ['password', 'authorization_code'] }, 'client-reg:grant:password'],
  [{ ...WEB_CLIENT, scope: INTROSPECTION_SCOPE }, 'client-reg:scope'],
  [{ ...WEB_CLIENT, data: {} }, 'client-reg:data'],
  [{ ...WEB_CLIENT, preferred_client_id: 'app' }, 'client-reg:set-id'],
  [{ ...WEB_CLIENT, preferred_client_secret: 'a-secret-of-32-printable-letters' }, 'client-reg:set-secret'],
];

for (const kind of REGISTERED) {
  for (const [json, missing] of WIDER) {
    // proves rfc7592-2.1-3
    test(`a client registered by ${kind} cannot widen itself by ${missing}: 403, and nothing changes (decision 8)`, async () => {
      const tenant = testTenant({ settings: { 'registration.allow-open-registration': true } });
      const initial = await tenant.initialToken(
        'client-reg:grant:code',
        'client-reg:set-id',
        'client-reg:set-secret',
      );
      const bearers = { open: {}, master: { bearer: MASTER }, initial: { bearer: initial } };
      const client = clientInformationOf(
        await tenant.send('client-registration', { ...bearers[kind], json: WEB_CLIENT }),
      );
      const own = { bearer: client.registration_access_token, id: client.client_id };
      assertMissingScopes(await tenant.send('client-update', { ...own, json }), missing);
      assert.deepEqual((await tenant.send('client-read', own)).json, client.members);
    });
  }
}

test('scope values are remembered one by one: 403 names those that were never allowed (decision 8)', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken(
    'client-reg:grant:code',
    'client-reg:scope:openid',
    'client-reg:scope:email',
  );
  const json = { ...WEB_CLIENT, scope: 'openid' };
  const client = clientInformationOf(await tenant.send('client-registration', { bearer, json }));
  const request = { bearer: client.registration_access_token, id: client.client_id };
  const wider = { ...WEB_CLIENT, scope: 'openid email phone address' };
  assertMissingScopes(
    await tenant.send('client-update', { ...request, json: wider }),
    'client-reg:scope:phone client-reg:scope:address',
  );
  const allowed = await tenant.send('client-update', {
    ...request,
    json: { ...WEB_CLIENT, scope: 'openid email' },
  });
  assert.equal(allowed.status, 200);
});

test('403: what the master token took away, the client cannot take back (decision 8)', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg');
  const wide = { ...WEB_CLIENT, scope: 'read' };
  const { client_id: id } = clientInformationOf(
    await tenant.send('client-registration', { bearer, json: wide }),
  );
  const narrowed = clientInformationOf(
    await tenant.send('client-update', { bearer: MASTER, id, json: WEB_CLIENT }),
  );
  const again = { bearer: narrowed.registration_access_token, id, json: wide };
  assertMissingScopes(await tenant.send('client-update', again), 'client-reg:scope');
});

test('the used-up initial access token does not update what it registered: 401 rather than 403 (decision 7)', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg');
  const { client_id: id } = clientInformationOf(
    await tenant.send('client-registration', { bearer, json: WEB_CLIENT }),
  );
  assert.equal((await tenant.send('client-update', { bearer, id, json: WEB_CLIENT })).status, 401);
});

testNotFound('update');

test('PUT /clients/{id}, the store fails: 500 without body for both tokens, and only the report has the cause', async () => {
  const tenant = testTenant();
  const { client_id, registration_access_token } = await tenant.register(WEB_CLIENT);
  const cause = new Error('disk /var/lib/registry is full');
  tenant.watch.fail(cause);
  for (const bearer of [MASTER, registration_access_token]) {
    assertBodiless(await tenant.send('client-update', { bearer, id: client_id, json: WEB_CLIENT }), 500);
  }
  assert.deepEqual(tenant.reports, [cause, cause]);
});

test('PUT that others forestall again and again is given up: 500, not an endless loop', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register(WEB_CLIENT);
  const forestall = async (): Promise<void> => {
    tenant.watch.before('clients.replace', forestall);
    const stored = (await tenant.unwatched.clients.page(undefined, 1))[0];
    assert.ok(stored !== undefined);
    await tenant.unwatched.clients.replace({ ...stored, version: stored.version + 1 }, stored.version);
  };
  tenant.watch.before('clients.replace', forestall);
  assertBodiless(
    await tenant.send('client-update', { bearer: MASTER, id: client_id, json: WEB_CLIENT }),
    500,
  );
});

test('503 with Retry-After while the server is too busy to fetch sector_identifier_uri, and the registration stays (decision 50)', async () => {
  const { outbound, causes } = busyOutbound();
  const tenant = testTenant({ outbound });
  const { client_id, registration_access_token: bearer } = await tenant.register(WEB_CLIENT);
  const json = { ...WEB_CLIENT, subject_type: 'pairwise', sector_identifier_uri: 'https://client.example/s' };
  assertBusy(await tenant.send('client-update', { id: client_id, bearer, json, from: '198.51.100.7' }));
  assert.deepEqual(causes, [{ purpose: 'sector-identifiers', remoteAddress: '198.51.100.7' }]);
  assert.equal((await tenant.send('client-read', { id: client_id, bearer })).status, 200);
});
