import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeProtectedHeader } from 'jose';
import { KEY_SET_LIFETIME, RELOAD_INTERVAL } from '../../clients/client-keys/remote-jwk-set.ts';
import { configurationUrl } from '../../federation/entity-id.ts';
import { renewedMembers } from '../../federation/registration/store-renewed.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { asserted, claimsOf } from '../../testing/assertion.ts';
import { assertBusy } from '../../testing/busy-outbound.ts';
import { type Answer, assertError } from '../../testing/exchange.ts';
import { answered, federatedTenant, ORG, requestStatement } from '../../testing/federated-tenant.ts';
import { type TestEntity, testEntity } from '../../testing/federation.ts';
import { signedJwt, type TestKey, testKey } from '../../testing/jwt.ts';
import { CALLBACK, DIRECT, MASTER } from '../../testing/tenant.ts';

/** One key for each representation, so that a test sees which one counts. */
const KEYS = {
  jwks: testKey('ES256', 'inline'),
  jwks_uri: testKey('ES256', 'published'),
  signed_jwks_uri: testKey('ES256', 'signed'),
} as const;
type Form = keyof typeof KEYS;
const FORMS = Object.keys(KEYS) as readonly Form[];

const tenant = await federatedTenant();
const { federation } = tenant;
let made = 0;

const addressOf = ({ id }: TestEntity, form: Form): string => `${id}/${form}`;

function publishSigned(entity: TestEntity, keys: readonly TestKey[], by = entity): void {
  const claims = { iss: by.id, sub: by.id, keys: keys.map(({ jwk }) => jwk) };
  const set = signedJwt(by.key, claims, { typ: 'jwk-set+jwt' });
  federation.documents.set(addressOf(entity, 'signed_jwks_uri'), set);
}

/** A relying party that states its keys in these forms. */
function member(forms: readonly Form[]): { readonly entity: TestEntity; readonly metadata: object } {
  made += 1;
  const entity = testEntity(`https://rp-${made}.example`);
  const values = {
    jwks: { keys: [KEYS.jwks.jwk] },
    jwks_uri: addressOf(entity, 'jwks_uri'),
    signed_jwks_uri: addressOf(entity, 'signed_jwks_uri'),
  };
  federation.documents.set(values.jwks_uri, JSON.stringify({ keys: [KEYS.jwks_uri.jwk] }));
  publishSigned(entity, [KEYS.signed_jwks_uri]);
  const metadata = {
    redirect_uris: [CALLBACK],
    client_registration_types: ['automatic', 'explicit'],
    ...Object.fromEntries(forms.map((form) => [form, values[form]])),
  };
  federation.join(entity, [ORG], { metadata: { openid_relying_party: metadata } });
  return { entity, metadata };
}

/** Pushes a request with a client assertion by this key. */
async function pushBy(key: TestKey, client_id: string, at = tenant, from = '192.0.2.1'): Promise<Answer> {
  const iat = at.clock.now();
  const form = {
    ...asserted(signedJwt(key, claimsOf(client_id, { iat, exp: iat + 60 }))),
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: 'openid',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  };
  return await at.send('pushed-authorization-request', { form, from });
}

function idIn(answer: Answer): string {
  const { client_id } = answered(answer).registered;
  assert.ok(typeof client_id === 'string');
  return client_id;
}

const REGISTRATIONS = {
  automatic: async ({ entity }: ReturnType<typeof member>) => await Promise.resolve(entity.id),
  'explicit, final dialect': async ({ entity, metadata }: ReturnType<typeof member>) =>
    idIn(await tenant.postFinal(requestStatement(metadata, {}, entity))),
  'explicit, dialect of the interface': async ({ entity, metadata }: ReturnType<typeof member>) =>
    idIn(await tenant.post(requestStatement(metadata, {}, entity))),
};

const WINNERS: readonly (readonly [forms: readonly Form[], winner: Form])[] = [
  [['jwks'], 'jwks'],
  [['jwks_uri'], 'jwks_uri'],
  [['signed_jwks_uri'], 'signed_jwks_uri'],
  [['jwks', 'jwks_uri'], 'jwks'],
  [['jwks', 'signed_jwks_uri'], 'signed_jwks_uri'],
  [['jwks_uri', 'signed_jwks_uri'], 'signed_jwks_uri'],
  [['jwks', 'jwks_uri', 'signed_jwks_uri'], 'signed_jwks_uri'],
];
for (const [how, register] of Object.entries(REGISTRATIONS)) {
  for (const [forms, winner] of WINNERS) {
    // proves openid-federation-5.2.1.1-1
    test(`${how}: of ${forms.join(', ')} the keys of ${winner} count, and no others (OpenID Federation 1.0 §5.2.1.1; ADR 63)`, async () => {
      const client_id = await register(member(forms));
      for (const form of FORMS) {
        const pushed = await pushBy(KEYS[form], client_id);
        assert.equal(pushed.status, form === winner ? 201 : 401, `${form}: ${pushed.body}`);
      }
    });
  }
}

// proves openid-federation-5.2.1-2
test('a signed key set of another member at the address is not that of the client, also after its owner used it', async () => {
  const owner = member(['signed_jwks_uri']);
  assert.equal((await pushBy(KEYS.signed_jwks_uri, owner.entity.id)).status, 201);
  const thief = member(['signed_jwks_uri']);
  const signed_jwks_uri = addressOf(owner.entity, 'signed_jwks_uri');
  const metadata = { ...thief.metadata, signed_jwks_uri };
  federation.join(thief.entity, [ORG], { metadata: { openid_relying_party: metadata } });
  assertError(await pushBy(KEYS.signed_jwks_uri, thief.entity.id), 'invalid_client');
  const host = member(['signed_jwks_uri']);
  publishSigned(host.entity, [KEYS.signed_jwks_uri], owner.entity);
  assertError(await pushBy(KEYS.signed_jwks_uri, host.entity.id), 'invalid_client');
});

for (const [title, spoil] of [
  ['is not there', (at: string) => federation.documents.set(at, 'status')],
  [
    'has a broken signature',
    (at: string) => federation.documents.set(at, `${federation.documents.get(at) as string}A`),
  ],
] as const) {
  test(`while the signed key set ${title}, jwks stands in and jwks_uri does not (ADR 63)`, async () => {
    const { entity } = member(FORMS);
    spoil(addressOf(entity, 'signed_jwks_uri'));
    assert.equal((await pushBy(KEYS.jwks, entity.id)).status, 201);
    assert.equal((await pushBy(KEYS.jwks_uri, entity.id)).status, 401);
    const { entity: without } = member(['jwks_uri', 'signed_jwks_uri']);
    spoil(addressOf(without, 'signed_jwks_uri'));
    assert.equal((await pushBy(KEYS.jwks_uri, without.id)).status, 401);
  });
}

test('503 while the signed key set cannot be fetched and nothing stands in (decision 50)', async () => {
  const { entity } = member(['signed_jwks_uri']);
  federation.documents.set(
    addressOf(entity, 'signed_jwks_uri'),
    async () => await Promise.resolve({ status: 'failed', reason: 'busy', detail: 'no slot', retryAfter: 7 }),
  );
  assertBusy(await pushBy(KEYS.signed_jwks_uri, entity.id));
});

test('503: a refused signed set is asked for at most outbound.key-set-fetches times a minute', async () => {
  const bounded = await federatedTenant({ 'outbound.key-set-fetches': 2 });
  const { entity, metadata } = member(['signed_jwks_uri']);
  const address = addressOf(entity, 'signed_jwks_uri');
  bounded.federation.join(entity, [ORG], { metadata: { openid_relying_party: metadata } });
  bounded.federation.documents.set(address, 'a.b.c');
  const statuses: number[] = [];
  for (let count = 0; count < 4; count += 1)
    statuses.push((await pushBy(KEYS.signed_jwks_uri, entity.id, bounded)).status);
  assert.deepEqual(statuses, [401, 401, 503, 503]);
  assert.equal(bounded.federation.fetched.filter((url) => url === address).length, 2);
});

test('a key that was withdrawn from the signed set stays refused while strangers use up outbound.key-set-fetches (ADR 63, H-485)', async () => {
  const bounded = await federatedTenant({ 'outbound.key-set-fetches': 2 });
  const { entity, metadata } = member(['jwks', 'signed_jwks_uri']);
  const address = addressOf(entity, 'signed_jwks_uri');
  const claims = { iss: entity.id, sub: entity.id, keys: [KEYS.signed_jwks_uri.jwk] };
  bounded.federation.join(entity, [ORG], { metadata: { openid_relying_party: metadata } });
  bounded.federation.documents.set(address, signedJwt(entity.key, claims, { typ: 'jwk-set+jwt' }));
  assert.equal((await pushBy(KEYS.signed_jwks_uri, entity.id, bounded)).status, 201);
  assert.equal((await pushBy(testKey('ES256', 'invented'), entity.id, bounded)).status, 401);
  // Another network, so that this one may cause a fetch too.
  const withdrawn = await pushBy(KEYS.jwks, entity.id, bounded, '198.51.100.1');
  assert.equal(withdrawn.status, 503, withdrawn.body);
  assert.equal((await pushBy(KEYS.signed_jwks_uri, entity.id, bounded)).status, 201);
  bounded.clock.advance(KEY_SET_LIFETIME);
  for (const network of ['198.51.100.1', '203.0.113.1', '192.0.2.1'])
    await pushBy(testKey('ES256', 'invented'), entity.id, bounded, network);
  const late = await pushBy(KEYS.jwks, entity.id, bounded, '100.64.0.1');
  assert.equal(late.status, 503, late.body);
});

// proves openid-federation-5.2.1-2
test('after an entity rolled its federation key, a set that the new key signs is accepted at once', async () => {
  const { entity, metadata } = member(['signed_jwks_uri']);
  assert.equal((await pushBy(KEYS.signed_jwks_uri, entity.id)).status, 201);
  const rolled = { ...testEntity(entity.id), key: testKey('ES256', 'rolled') };
  const own = { jwks: { keys: [rolled.key.jwk] }, authority_hints: [ORG.id] };
  federation.documents.set(
    configurationUrl(entity.id),
    entity.configuration({ ...own, metadata: { openid_relying_party: metadata } }, {}, rolled.key),
  );
  federation.state(ORG, rolled);
  const next = testKey('ES256', 'next');
  publishSigned(entity, [next], rolled);
  tenant.clock.advance(RELOAD_INTERVAL);
  const stored = async () => (await tenant.unwatched.clients.find(entity.id as ClientId)) ?? assert.fail();
  const before = await stored();
  assert.equal((await pushBy(next, entity.id)).status, 201);
  const after = await stored();
  assert.notEqual(after.metadata, before.metadata);
  assert.deepEqual(renewedMembers(before, after), [], 'no member that anyone sees');
  const audited = (await tenant.unwatched.audit.page(0, 1000)).filter(
    ({ action, client_id }) => action === 'client.update' && client_id === entity.id,
  );
  assert.deepEqual(audited, []);
});

test('a new key of a signed set is accepted at once, and invented key ids cause one fetch a minute for each network', async () => {
  const { entity } = member(['signed_jwks_uri']);
  const address = addressOf(entity, 'signed_jwks_uri');
  const fetches = (): number => federation.fetched.filter((url) => url === address).length;
  assert.equal((await pushBy(KEYS.signed_jwks_uri, entity.id)).status, 201);
  const next = testKey('ES256', 'next');
  publishSigned(entity, [next]);
  tenant.clock.advance(1);
  assert.equal((await pushBy(next, entity.id)).status, 201);
  assert.equal((await pushBy(KEYS.signed_jwks_uri, entity.id)).status, 401);
  assert.equal(fetches(), 2);
  for (let count = 0; count < 5; count += 1)
    assert.equal((await pushBy(testKey('ES256', `invented-${count}`), entity.id)).status, 401);
  assert.equal(fetches(), 2);
  tenant.clock.advance(RELOAD_INTERVAL);
  await pushBy(testKey('ES256', 'invented'), entity.id);
  assert.equal(fetches(), 3);
});

test('exp of a signed key set ends its use before the usual five minutes', async () => {
  const { entity } = member(['signed_jwks_uri']);
  const address = addressOf(entity, 'signed_jwks_uri');
  const claims = {
    iss: entity.id,
    sub: entity.id,
    keys: [KEYS.signed_jwks_uri.jwk],
    exp: tenant.clock.now() + 10,
  };
  federation.documents.set(address, signedJwt(entity.key, claims, { typ: 'jwk-set+jwt' }));
  assert.equal((await pushBy(KEYS.signed_jwks_uri, entity.id)).status, 201);
  tenant.clock.advance(80);
  assert.equal((await pushBy(KEYS.signed_jwks_uri, entity.id)).status, 401);
});

// proves openid-federation-5.2.1-2
test('the answer of an explicit registration and the registry show signed_jwks_uri, and not the keys that verify it', async () => {
  const { entity, metadata } = member(FORMS);
  const answer = await tenant.postFinal(requestStatement(metadata, {}, entity));
  const { registered } = answered(answer);
  const read = await tenant.send('client-read', { id: idIn(answer), bearer: MASTER });
  for (const shown of [registered, read.json]) {
    assert.equal(shown['signed_jwks_uri'], addressOf(entity, 'signed_jwks_uri'));
    assert.equal(shown['jwks_uri'], addressOf(entity, 'jwks_uri'));
    assert.ok(!JSON.stringify(shown).includes('signer'));
  }
});

test('400: signed_jwks_uri with an internal address is refused at registration', async () => {
  const { entity, metadata } = member(['signed_jwks_uri']);
  const inside = { ...metadata, signed_jwks_uri: 'https://inside.example/jwks.jwt' };
  const refused = await tenant.postFinal(requestStatement(inside, {}, entity));
  assert.equal(refused.status, 400);
  assert.match(String(refused.json['error_description']), /signed_jwks_uri/);
});

test('outside a federation jwks and jwks_uri exclude each other, and signed_jwks_uri is dropped (RFC 7591 §2)', async () => {
  const both = {
    redirect_uris: [CALLBACK],
    jwks: { keys: [KEYS.jwks.jwk] },
    jwks_uri: 'https://rp.example/jwks',
  };
  const refused = await tenant.send('client-registration', { bearer: MASTER, json: both });
  assert.equal(refused.status, 400);
  const signed = { redirect_uris: [CALLBACK], signed_jwks_uri: 'https://rp.example/jwks.jwt' };
  const { members } = await tenant.register(signed);
  assert.equal(members['signed_jwks_uri'], undefined);
});

test('an ID token is encrypted to a key of the set that counts, whatever jwks has (OpenID Federation 1.0 §5.2.1)', async () => {
  const { entity, metadata } = member(['signed_jwks_uri']);
  const forEncryption = (kid: string): object => ({ ...testKey('ES256', kid).jwk, use: 'enc' });
  const claims = { iss: entity.id, sub: entity.id, keys: [KEYS.jwks.jwk, forEncryption('signed-enc')] };
  const address = addressOf(entity, 'signed_jwks_uri');
  federation.documents.set(address, signedJwt(entity.key, claims, { typ: 'jwk-set+jwt' }));
  const encrypted = {
    ...metadata,
    jwks: { keys: [KEYS.jwks.jwk, forEncryption('inline-enc')] },
    id_token_encrypted_response_alg: 'ECDH-ES',
  };
  const { registered } = answered(await tenant.postFinal(requestStatement(encrypted, {}, entity)));
  const json = {
    client_id: registered['client_id'],
    sub: 'alice',
    scope: ['openid'],
    id_token: { issue: true },
  };
  const issue = async (): Promise<unknown> => {
    const { json: tokens } = await tenant.send('direct-authorization', { bearer: DIRECT, json });
    return decodeProtectedHeader(String(tokens['id_token'])).kid;
  };
  assert.equal(await issue(), 'signed-enc');
  federation.documents.set(address, 'status');
  tenant.clock.advance(KEY_SET_LIFETIME);
  assert.equal(await issue(), 'inline-enc');
});
