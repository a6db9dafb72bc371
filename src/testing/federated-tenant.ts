import assert from 'node:assert/strict';
import type { Settings } from '../config/settings.ts';
import type { JsonMembers } from '../federation/json-value.ts';
import type { SignatureAlgorithm } from '../spec/jose-algorithms.ts';
import { type Answer, assertUncached, type TestRequest } from './exchange.ts';
import { type TestEntity, TestFederation, testEntity } from './federation.ts';
import { ISSUER, type TestTenant, testTenant } from './tenant.ts';

export const ANCHOR = testEntity('https://anchor.example');
export const ORG = testEntity('https://org.example');
export const RP = testEntity('https://rp.example');
export const REDIRECT_URI = 'https://rp.example/cb';

/** Client authentication by keys: no secret. */
export const METADATA = {
  redirect_uris: [REDIRECT_URI],
  token_endpoint_auth_method: 'private_key_jwt',
  jwks: { keys: [RP.key.jwk] },
  client_name: 'Relying party',
};

/** A server whose anchor vouches for ORG, which vouches for RP, in a network that only tests change. */
export interface FederatedTenant extends TestTenant {
  readonly federation: TestFederation;
  /** POST /federation/clients. */
  post(body: string | Uint8Array, request?: TestRequest): Promise<Answer>;
  /** In the dialect of OpenID Federation 1.0. */
  postFinal(body: string | Uint8Array): Promise<Answer>;
}

export async function federatedTenant(settings: Partial<Settings> = {}): Promise<FederatedTenant> {
  const federation = new TestFederation();
  federation.state(ORG, RP);
  federation.join(ORG, [ANCHOR]);
  federation.join(ANCHOR, []);
  const tenant = testTenant({
    outbound: federation.outbound,
    settings: {
      'federation.enabled': true,
      'federation.trust-anchors': [{ 'entity-id': ANCHOR.id, jwks: { keys: [ANCHOR.key.jwk] } }],
      'federation.authority-hints': [ANCHOR.id],
      'federation.scope-values': ['openid', 'email'],
      'federation.request-lifetime': 86_400,
      // Each request sees what the test has published just now.
      'federation.statement-cache': 0,
      'federation.failure-cache': 0,
      ...settings,
    },
  });
  const post = async (body: string | Uint8Array, request: TestRequest = {}): Promise<Answer> =>
    await tenant.send('federation-registration', { body, ...request });
  return {
    ...tenant,
    federation,
    post,
    postFinal: async (body) => await post(body, { contentType: 'application/entity-statement+jwt' }),
  };
}

let statements = 0;

/** A registration request of an entity, each another one; members of `claims` go before the usual ones. */
export function requestStatement(
  metadata: object = METADATA,
  claims: object = {},
  entity: TestEntity = RP,
): string {
  statements += 1;
  return entity.configuration({
    aud: ISSUER,
    authority_hints: [ORG.id],
    metadata: { openid_relying_party: metadata },
    'test-number': statements,
    ...claims,
  });
}

/** An entity of the federation with keys for another algorithm. */
export function memberWith(algorithm: SignatureAlgorithm, federation: TestFederation): TestEntity {
  const entity = testEntity(`https://${algorithm.toLowerCase()}.example`, algorithm);
  federation.state(ORG, entity);
  return entity;
}

/** Header and claims of a registration statement. */
export function answered({ status, body }: Answer): {
  readonly header: JsonMembers;
  readonly claims: JsonMembers;
  readonly registered: JsonMembers;
} {
  assert.equal(status, 200, body);
  const [header, claims] = body
    .split('.', 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as JsonMembers);
  assert.ok(header !== undefined && claims !== undefined);
  const { openid_relying_party } = claims['metadata'] as { openid_relying_party: JsonMembers };
  return { header, claims, registered: openid_relying_party };
}

/** Asserts a refusal in the interface's dialect, with these words. */
export function assertUnauthorized(answer: Answer, words: RegExp): void {
  assert.deepEqual([answer.status, answer.json['error']], [401, 'unauthorized_client'], answer.body);
  assert.deepEqual(Object.keys(answer.json), ['error', 'error_description']);
  assert.match(String(answer.json['error_description']), words);
  assert.equal(answer.headers['content-type'], 'application/json');
  assertUncached(answer);
}
