import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formText } from '../../../test/program/code-request.ts';
import { ANCHOR, ORG, RP, requestStatement } from '../../testing/federated-tenant.ts';
import { statementUrl, testEntity } from '../../testing/federation.ts';
import { signedJwt, type TestKey, testKey } from '../../testing/jwt.ts';
import { CHAIN, type LivingMember, livingMember, rolled } from '../../testing/living-member.ts';
import { CALLBACK, ISSUER } from '../../testing/tenant.ts';
import { configurationUrl } from '../entity-id.ts';

/** The default of `federation.look-interval`, in seconds. */
const LOOK = 10;

const NEW_KEY = testKey('ES256', 'rp-protocol-2');
const RP_ROLLED = rolled(RP, testKey('ES256', 'rp-federation-2'));
const ORG_ROLLED = rolled(ORG, testKey('ES256', 'org-federation-2'));
const CONFIGURATION = configurationUrl(RP.id);

/** A member of a server that caches statements, signed in, a look-interval after that. */
async function settled(): Promise<LivingMember & { readonly refresh_token: string }> {
  const member = await livingMember({ 'federation.statement-cache': 60 });
  member.publish();
  const { refresh_token = '' } = await member.tokens();
  member.tenant.clock.advance(LOOK + 1);
  return { ...member, refresh_token };
}

const keysOf = (...keys: readonly TestKey[]): object => ({ jwks: { keys: keys.map(({ jwk }) => jwk) } });

let objects = 0;

async function ask(member: LivingMember, key: TestKey): Promise<number> {
  objects += 1;
  const now = member.tenant.clock.now();
  const claims = { iss: RP.id, aud: ISSUER, exp: now + 60, jti: `object ${objects}`, client_id: RP.id };
  const request = signedJwt(key, {
    ...claims,
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: 'openid',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  });
  const query = formText({ client_id: RP.id, request });
  return (await member.tenant.send('authorization', { query })).status;
}

const ACCEPTED = 303;

test('a client that rolled its keys signs its next request object with the new one, and the old one stops (RFC 7517 §4.5)', async () => {
  const member = await settled();
  assert.equal(await ask(member, RP.key), ACCEPTED);
  member.publish({ metadata: keysOf(NEW_KEY) });
  const fetched = await member.fetchedDuring(async () => assert.equal(await ask(member, NEW_KEY), ACCEPTED));
  assert.deepEqual(fetched, [CONFIGURATION], 'its superiors have said nothing new');
  assert.notEqual(await ask(member, RP.key), ACCEPTED);
});

for (const [endpoint, form] of [
  ['token', (refresh_token: string) => ({ grant_type: 'refresh_token', refresh_token })],
  ['revocation', (token: string) => ({ token })],
  [
    'pushed-authorization-request',
    () => ({ response_type: 'code', redirect_uri: CALLBACK, scope: 'openid' }),
  ],
] as const) {
  test(`POST ${endpoint} follows a client assertion with a new key, and no longer takes the removed one`, async () => {
    const member = await settled();
    member.publish({ metadata: keysOf(NEW_KEY) });
    const answered = await member.send(endpoint, form(member.refresh_token), NEW_KEY);
    assert.ok(answered.status < 300, answered.body);
    const old = await member.send(endpoint, form(member.refresh_token));
    assert.deepEqual([old.status, old.json['error']], [401, 'invalid_client']);
  });
}

test('an overlap of two keys serves both, with one look (OpenID Federation 1.0 §11.1)', async () => {
  const member = await settled();
  member.publish({ metadata: keysOf(RP.key, NEW_KEY) });
  const fetched = await member.fetchedDuring(async () => {
    for (const key of [NEW_KEY, RP.key, NEW_KEY]) assert.equal(await ask(member, key), ACCEPTED);
  });
  assert.deepEqual(fetched, [CONFIGURATION]);
});

test('unknown keys cause one look in federation.look-interval, however many requests name them at once or in turn (H-420)', async () => {
  const member = await settled();
  const forged = async (): Promise<void> => {
    await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const key = testKey('ES256', `forged-${index}`);
        assert.notEqual(await ask(member, key), ACCEPTED);
        assert.equal((await member.push(key)).status, 401);
      }),
    );
  };
  assert.deepEqual(await member.fetchedDuring(forged), [CONFIGURATION]);
  assert.deepEqual(await member.fetchedDuring(forged), []);
  member.tenant.clock.advance(LOOK);
  assert.deepEqual(await member.fetchedDuring(forged), [CONFIGURATION]);
  assert.equal(await ask(member, RP.key), ACCEPTED, 'its own key goes on');
});

test('an entity whose configuration cannot be had now is not blamed for an unknown key: 503 with Retry-After (decision 50)', async () => {
  const member = await settled();
  const failed = { status: 'failed', reason: 'timeout', detail: '', retryAfter: 7 } as const;
  member.tenant.federation.documents.set(CONFIGURATION, async () => await Promise.resolve(failed));
  const pushed = await member.push(NEW_KEY);
  assert.deepEqual([pushed.status, pushed.headers['retry-after']], [503, '7']);
  assert.equal((await member.push()).status, 201, 'the known key');
});

const ROLLED = [
  ['the relying party', { rp: RP_ROLLED }],
  ['its superior', { org: ORG_ROLLED }],
  ['both', { rp: RP_ROLLED, org: ORG_ROLLED }],
] as const;
for (const [who, entities] of ROLLED) {
  // proves openid-federation-11.1-1
  test(`a federation key that ${who} rolled is followed although older statements are cached (OpenID Federation 1.0 §11.1)`, async () => {
    const member = await settled();
    member.publish({ metadata: keysOf(NEW_KEY), ...entities });
    assert.equal((await member.push(NEW_KEY)).status, 201);
    const { org = ORG, rp = RP } = entities as { org?: typeof ORG; rp?: typeof RP };
    const now = member.tenant.clock.now();
    member.publish({ org, rp });
    // The statement about a newcomer is by the new key of the superior, whose configuration is cached with the old one.
    const newcomer = testEntity('https://newcomer.example');
    member.tenant.federation.state(org, newcomer);
    for (const entity of [rp, newcomer]) {
      const claims = { iat: now, exp: now + CHAIN, jwks: { keys: [entity.key.jwk] } };
      const answered = await member.tenant.postFinal(requestStatement(undefined, claims, entity));
      assert.equal(answered.status, 200, answered.body);
    }
  });
}

test('a registration statement with the new federation key is accepted once the superior states it, and one with the old key is not', async () => {
  const member = await settled();
  const now = member.tenant.clock.now();
  const times = { iat: now, exp: now + CHAIN };
  const statement = (entity: typeof RP): string =>
    requestStatement(undefined, { ...times, jwks: { keys: [entity.key.jwk] } }, entity);
  const refused = await member.tenant.postFinal(statement(RP_ROLLED));
  assert.match(String(refused.json['error_description']), /^chain_signature: /);
  member.publish({ rp: RP_ROLLED });
  member.tenant.clock.advance(LOOK + 1);
  assert.equal((await member.tenant.postFinal(statement(RP_ROLLED))).status, 200);
  const old = await member.tenant.postFinal(statement(RP));
  assert.match(String(old.json['error_description']), /^chain_signature: /);
});

test('statements that strangers make up in the name of a member make the server fetch each cached statement once in an interval, and the refusal is final (H-421)', async () => {
  const member = await settled();
  const stranger = rolled(RP, testKey('ES256', 'stranger'));
  const forged = async (): Promise<void> => {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const now = member.tenant.clock.now();
      const claims = { iat: now, exp: now + 60, jwks: { keys: [stranger.key.jwk] } };
      const { status, json } = await member.tenant.postFinal(requestStatement(undefined, claims, stranger));
      assert.deepEqual([status, json['error']], [400, 'invalid_trust_chain']);
    }
  };
  const above = [configurationUrl(ORG.id), statementUrl(ORG, RP), configurationUrl(ANCHOR.id)];
  const all = [...above, statementUrl(ANCHOR, ORG)].toSorted();
  assert.deepEqual((await member.fetchedDuring(forged)).toSorted(), all);
  assert.deepEqual(await member.fetchedDuring(forged), []);
  member.tenant.clock.advance(LOOK + 1);
  assert.deepEqual((await member.fetchedDuring(forged)).toSorted(), all);
});

test('an explicit client follows the keys that its entity publishes', async () => {
  const member = await livingMember();
  member.publish();
  const keys = { token_endpoint_auth_method: 'private_key_jwt', ...keysOf(RP.key) };
  const { client_id } = await member.register(keys);
  const id = String(client_id);
  const revoke = async (key: TestKey): Promise<number> =>
    (await member.send('revocation', { token: 'unknown' }, key, id)).status;
  assert.equal(await revoke(RP.key), 200);
  member.publish({ metadata: keysOf(NEW_KEY) });
  assert.equal(await revoke(NEW_KEY), 200);
  assert.equal(await revoke(RP.key), 401);
  assert.equal((await member.stored(id)).entity_id, RP.id);
});
