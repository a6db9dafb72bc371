import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configurationUrl } from '../../federation/entity-id.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { NO_SLOT } from '../../testing/busy-outbound.ts';
import {
  assertError,
  assertFederationNotEnabled,
  assertUncached,
  received,
  requestOf,
  type TestRequest,
} from '../../testing/exchange.ts';
import {
  ANCHOR,
  answered,
  assertUnauthorized,
  federatedTenant,
  METADATA,
  ORG,
  RP,
  requestStatement,
} from '../../testing/federated-tenant.ts';
import { testEntity } from '../../testing/federation.ts';
import { macJwt } from '../../testing/jwt.ts';
import { INTROSPECTION_SCOPE, ISSUER, START, WEB_CLIENT } from '../../testing/tenant.ts';
import { answer } from '../answer.ts';
import { disabledContract as contract } from './contract.ts';
import { disabledFederationRegistration } from './disabled.ts';

const REQUESTS: readonly (readonly [name: string, request: TestRequest])[] = [
  ['a statement', { contentType: 'application/jose', body: 'e30.e30.c2ln' }],
  ['a trust chain', { contentType: 'application/trust-chain+json', body: '["e30.e30.c2ln"]' }],
  ['nothing', {}],
];

for (const [name, request] of REQUESTS) {
  test(`POST /federation/clients without a federation, ${name}: 400 federation_not_enabled (interface; decision 37)`, async () => {
    const response = await answer(
      disabledFederationRegistration,
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
      /^metadata_not_allowed: the metadata requires privileges that federated clients do not have: client-reg:grant:client$/,
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
    // A refused statement is not used up.
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

test('an entity identifier that is the client_id of another client: 400, and that client stays (H-222)', async () => {
  const tenant = await federatedTenant();
  const { client_id } = await tenant.register({ ...WEB_CLIENT, preferred_client_id: RP.id });
  assertError(await tenant.post(requestStatement()), 'invalid_client_metadata', /^entity_id_taken: /);
  const [only, ...others] = await tenant.storage.clients.page(undefined, 10);
  assert.deepEqual([only?.client_id, others.length], [client_id, 0]);
});

/** Interface, Errors: 401 unauthorized_client for a signature or a chain that does not hold. */

const STRANGER = testEntity('https://stranger.example');

const DAY = 86_400;

const claimsOf = (jwt: string): Buffer => Buffer.from(jwt.split('.')[1] ?? '', 'base64url');

const UNTRUSTED: readonly (readonly [name: string, body: () => string, words: RegExp])[] = [
  [
    'signed with a key that is not in its jwks',
    () =>
      RP.configuration(
        { aud: ISSUER, authority_hints: [ORG.id], metadata: { openid_relying_party: METADATA } },
        {},
        STRANGER.key,
      ),
    /^invalid_client: statement_(?:kid|signature): /,
  ],
  ['expired', () => requestStatement(METADATA, { exp: START - 120 }), /statement_expired: /],
  [
    'with an exp too far ahead',
    () => requestStatement(METADATA, { exp: START + 2 * DAY }),
    /statement_lifetime: /,
  ],
  ['of the future', () => requestStatement(METADATA, { iat: START + 120 }), /statement_not_yet_valid: /],
  ['too old', () => requestStatement(METADATA, { iat: START - 700 }), /statement_too_old: /],
  [
    'for another server',
    () => requestStatement(METADATA, { aud: 'https://other.example' }),
    /statement_audience: /,
  ],
  [
    'for several servers, ours among them',
    () => requestStatement(METADATA, { aud: [ISSUER, 'https://other.example'] }),
    /statement_audience: /,
  ],
  [
    'with a MAC',
    () => macJwt('HS256', 'x'.repeat(32), claimsOf(requestStatement()), { kid: RP.key.kid }),
    /statement_algorithm: /,
  ],
];

for (const [name, body, words] of UNTRUSTED) {
  // proves openid-federation-12.2.1-1
  test(`a statement ${name}: 401 with its reason, and nothing is fetched (interface; H-189, H-193, H-194, H-197)`, async () => {
    const tenant = await federatedTenant();
    assertUnauthorized(await tenant.post(body()), words);
    assert.deepEqual(tenant.federation.fetched, []);
  });
}

// proves openid-federation-8.9-2
test('no chain to a configured anchor: 401, which says how far it went (interface; H-203)', async () => {
  const tenant = await federatedTenant();
  tenant.federation.join(ORG, [STRANGER]);
  tenant.federation.join(STRANGER, []);
  assertUnauthorized(await tenant.post(requestStatement()), /^invalid_trust_anchor: unknown_trust_anchor: /);
  assert.equal(
    tenant.log.some(({ members }) => members['reason'] === 'unknown_trust_anchor'),
    true,
  );
});

test('the superior vouches for other keys than the statement was signed with: 401 (H-205; decision 34)', async () => {
  const tenant = await federatedTenant();
  tenant.federation.state(ORG, { ...RP, key: STRANGER.key });
  assertUnauthorized(await tenant.post(requestStatement()), /chain_signature: /);
});

// proves openid-federation-8.9-2
test('a policy that the metadata does not meet: 401 in the interface’s dialect, 400 invalid_metadata in the Final one (H-209, §8.9)', async () => {
  const tenant = await federatedTenant();
  const policy = { client_name: { one_of: ['Another'] } };
  tenant.federation.state(ORG, RP, { metadata_policy: { openid_relying_party: policy } });
  assertUnauthorized(await tenant.post(requestStatement()), /^invalid_metadata: policy_/);
  const { status, json } = await tenant.postFinal(requestStatement());
  assert.deepEqual([status, json['error']], [400, 'invalid_metadata']);
});

test('401: a published configuration, without aud, is refused where federation.require-audience says so (decision 35)', async () => {
  const claims = { authority_hints: [ORG.id], metadata: { openid_relying_party: METADATA } };
  const tenant = await federatedTenant({ 'federation.require-audience': true });
  assertUnauthorized(await tenant.post(RP.configuration(claims)), /statement_audience: .* has no aud/);
  answered(await tenant.post(requestStatement()));
});

// proves openid-federation-12.2-1
test('a failure of the authorities does not use a statement up', async () => {
  const tenant = await federatedTenant();
  const statement = requestStatement();
  const url = `${ANCHOR.id}/.well-known/openid-federation`;
  const good = tenant.federation.documents.get(url);
  tenant.federation.documents.set(url, 'timeout');
  assertUnauthorized(await tenant.post(statement), /fetch_timeout: /);
  tenant.federation.documents.set(url, good as string);
  answered(await tenant.post(statement));
});

test('401: an entity that left the federation is refused at the next registration, and the old one ends at its exp (H-220, H-217)', async () => {
  const tenant = await federatedTenant();
  const { registered } = answered(await tenant.post(requestStatement()));
  tenant.federation.documents.delete(`${ORG.id}/fetch?sub=${encodeURIComponent(RP.id)}`);
  assertUnauthorized(await tenant.post(requestStatement()), /fetch_status: /);
  assert.notEqual(await (await tenant.registry()).clients.find(registered['client_id'] as never), undefined);
  tenant.clock.advance(3600);
  assert.equal(await (await tenant.registry()).clients.find(registered['client_id'] as never), undefined);
});

test('401: statements of a stranger in the name of an entity harm neither its registration nor its next one (H-228)', async () => {
  const tenant = await federatedTenant();
  const forged = (): string =>
    RP.configuration(
      {
        aud: ISSUER,
        authority_hints: [ORG.id],
        jwks: { keys: [STRANGER.key.jwk] },
        metadata: { openid_relying_party: METADATA },
      },
      {},
      STRANGER.key,
    );
  assertUnauthorized(await tenant.post(forged()), /chain_signature: /);
  const { registered } = answered(await tenant.post(requestStatement()));
  const client_id = registered['client_id'] as ClientId;
  const stored = await tenant.storage.clients.find(client_id);
  assertUnauthorized(await tenant.post(forged()), /chain_signature: /);
  assert.ok(stored !== undefined);
  assert.deepEqual(await tenant.storage.clients.find(client_id), stored);
  assert.equal((await tenant.post(requestStatement())).status, 200);
});

// proves openid-federation-8.9-2
test('no way leads to a configured anchor, in the dialect of OpenID Federation 1.0: 404 invalid_trust_anchor, with its reason (§8.9)', async () => {
  const stranger = testEntity('https://stranger.example');
  const tenant = await federatedTenant();
  tenant.federation.join(ORG, [stranger]);
  tenant.federation.join(stranger, []);
  const response = await tenant.postFinal(requestStatement());
  assert.deepEqual([response.status, response.json['error']], [404, 'invalid_trust_anchor']);
  assert.match(String(response.json['error_description']), /^unknown_trust_anchor: /);
  assertUncached(response);
});

test('503 with Retry-After while the server is too busy to fetch a statement, in both dialects: it does not say invalid_trust_chain (decision 50; OpenID Federation 1.0 §8.9)', async () => {
  const tenant = await federatedTenant();
  tenant.federation.documents.set(configurationUrl(ORG.id), async () => await Promise.resolve(NO_SLOT));
  const statement = requestStatement();
  const answers = [await tenant.post(statement), await tenant.postFinal(requestStatement())];
  for (const refused of answers) {
    assert.equal(refused.status, 503, refused.body);
    assert.equal(refused.json['error'], 'temporarily_unavailable');
    assert.match(String(refused.json['error_description']), /^fetch_busy: /);
    assert.equal(refused.headers['retry-after'], '7');
  }
  tenant.federation.join(ORG, [ANCHOR]);
  assert.equal((await tenant.post(statement)).status, 200, 'the statement is not used up');
});

test('503: a busy search beside a superior without a trust anchor is not told as unknown_trust_anchor (decision 50)', async () => {
  const tenant = await federatedTenant();
  const lost = testEntity('https://lost.example');
  tenant.federation.join(lost, []);
  tenant.federation.state(lost, RP);
  tenant.federation.documents.set(configurationUrl(ORG.id), async () => await Promise.resolve(NO_SLOT));
  const refused = await tenant.post(requestStatement(METADATA, { authority_hints: [ORG.id, lost.id] }));
  assert.deepEqual([refused.status, refused.json['error']], [503, 'temporarily_unavailable']);
});
