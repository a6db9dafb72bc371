import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAdminOperation } from '../../../testing/admin-operations.ts';
import { fapiMetadata } from '../../../testing/fapi.ts';
import { KEY } from '../../../testing/fapi-tenant.ts';
import { RELYING_PARTY } from '../../../testing/person.ts';
import { ADMIN, CALLBACK, type TestTenant, testTenant } from '../../../testing/tenant.ts';

testAdminOperation('admin-fapi-report', () => ({}));

interface Report {
  readonly client_id: string;
  readonly fits: boolean;
  readonly lacks: readonly { readonly member: string; readonly words: string; readonly remedy: string }[];
  readonly change: Readonly<Record<string, unknown>>;
}

async function report(tenant: TestTenant, query = ''): Promise<readonly Report[]> {
  const { status, body, json } = await tenant.send('admin-fapi-report', { bearer: ADMIN, query });
  assert.equal(status, 200, body);
  return json['items'] as readonly Report[];
}

test('200: GET /admin/v1/fapi-report says what each client lacks, and how to change it, without the profile being set', async () => {
  const tenant = testTenant();
  const fit = await tenant.register(fapiMetadata(CALLBACK, KEY));
  const secret = await tenant.register({ ...RELYING_PARTY, redirect_uris: ['http://127.0.0.1/cb'] });
  const rs256 = await tenant.register({
    ...fapiMetadata(CALLBACK, KEY),
    id_token_signed_response_alg: 'RS256',
    request_object_signing_alg: 'ES512',
    token_endpoint_auth_method: 'client_secret_basic',
    dpop_bound_access_tokens: undefined,
    grant_types: ['authorization_code', 'implicit', 'refresh_token'],
    response_types: ['code', 'code id_token'],
    redirect_uris: ['https://client.example/cb'],
  });
  const found = new Map((await report(tenant)).map((one) => [one.client_id, one]));
  assert.deepEqual([found.get(fit.client_id)?.fits, found.get(fit.client_id)?.lacks], [true, []]);
  const bySecret = found.get(secret.client_id);
  assert.deepEqual(
    bySecret?.lacks.map(({ member, remedy }) => [member, remedy]),
    [
      [
        'token_endpoint_auth_method',
        'register the public key of the client in jwks or jwks_uri, and set token_endpoint_auth_method to "private_key_jwt"',
      ],
      ['id_token_signed_response_alg', 'set id_token_signed_response_alg to "PS256"'],
      ['dpop_bound_access_tokens', 'set dpop_bound_access_tokens to true'],
      ['redirect_uris', 'replace the address by one with https'],
    ],
  );
  assert.deepEqual(found.get(rs256.client_id)?.change, {
    token_endpoint_auth_method: 'private_key_jwt',
    id_token_signed_response_alg: 'PS256',
    request_object_signing_alg: null,
    dpop_bound_access_tokens: true,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  });
});

test('200: the change of the report, sent to PATCH /admin/v1/clients/{client_id}, makes the client fit', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register({
    ...fapiMetadata(CALLBACK, KEY),
    id_token_signed_response_alg: 'RS256',
    dpop_bound_access_tokens: undefined,
  });
  const [{ change } = { change: {} }] = await report(tenant, 'fits=false');
  const segments = { client_id };
  const read = await tenant.send('admin-client-read', { bearer: ADMIN, segments });
  const headers = { 'if-match': read.headers['etag'] ?? '' };
  const patched = await tenant.send('admin-client-patch', {
    bearer: ADMIN,
    segments,
    headers,
    json: { metadata: change },
  });
  assert.equal(patched.status, 200, patched.body);
  assert.deepEqual(await report(tenant, 'fits=false'), []);
});

test('200: client_id selects one client, and an unknown one none', async () => {
  const tenant = testTenant();
  await tenant.register(RELYING_PARTY);
  const { client_id } = await tenant.register(RELYING_PARTY);
  assert.deepEqual(
    (await report(tenant, `client_id=${client_id}`)).map((one) => one.client_id),
    [client_id],
  );
  assert.deepEqual(await report(tenant, `client_id=${client_id}&fits=true`), []);
  assert.deepEqual(await report(tenant, 'client_id=unknown'), []);
});

test('200: message signing also needs keys for signed requests, and no response mode without a signature', async () => {
  const tenant = testTenant({ certificateAuthorities: [] });
  await tenant.register({
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [KEY.jwk] },
    id_token_signed_response_alg: 'ES256',
    tls_client_certificate_bound_access_tokens: true,
    response_modes: ['query', 'jwt'],
  });
  assert.deepEqual(
    (await report(tenant)).map(({ fits }) => fits),
    [true],
  );
  const [one] = await report(tenant, 'profile=fapi-2.0-message-signing');
  assert.deepEqual(
    one?.lacks.map(({ member }) => member),
    ['response_modes'],
  );
  assert.deepEqual(one?.change, { response_modes: ['jwt'] });
});

test('200: pages go on behind the last client; 400: a profile that is none', async () => {
  const tenant = testTenant();
  for (let count = 0; count < 3; count += 1) await tenant.register(RELYING_PARTY);
  const first = await tenant.send('admin-fapi-report', { bearer: ADMIN, query: 'limit=2' });
  assert.equal((first.json['items'] as readonly unknown[]).length, 2);
  const next = `limit=2&cursor=${String(first.json['next'])}`;
  const second = await tenant.send('admin-fapi-report', { bearer: ADMIN, query: next });
  assert.deepEqual(
    [(second.json['items'] as readonly unknown[]).length, second.json['next']],
    [1, undefined],
  );
  const wrong = await tenant.send('admin-fapi-report', { bearer: ADMIN, query: 'profile=fapi-1.0' });
  assert.equal(wrong.status, 400);
});
