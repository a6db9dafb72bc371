import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fields } from '../../test/program/code-request.ts';
import { type Answer, assertError } from '../testing/exchange.ts';
import type { FapiClient } from '../testing/fapi.ts';
import {
  clientNamed,
  fapiTenant,
  fieldsOf,
  KEY,
  partOf,
  pushed,
  redeemed,
  registeredClient,
  returnedTo,
  sendPushed,
  switchedOn,
} from '../testing/fapi-tenant.ts';
import {
  CALLBACK,
  INTROSPECTION_SCOPE,
  ISSUER,
  MASTER,
  SERVICE,
  type TestTenant,
} from '../testing/tenant.ts';

const PROFILE = 'fapi-2.0-message-signing';
const JWT: Fields = { response_mode: 'jwt' };

const pushObject = async (
  tenant: TestTenant,
  client: FapiClient,
  claims: object = {},
  change: Fields = JWT,
  header: object = {},
): Promise<Answer> =>
  await sendPushed(tenant, {
    ...client.credentials(),
    request: client.requestObject(change, claims, header),
  });

// proves fapi2-ms-5.3.1-1, fapi2-ms-5.3.1-5, fapi2-ms-5.4.1-1
test('fapi-2.0-message-signing: a signed request gives a signed response with iss inside, and a bound token (FAPI 2.0 Message Signing §5.3.1, §5.4.1)', async () => {
  const tenant = fapiTenant(PROFILE);
  const client = await registeredClient(tenant);
  const returned = await returnedTo(tenant, client, await pushObject(tenant, client));
  assert.deepEqual([...returned.searchParams.keys()], ['response']);
  const { response } = fieldsOf(returned);
  assert.equal(partOf(response, 0)['alg'], 'PS256');
  const { iss, aud, state, code } = partOf(response, 1);
  assert.deepEqual([iss, aud, state], [ISSUER, client.client_id, 'af0ifjsldkj']);
  const issued = await redeemed(tenant, client, String(code));
  assert.equal(issued.json['token_type'], 'DPoP', issued.body);
});

// proves fapi2-ms-5.3.1-1
test('fapi-2.0-message-signing: an unsigned request is 400 invalid_request with what is needed; parameters beside the object do not count', async () => {
  const tenant = fapiTenant(PROFILE);
  const client = await registeredClient(tenant);
  assertError(
    await pushed(tenant, client, JWT),
    'invalid_request',
    /must sign their requests: a request object/,
  );
  const beside = await sendPushed(tenant, {
    ...client.credentials(),
    request: client.requestObject({ ...JWT, state: undefined }),
    state: 'outside',
  });
  const { response } = fieldsOf(await returnedTo(tenant, client, beside));
  assert.equal('state' in partOf(response, 1), false);
});

// proves fapi2-ms-5.3.1-2, fapi2-ms-5.3.1-3, fapi2-ms-5.3.1-4, fapi2-sp-5.3.2.1-13
test('fapi-2.0-message-signing: aud, nbf and exp of a request object (FAPI 2.0 Message Signing §5.3.1)', async () => {
  const tenant = fapiTenant(PROFILE);
  const client = await registeredClient(tenant);
  const now = tenant.clock.now();
  const rows: readonly (readonly [claims: object, refused: RegExp | undefined])[] = [
    [{ aud: [ISSUER, 'https://other.example'] }, undefined],
    [{ aud: 'https://other.example' }, /aud/],
    [{ aud: undefined }, /aud is missing/],
    [{ nbf: undefined }, /nbf is missing/],
    [{ exp: undefined }, /exp is missing/],
    [{ nbf: now - 3600, exp: now }, undefined],
    [{ nbf: now - 3601, exp: now + 1 }, /nbf is more than 3600 seconds ago/],
    [{ exp: now + 3600 }, undefined],
    [{ exp: now + 3601 }, /exp is more than 3600 seconds after nbf/],
    [{ nbf: now - 10, exp: now + 3591 }, /exp is more than 3600 seconds after nbf/],
    [{ nbf: now + 10, exp: now + 300 }, undefined],
    [{ nbf: now + 61, exp: now + 300 }, /nbf is in the future/],
    [{ iat: now + 61 }, /iat is in the future/],
    [{ exp: now - 61, nbf: now - 300 }, /exp has passed/],
  ];
  for (const [claims, refused] of rows) {
    const answer = await pushObject(tenant, client, claims);
    if (refused === undefined) assert.equal(answer.status, 201, `${JSON.stringify(claims)} ${answer.body}`);
    else assertError(answer, 'invalid_request_object', refused);
  }
  for (const typ of ['oauth-authz-req+jwt', 'OAuth-AuthZ-Req+JWT', undefined])
    assert.equal((await pushObject(tenant, client, {}, JWT, { typ })).status, 201, String(typ));
});

// proves fapi2-ms-5.4.1-1, fapi2-ms-5.3.3-1
test('fapi-2.0-message-signing: a response mode that is not signed is 400 invalid_request; response_modes of a client narrow them', async () => {
  const tenant = fapiTenant(PROFILE);
  const client = await registeredClient(tenant);
  for (const response_mode of [undefined, 'query', 'fragment', 'form_post'])
    assertError(
      await pushObject(tenant, client, {}, { response_mode }),
      'invalid_request',
      /is not accepted, accepted: jwt, query\.jwt, fragment\.jwt, form_post\.jwt$/,
    );
  const own = await registeredClient(tenant, { response_modes: ['form_post.jwt'] });
  assertError(await pushObject(tenant, own), 'invalid_request', /accepted: form_post\.jwt$/);
  assert.equal((await pushObject(tenant, own, {}, { response_mode: 'form_post.jwt' })).status, 201);
  const { json } = await tenant.send('openid-configuration');
  assert.deepEqual(json['response_modes_supported'], ['jwt', 'query.jwt', 'fragment.jwt', 'form_post.jwt']);
  assert.equal(json['require_signed_request_object'], true);
});

test('fapi-2.0-message-signing: a client without keys cannot register, for it could not sign', async () => {
  const json = {
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: 'tls_client_auth',
    tls_client_auth_san_dns: 'client.example',
  };
  const { status, json: refused } = await fapiTenant(PROFILE, {
    'listen.tls-client-certificates': 'optional',
    'listen.tls-client-ca': 'not read here',
  }).send('client-registration', { bearer: MASTER, json });
  assert.equal(status, 400);
  assert.match(
    String(refused['error_description']),
    /^jwks or jwks_uri is missing: every client signs its requests/,
  );
});

// proves fapi2-ms-5.5.1-1, rfc9701-5-1
test('fapi-2.0: an introspection answer for a resource server is signed with an accepted algorithm (FAPI 2.0 Message Signing §5.5.1)', async () => {
  const tenant = fapiTenant('fapi-2.0');
  const service = { ...SERVICE, redirect_uris: undefined, scope: INTROSPECTION_SCOPE };
  for (const [introspection_signed_response_alg, alg] of [
    [undefined, 'PS256'],
    ['ES256', 'ES256'],
  ] as const) {
    const client = await registeredClient(tenant, { ...service, introspection_signed_response_alg });
    const form = { ...client.credentials(), grant_type: 'client_credentials' };
    const issued = await tenant.send('token', { form, headers: { dpop: client.proof('/token') } });
    const answer = await tenant.send('introspection', {
      form: { ...client.credentials(), token: String(issued.json['access_token']) },
      headers: { accept: 'application/token-introspection+jwt' },
    });
    assert.equal(answer.headers['content-type'], 'application/token-introspection+jwt');
    assert.deepEqual([partOf(answer.body, 0)['alg'], partOf(answer.body, 1)['aud']], [alg, client.client_id]);
  }
});

test('fapi-2.0: a client that asked for a response mode before the settings excluded it is told which are accepted', async () => {
  const [tenant, { client_id }] = await switchedOn(PROFILE, {
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: 'private_key_jwt',
    id_token_signed_response_alg: 'PS256',
    response_modes: ['query'],
    jwks: { keys: [KEY.jwk] },
  });
  const answer = await pushObject(tenant, clientNamed(tenant, client_id), {}, { response_mode: 'query' });
  assertError(
    answer,
    'invalid_request',
    /^response_mode query is not accepted, and no other of the registered response_modes is; this server accepts jwt, query\.jwt/,
  );
});
