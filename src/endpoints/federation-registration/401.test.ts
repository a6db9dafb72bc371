import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientId } from '../../spec/identifiers.ts';
import { type Answer, assertUncached } from '../../testing/exchange.ts';
import {
  ANCHOR,
  answered,
  federatedTenant,
  METADATA,
  ORG,
  RP,
  requestStatement,
} from '../../testing/federated-tenant.ts';
import { testEntity } from '../../testing/federation.ts';
import { macJwt } from '../../testing/jwt.ts';
import { ISSUER, START } from '../../testing/tenant.ts';

/** Interface, Errors: 401 unauthorized_client for a signature or a chain that does not hold. */
function assertUnauthorized(answer: Answer, words: RegExp): void {
  assert.deepEqual([answer.status, answer.json['error']], [401, 'unauthorized_client'], answer.body);
  assert.deepEqual(Object.keys(answer.json), ['error', 'error_description']);
  assert.match(String(answer.json['error_description']), words);
  assert.equal(answer.headers['content-type'], 'application/json');
  assertUncached(answer);
}

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
    () => requestStatement(METADATA, { aud: [ISSUER] }),
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

// proves openid-federation-12.2-1
test('a statement is taken once, however often it is signed: the second time it discloses nothing and ends nothing (decision 35; H-195)', async () => {
  const tenant = await federatedTenant();
  const metadata = { redirect_uris: METADATA.redirect_uris };
  const statement = requestStatement(metadata);
  const { registered } = answered(await tenant.post(statement));
  for (const again of [statement, statement]) {
    assertUnauthorized(await tenant.post(again), /^invalid_client: statement_replayed: /);
    const { status, json } = await tenant.postFinal(again);
    assert.deepEqual([status, json['error']], [401, 'invalid_client']);
  }
  const [live, ...others] = await tenant.storage.clients.page(undefined, 10);
  assert.deepEqual([live?.client_id, others.length], [registered['client_id'], 0]);
});

// proves openid-federation-12.2-1
test('of 20 requests with one statement at once one is taken (decision 35)', async () => {
  const tenant = await federatedTenant({ 'federation.registrations': 20 });
  const statement = requestStatement();
  const responses = await Promise.all(Array.from({ length: 20 }, async () => await tenant.post(statement)));
  const statuses = responses.map(({ status }) => status);
  assert.deepEqual(
    statuses.toSorted((a, b) => a - b),
    [200, ...Array.from({ length: 19 }, () => 401)],
  );
});

test('a published configuration, without aud, is refused where federation.require-audience says so (decision 35)', async () => {
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

test('who is not in the federation any more is refused at the next registration, and the old one ends at its exp (H-220, H-217)', async () => {
  const tenant = await federatedTenant();
  const { registered } = answered(await tenant.post(requestStatement()));
  tenant.federation.documents.delete(`${ORG.id}/fetch?sub=${encodeURIComponent(RP.id)}`);
  assertUnauthorized(await tenant.post(requestStatement()), /fetch_status: /);
  assert.notEqual(await (await tenant.registry()).clients.find(registered['client_id'] as never), undefined);
  tenant.clock.advance(3600);
  assert.equal(await (await tenant.registry()).clients.find(registered['client_id'] as never), undefined);
});

test('statements of a stranger in the name of an entity are 401, and harm neither its registration nor its next one (H-228)', async () => {
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
  const client_id = String(registered['client_id']) as ClientId;
  const stored = await tenant.storage.clients.find(client_id);
  assertUnauthorized(await tenant.post(forged()), /chain_signature: /);
  assert.ok(stored !== undefined);
  assert.deepEqual(await tenant.storage.clients.find(client_id), stored);
  assert.equal((await tenant.post(requestStatement())).status, 200);
});
