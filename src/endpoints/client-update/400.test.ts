import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertError } from '../../testing/exchange.ts';
import { CALLBACK, MASTER, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';

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
    /^redirect_uris\[0\] 'javascript:alert.1.' must use https; private-use schemes are allowed for native clients only$/,
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

test('credentials come before the body: a bad body of nobody is 401, for an unknown id 404', async () => {
  const tenant = testTenant();
  const { client_id: id } = await tenant.register(WEB_CLIENT);
  assert.equal((await tenant.send('client-update', { id, body: '{' })).status, 401);
  assert.equal((await tenant.send('client-update', { bearer: MASTER, id: 'nobody', body: '{' })).status, 404);
});
