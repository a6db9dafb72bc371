import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertError,
  assertFederationNotEnabled,
  received,
  requestOf,
  type TestRequest,
} from '../../testing/exchange.ts';
import { federatedTenant, METADATA, ORG, RP, requestStatement } from '../../testing/federated-tenant.ts';
import { INTROSPECTION_SCOPE, WEB_CLIENT } from '../../testing/tenant.ts';
import { answer } from '../answer.ts';
import { disabledContract as contract } from './contract.ts';
import { federationRegistration } from './endpoint.ts';

const REQUESTS: readonly (readonly [name: string, request: TestRequest])[] = [
  ['a statement', { contentType: 'application/jose', body: 'e30.e30.c2ln' }],
  ['a trust chain', { contentType: 'application/trust-chain+json', body: '["e30.e30.c2ln"]' }],
  ['nothing', {}],
];

for (const [name, request] of REQUESTS) {
  test(`POST /federation/clients without a federation, ${name}: 400 federation_not_enabled (interface; decision 37)`, async () => {
    const response = await answer(
      federationRegistration(undefined),
      requestOf(contract, request),
      () => undefined,
    );
    assertFederationNotEnabled(await received(contract, response), 400);
  });
}

const REFUSED_METADATA: readonly (readonly [name: string, metadata: object, code: string, words: RegExp])[] =
  [
    [
      'no redirect_uris',
      { token_endpoint_auth_method: 'none' },
      'invalid_redirect_uri',
      /^metadata_not_valid: /,
    ],
    [
      'a redirection URI with a fragment',
      { ...METADATA, redirect_uris: ['https://rp.example/#x'] },
      'invalid_redirect_uri',
      /^metadata_not_valid: /,
    ],
    [
      'an unheard-of method',
      { ...METADATA, token_endpoint_auth_method: 'magic' },
      'invalid_client_metadata',
      /^metadata_not_valid: token_endpoint_auth_method /,
    ],
    [
      'client_credentials',
      { ...METADATA, grant_types: ['client_credentials'] },
      'invalid_client_metadata',
      /^metadata_not_allowed: it would need client-reg:grant:client$/,
    ],
    [
      'the introspection scope',
      { ...METADATA, scope: INTROSPECTION_SCOPE },
      'invalid_client_metadata',
      /^metadata_not_allowed: /,
    ],
    ['data', { ...METADATA, data: {} }, 'invalid_client_metadata', /^metadata_not_allowed: /],
    [
      'preferred_client_id',
      { ...METADATA, preferred_client_id: 'mine' },
      'invalid_client_metadata',
      /^metadata_not_allowed: /,
    ],
    [
      'preferred_client_secret',
      { ...METADATA, preferred_client_secret: 'x'.repeat(43) },
      'invalid_client_metadata',
      /^metadata_not_allowed: /,
    ],
    [
      'a private key',
      { ...METADATA, jwks: { keys: [{ ...RP.key.jwk, d: 'AQ' }] } },
      'invalid_client_metadata',
      /./,
    ],
  ];
for (const [name, metadata, code, words] of REFUSED_METADATA) {
  // proves openid-federation-12.2.2-2
  test(`metadata with ${name}: 400 ${code}, in both dialects, and no client (H-212, H-213; §12.2.2)`, async () => {
    const tenant = await federatedTenant();
    const statement = requestStatement(metadata);
    assertError(await tenant.post(statement), code, words);
    // What was refused was not used up.
    assertError(await tenant.postFinal(statement), code, words);
    assert.deepEqual(await tenant.storage.clients.page(undefined, 1), []);
  });
}

// proves openid-federation-12.2.2-2
test('a policy that would make a client which could not be registered: 400 (H-212)', async () => {
  const tenant = await federatedTenant();
  const policy = { grant_types: { value: ['client_credentials'] } };
  tenant.federation.state(ORG, RP, { metadata_policy: { openid_relying_party: policy } });
  assertError(await tenant.post(requestStatement()), 'invalid_client_metadata', /^metadata_not_allowed: /);
});

// proves openid-federation-12.2.2-2
test('a policy that takes redirect_uris away: 400 (H-211)', async () => {
  const tenant = await federatedTenant();
  const policy = { redirect_uris: { value: null } };
  tenant.federation.state(ORG, RP, { metadata_policy: { openid_relying_party: policy } });
  assertError(await tenant.post(requestStatement()), 'invalid_redirect_uri', /^metadata_not_valid: /);
});

for (const contentType of [
  null,
  'application/json',
  'text/plain',
  'application/jwt',
  'application/jose; charset=latin1',
]) {
  // proves openid-federation-12.2.1-1
  test(`Content-Type ${contentType}: 400, and nothing is fetched (H-187; decision 34)`, async () => {
    const tenant = await federatedTenant();
    const response = await tenant.post(requestStatement(), { contentType });
    assertError(response, 'invalid_request', /^Content-Type must be application\/jose or /);
    assert.deepEqual(tenant.federation.fetched, []);
  });
}

const BODIES: readonly (readonly [name: string, body: string])[] = [
  ['nothing', ''],
  ['one byte', 'a'],
  ['two dots', '..'],
  ['JSON', '{"payload":"e30"}'],
  ['a line end behind it', `${requestStatement()}\n`],
  ['a byte order mark', `\ufeff${requestStatement()}`],
];
for (const [name, body] of BODIES) {
  // proves openid-federation-12.2.1-1
  test(`a body of ${name}: 400 with its reason, and nothing is fetched (H-188)`, async () => {
    const tenant = await federatedTenant();
    assertError(await tenant.post(body), 'invalid_request', /^invalid_request: statement_not_signed_jwt: /);
    assertError(await tenant.postFinal(body), 'invalid_request', /^statement_not_signed_jwt: /);
    assert.deepEqual(tenant.federation.fetched, []);
  });
}

test('an entity identifier that is the client_id of somebody else: 400, and that client stays (H-222)', async () => {
  const tenant = await federatedTenant();
  const { client_id } = await tenant.register({ ...WEB_CLIENT, preferred_client_id: RP.id });
  assertError(await tenant.post(requestStatement()), 'invalid_client_metadata', /^entity_id_taken: /);
  const [only, ...others] = await tenant.storage.clients.page(undefined, 10);
  assert.deepEqual([only?.client_id, others.length], [client_id, 0]);
});
