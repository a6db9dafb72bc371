import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configurationUrl } from '../../federation/entity-id.ts';
import { examineStatement } from '../../federation/examine-statement.ts';
import { joseJwtInspector } from '../../jose/jwt-verifier.ts';
import { type Answer, assertBodiless, received, requestOf } from '../../testing/exchange.ts';
import { LIMITS, NOW, testEntity } from '../../testing/federation.ts';
import { signedJwt } from '../../testing/jwt.ts';
import { publishedKeys } from '../../testing/server-keys.ts';
import { answer } from '../answer.ts';
import { contract } from './contract.ts';
import { entityConfigurationEndpoint } from './endpoint.ts';

const ISSUER = 'https://op.example.com';

const ISSUER_OF_MARKS = testEntity('https://marks.example');

const MARK = signedJwt(ISSUER_OF_MARKS.key, { trust_mark_type: 'https://marks.example/audited' });

const keys = await publishedKeys();

const ENTITY = {
  entity_id: ISSUER,
  authority_hints: ['https://anchor.example'],
  trust_anchor_hints: ['https://anchor.example', 'https://second.example'],
  trust_marks: [MARK],
  organization_name: 'Example',
  contacts: ['ops@example.com'],
  historical_keys_endpoint: `${ISSUER}/historical`,
  openid_provider: { issuer: ISSUER, client_registration_types_supported: [] },
  lifetime: 86_400,
};

function endpointAt(clock: { now: () => number }, entity = ENTITY) {
  const document = { keys: keys.federation, clock, keptFor: 300 };
  return entityConfigurationEndpoint({ entity, document, maxAge: 300 });
}

async function got(endpoint = endpointAt({ now: () => NOW })): Promise<Answer> {
  const response = await answer(endpoint, requestOf(contract, {}), () => assert.fail('no failure'));
  return await received(contract, response);
}

const claimsOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());

// proves openid-federation-9-1
test('GET /.well-known/openid-federation: 200, an entity statement that passes every check of §3.2 (OpenID Federation 1.0 §9.2)', async () => {
  const { status, headers, body } = await got();
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'application/entity-statement+jwt');
  assert.equal(headers['cache-control'], 'public, max-age=300');
  const { outcome } = await examineStatement(joseJwtInspector, body, {
    kind: 'configuration',
    subject: ISSUER,
    now: NOW,
    limits: LIMITS.statement,
    allowHttp: false,
    addressProblem: () => undefined,
  });
  assert.ok('statement' in outcome, 'reason' in outcome ? outcome.reason.words : '');
  const { iat, exp, metadata, trust_marks, authority_hints, trust_anchor_hints } = claimsOf(body);
  assert.deepEqual([iat, exp], [NOW, NOW + 86_400]);
  assert.deepEqual(authority_hints, ['https://anchor.example']);
  assert.deepEqual(trust_anchor_hints, ['https://anchor.example', 'https://second.example']);
  assert.deepEqual(trust_marks, [{ trust_mark_type: 'https://marks.example/audited', trust_mark: MARK }]);
  assert.deepEqual(metadata, {
    federation_entity: {
      federation_historical_keys_endpoint: `${ISSUER}/historical`,
      organization_name: 'Example',
      contacts: ['ops@example.com'],
    },
    openid_provider: ENTITY.openid_provider,
  });
  assert.equal(configurationUrl(ISSUER), `${ISSUER}${contract.path}`);
});

// proves openid-federation-9-1
test('200: it is signed with RS256 and the federation key, which is no key of the server’s own set (decision 28)', async () => {
  const { body } = await got();
  const header = JSON.parse(Buffer.from(body.split('.')[0] ?? '', 'base64url').toString());
  const [published] = claimsOf(body).jwks.keys;
  assert.equal(header.alg, 'RS256');
  assert.equal(header.kid, published.kid);
  const own = await keys.jwks();
  assert.ok(!own.keys.some(({ kid }) => kid === published.kid));
});

// proves openid-federation-9-1
test('200: claims without a value are left out: authority_hints "MUST NOT be the empty array" (§3.1.2)', async () => {
  const bare = {
    ...ENTITY,
    authority_hints: [],
    trust_anchor_hints: [],
    trust_marks: [],
    organization_name: undefined,
    contacts: [],
  };
  const claims = claimsOf((await got(endpointAt({ now: () => NOW }, bare as unknown as typeof ENTITY))).body);
  assert.deepEqual(Object.keys(claims), ['iss', 'sub', 'iat', 'exp', 'jwks', 'metadata']);
  assert.deepEqual(Object.keys(claims.metadata.federation_entity), ['federation_historical_keys_endpoint']);
});

test('200: one signature serves for five minutes: repeated requests cost no signatures', async () => {
  let now = NOW;
  const endpoint = endpointAt({ now: () => now });
  const first = (await got(endpoint)).body;
  now += 299;
  assert.equal((await got(endpoint)).body, first);
  now += 1;
  assert.equal(claimsOf((await got(endpoint)).body).iat, now);
});

test('GET /.well-known/openid-federation, no key: 500 without body, and the next request tries again (interface, Errors)', async () => {
  const cause = new Error('/var/lib/keys');
  const reports: unknown[] = [];
  let calls = 0;
  const sign = async (): Promise<string> => {
    calls += 1;
    throw cause;
  };
  const set = { keys: [] };
  const endpoint = entityConfigurationEndpoint({
    entity: {
      entity_id: 'https://op.example.com',
      authority_hints: [],
      trust_anchor_hints: [],
      trust_marks: [],
      organization_name: undefined,
      contacts: [],
      historical_keys_endpoint: 'https://op.example.com/historical',
      openid_provider: {},
      lifetime: 600,
    },
    document: { keys: { sign, jwks: async () => set }, clock: { now: () => 1 }, keptFor: 300 },
    maxAge: 300,
  });
  for (const expected of [1, 2]) {
    const response = await answer(endpoint, requestOf(contract, {}), (failure) => reports.push(failure));
    assertBodiless(await received(contract, response), 500);
    assert.equal(calls, expected);
  }
  assert.deepEqual(reports, [cause, cause]);
});
