import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Settings } from '../../config/settings.ts';
import { configurationUrl } from '../../federation/entity-id.ts';
import {
  ANCHOR,
  type FederatedTenant,
  federatedTenant,
  ORG,
  requestStatement,
} from '../../testing/federated-tenant.ts';
import { statementUrl, testEntity } from '../../testing/federation.ts';
import { type TestKey, testKey } from '../../testing/jwt.ts';

const OLD = ANCHOR.key;
const NEW = testKey('ES256', `${ANCHOR.id}#2`);
const BY = { actor: 'cli', request_id: 'r1' };
const FETCH = { metadata: { federation_entity: { federation_fetch_endpoint: `${ANCHOR.id}/fetch` } } };

/** The anchor publishes these keys, and signs everything with one of them. */
function publish(
  tenant: FederatedTenant,
  keys: readonly TestKey[],
  signer: TestKey,
  claims: object = {},
): void {
  const jwks = { keys: keys.map(({ jwk }) => jwk) };
  const { documents } = tenant.federation;
  documents.set(configurationUrl(ANCHOR.id), ANCHOR.configuration({ ...FETCH, jwks, ...claims }, {}, signer));
  documents.set(statementUrl(ANCHOR, ORG), ANCHOR.about(ORG, {}, {}, signer));
}

const register = async (tenant: FederatedTenant): Promise<readonly unknown[]> => {
  const { status, json } = await tenant.postFinal(requestStatement());
  const [code] = status === 200 ? [''] : String(json['error_description']).split(':', 1);
  return [status, code];
};
const REGISTERED = [200, ''];
const REFUSED = [400, 'chain_anchor_key'];

/** Messages of warnings about anchors, with the kid of the key. */
const warnings = ({ log }: FederatedTenant): readonly string[] =>
  log.flatMap(({ members, message }) =>
    'trust_anchor' in members ? [`${message}: ${String(members['kid'])}`] : [],
  );

const ANNOUNCED = `a trust anchor announces a key that is not trusted yet: ${NEW.kid}`;

async function anchorsOf(tenant: FederatedTenant) {
  const { federation } = await tenant.opened();
  assert.ok(federation !== undefined);
  return federation.trustAnchors;
}

const following = async (settings: Partial<Settings> = {}): Promise<FederatedTenant> =>
  await federatedTenant({
    'federation.follow-trust-anchor-keys': true,
    'federation.trust-anchor-key-delay': 600,
    ...settings,
  });

// proves openid-federation-11.2-1
test('the first statement with new keys of a trust anchor warns once, with the command that accepts them; they are not trusted (OpenID Federation 1.0 §11.2)', async () => {
  const tenant = await federatedTenant();
  assert.deepEqual([await register(tenant), warnings(tenant)], [REGISTERED, []]);
  publish(tenant, [OLD, NEW], OLD);
  assert.deepEqual([await register(tenant), warnings(tenant)], [REGISTERED, [ANNOUNCED]]);
  const { members } = tenant.log.findLast((line) => line.message.startsWith('a trust anchor')) ?? {};
  assert.equal(members?.['command'], `chancery federation trust-anchors accept ${ANCHOR.id}`);
  assert.deepEqual(await register(tenant), REGISTERED);
  assert.equal(warnings(tenant).length, 1);
  publish(tenant, [OLD, NEW], NEW);
  assert.deepEqual(await register(tenant), REFUSED);
  assert.equal(
    warnings(tenant).at(-1),
    `a trust anchor signs with a key that it announced and that is not trusted yet: ${NEW.kid}`,
  );
});

// proves openid-federation-11.2-1
test('accepted keys are trusted at the next request, and the anchor may drop the old one; a reset returns to the settings (OpenID Federation 1.0 §11.2)', async () => {
  const tenant = await federatedTenant();
  publish(tenant, [OLD, NEW], OLD);
  await register(tenant);
  publish(tenant, [NEW], NEW);
  assert.deepEqual(await register(tenant), REFUSED);
  const anchors = await anchorsOf(tenant);
  const accepted = await anchors.accept(ANCHOR.id, BY);
  assert.deepEqual(
    accepted?.map(({ kind, key }) => [kind, key.jwk['kid']]),
    [['accepted', NEW.kid]],
  );
  assert.deepEqual(await register(tenant), REGISTERED);
  const [view] = await anchors.view();
  assert.deepEqual(
    view?.trusted.map(({ jwk }) => jwk['kid']),
    [OLD.kid, NEW.kid],
  );
  assert.deepEqual(
    (await anchors.accept(ANCHOR.id, BY))?.map(({ kind }) => kind),
    ['withdrawn'],
  );
  publish(tenant, [OLD], OLD);
  assert.deepEqual(await register(tenant), REFUSED, 'the old key, stolen after its end');
  assert.equal(await anchors.reset(ANCHOR.id, BY), true);
  assert.deepEqual(await register(tenant), REGISTERED);
  const actions = (await tenant.storage.audit.page(0, 100)).map(({ action }) => action);
  assert.deepEqual(
    actions.filter((action) => action.startsWith('trust-anchor')),
    ['trust-anchor.announce', 'trust-anchor.accept', 'trust-anchor.withdraw', 'trust-anchor.reset'],
  );
});

// proves openid-federation-11.2-1
test('federation.follow-trust-anchor-keys trusts announced keys after federation.trust-anchor-key-delay, and no earlier (OpenID Federation 1.0 §11.2; RFC 5011 §2)', async () => {
  const tenant = await following();
  publish(tenant, [OLD, NEW], OLD);
  assert.deepEqual(await register(tenant), REGISTERED);
  tenant.clock.advance(599);
  assert.deepEqual(await register(tenant), REGISTERED);
  publish(tenant, [NEW], NEW);
  assert.deepEqual(await register(tenant), REFUSED);
  publish(tenant, [OLD, NEW], OLD);
  tenant.clock.advance(1);
  await register(tenant);
  publish(tenant, [NEW], NEW);
  assert.deepEqual(await register(tenant), REGISTERED);
  assert.equal(warnings(tenant).includes(`a key of a trust anchor is trusted from now on: ${NEW.kid}`), true);
});

test('without federation.follow-trust-anchor-keys no time makes an announced key trusted (OpenID Federation 1.0 §11.2)', async () => {
  const tenant = await federatedTenant({ 'federation.trust-anchor-key-delay': 0 });
  publish(tenant, [OLD, NEW], OLD);
  await register(tenant);
  tenant.clock.advance(600);
  await register(tenant);
  publish(tenant, [NEW], NEW);
  assert.deepEqual(await register(tenant), REFUSED);
});

test('new keys in a configuration that no trusted key signed are neither announced nor accepted nor followed (H-440)', async () => {
  for (const tenant of [
    await federatedTenant(),
    await following({ 'federation.trust-anchor-key-delay': 0 }),
  ]) {
    publish(tenant, [OLD, NEW], NEW);
    assert.deepEqual(await register(tenant), REFUSED);
    const anchors = await anchorsOf(tenant);
    assert.deepEqual(await anchors.accept(ANCHOR.id, BY), []);
    assert.deepEqual(await tenant.storage.trustAnchors.all(), []);
    assert.deepEqual(await register(tenant), REFUSED);
    const [view] = await anchors.view();
    assert.deepEqual(
      view?.trusted.map(({ jwk }) => jwk['kid']),
      [OLD.kid],
    );
  }
});

test('a configuration with an older iat than the newest brings a key that the anchor took back no trust (H-441)', async () => {
  const tenant = await following({ 'federation.trust-anchor-key-delay': 60 });
  const iat = tenant.clock.now();
  publish(tenant, [OLD, NEW], OLD, { iat: iat - 5 });
  await register(tenant);
  publish(tenant, [OLD], OLD, { iat: iat - 4 });
  await register(tenant);
  publish(tenant, [OLD, NEW], OLD, { iat: iat - 5 });
  for (let round = 0; round < 3; round += 1) {
    tenant.clock.advance(60);
    assert.deepEqual(await register(tenant), REGISTERED);
  }
  const [stored] = await tenant.storage.trustAnchors.all();
  assert.equal(stored?.content.includes(NEW.kid), false);
});

test('a key that has the kid of a trusted key is another key: it is announced under its thumbprint and signs nothing (H-442)', async () => {
  const tenant = await federatedTenant();
  const same: TestKey = { ...NEW, kid: OLD.kid, jwk: { ...NEW.jwk, kid: OLD.kid } };
  publish(tenant, [same], same);
  assert.deepEqual(await register(tenant), REFUSED);
  publish(tenant, [OLD], OLD);
  assert.deepEqual(await register(tenant), REGISTERED);
});

test('a key that one trust anchor announces, and an operator accepts, signs for no other anchor (H-443)', async () => {
  const other = testEntity('https://other-anchor.example');
  const tenant = await federatedTenant({
    'federation.trust-anchors': [ANCHOR, other].map(({ id, key }) => ({
      'entity-id': id,
      jwks: { keys: [key.jwk] },
    })),
  });
  publish(tenant, [OLD, other.key], OLD);
  await register(tenant);
  await (await anchorsOf(tenant)).accept(ANCHOR.id, BY);
  publish(tenant, [other.key], other.key);
  assert.deepEqual(await register(tenant), REGISTERED);
  const { documents } = tenant.federation;
  const claims = {
    jwks: { keys: [OLD.jwk] },
    metadata: { federation_entity: { federation_fetch_endpoint: `${other.id}/fetch` } },
  };
  documents.set(configurationUrl(other.id), other.configuration(claims, {}, OLD));
  documents.set(statementUrl(other, ORG), other.about(ORG, {}, {}, OLD));
  tenant.federation.join(ORG, [other]);
  documents.set(statementUrl(other, ORG), other.about(ORG, {}, {}, OLD));
  assert.deepEqual(await register(tenant), REFUSED);
});

test('a storage that cannot record what it saw of an anchor leaves registrations as they are', async () => {
  const tenant = await federatedTenant();
  publish(tenant, [OLD, NEW], OLD);
  await tenant.opened();
  tenant.watch.begin();
  tenant.watch.fail(new Error('full'), 'trustAnchors.put');
  assert.deepEqual(await register(tenant), REGISTERED);
  assert.ok(tenant.log.some(({ message }) => message === 'keys of a trust anchor were not recorded'));
});
