import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompactEncrypt, importJWK } from 'jose';
import { asserted, claimsOf } from '../../testing/assertion.ts';
import { type Answer, assertError } from '../../testing/exchange.ts';
import { ANCHOR, federatedTenant, METADATA, ORG, requestStatement } from '../../testing/federated-tenant.ts';
import { type TestEntity, testEntity } from '../../testing/federation.ts';
import { macJwt, signedJwt, type TestKey, testKey } from '../../testing/jwt.ts';
import { CALLBACK, ISSUER, START } from '../../testing/tenant.ts';

const KEY = testKey('ES256', 'rp-protocol');
const OTHER_KEY = testKey('ES256', 'rp-protocol');
const AUTOMATIC = {
  ...METADATA,
  redirect_uris: [CALLBACK],
  jwks: { keys: [KEY.jwk] },
  client_registration_types: ['automatic'],
};
const relyingParty = (metadata: object): object => ({ metadata: { openid_relying_party: metadata } });

const tenant = await federatedTenant({ 'federation.request-object-lifetime': 600 });
const { federation } = tenant;
let made = 0;

/** An automatic relying party that the server does not know yet. */
function newcomer(superiors: readonly TestEntity[] = [ORG]): TestEntity {
  made += 1;
  const entity = testEntity(`https://rp-${made}.example`);
  federation.join(entity, superiors, relyingParty(AUTOMATIC));
  return entity;
}

function claims({ id }: TestEntity, change: object = {}): object {
  made += 1;
  return {
    iss: id,
    aud: ISSUER,
    exp: START + 60,
    jti: `object-${made}`,
    client_id: id,
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: 'openid',
    nonce: 'n-0S6_WzA2Mj',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    ...change,
  };
}

const object = (rp: TestEntity, change: object = {}, header: object = {}, key: TestKey = KEY): string =>
  signedJwt(key, claims(rp, change), { typ: 'oauth-authz-req+jwt', ...header });

async function push({ id: client_id }: TestEntity, more: object, from = '192.0.2.1'): Promise<Answer> {
  return await tenant.send('pushed-authorization-request', { form: { client_id, ...more }, from });
}

const { keys: serverKeys } = (await tenant.send('jwk-set')).json as {
  keys: { use: string; kty: string }[];
};

async function encrypted(request: string): Promise<string> {
  const key = serverKeys.find(({ use, kty }) => use === 'enc' && kty === 'RSA');
  assert.ok(key !== undefined);
  return await new CompactEncrypt(Buffer.from(request))
    .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', cty: 'JWT' })
    .encrypt(await importJWK(key, 'RSA-OAEP-256'));
}

/** The statements from the relying party to the anchor, as long as those of real entities. */
const chain = (rp: TestEntity, superior = ORG, anchor = ANCHOR): readonly string[] => [
  rp.configuration({ authority_hints: [superior.id], padding: 'x'.repeat(8000) }),
  superior.about(rp),
  anchor.about(superior),
  anchor.configuration(),
];

const OWN = testEntity(ISSUER);
const peerChain = (): readonly string[] => [OWN.configuration(), ANCHOR.about(OWN), ANCHOR.configuration()];

const PROVEN: Readonly<Record<string, (rp: TestEntity) => string | Promise<string>>> = {
  signed: (rp) => object(rp),
  'signed and nested in a JWE': async (rp) => await encrypted(object(rp)),
  'signed, with a trust chain in the header': (rp) => object(rp, {}, { trust_chain: chain(rp) }),
  'signed, with a trust chain in the claims': (rp) => object(rp, { trust_chain: chain(rp) }),
  'signed, with both trust chains, nested in a JWE': async (rp) =>
    await encrypted(object(rp, {}, { trust_chain: chain(rp), peer_trust_chain: peerChain() })),
  'signed, with aud as an array of one value': (rp) => object(rp, { aud: [ISSUER] }),
};
for (const [title, request] of Object.entries(PROVEN)) {
  // proves openid-federation-12.1.1.2-2
  test(`201: a request object ${title} proves an automatic client at /par, new or known (OpenID Federation 1.0 §12.1.1.2)`, async () => {
    const rp = newcomer();
    for (const state of ['new', 'known']) {
      const answered = await push(rp, { request: await request(rp) });
      assert.equal(answered.status, 201, `${state}: ${answered.body}`);
    }
  });
}

// proves openid-federation-12.1.1.1.2-1
test('the trust chain of a request object shows the way beyond federation.hints, nested in a JWE too (OpenID Federation 1.0 §12.1.1.1.2)', async () => {
  const silent = Array.from({ length: 6 }, (_, index) => testEntity(`https://silent-${index}.example`));
  const plain = newcomer([...silent, ORG]);
  const unfound = await push(plain, { request: object(plain) });
  assert.deepEqual([unfound.status, unfound.json['error']], [400, 'invalid_trust_chain'], unfound.body);
  for (const seal of [async (request: string) => await Promise.resolve(request), encrypted]) {
    const rp = newcomer([...silent, ORG]);
    const answered = await push(rp, { request: await seal(object(rp, {}, { trust_chain: chain(rp) })) });
    assert.equal(answered.status, 201, answered.body);
  }
});

const strangeAnchor = testEntity('https://other-anchor.example');

// proves openid-federation-12.1.1.1.2-1
test('a trust chain to an anchor of others is refused with its reason, and nothing is registered', async () => {
  const rp = newcomer();
  const answered = await push(rp, {
    request: object(rp, {}, { trust_chain: chain(rp, ORG, strangeAnchor) }),
  });
  assert.deepEqual([answered.status, answered.json['error']], [400, 'invalid_trust_anchor'], answered.body);
  const contrary = { trust_chain: chain(rp), peer_trust_chain: chain(rp) };
  const refused = await push(rp, { request: object(rp, {}, contrary) });
  assert.deepEqual([refused.status, refused.json['error']], [400, 'invalid_trust_chain'], refused.body);
  assert.match(String(refused.json['error_description']), /^peer_chain_subject/);
});

const inTenYears = START + 315_360_000;

/** Names the words that the client reads for each fault. */
const REFUSED: Readonly<Record<string, readonly [request: (rp: TestEntity) => string, words: RegExp]>> = {
  'without aud': [(rp) => object(rp, { aud: undefined }), /: aud is missing$/],
  'for another server': [
    (rp) => object(rp, { aud: 'https://other.example' }),
    /: aud must be https:\/\/op\.example\.com\/c2 and no other value$/,
  ],
  'for two servers': [
    (rp) => object(rp, { aud: [ISSUER, 'https://x.example'] }),
    /: aud must be .* no other/,
  ],
  'for this server twice': [(rp) => object(rp, { aud: [ISSUER, ISSUER] }), /: aud must be .* no other/],
  'for nobody': [(rp) => object(rp, { aud: [] }), /: aud must be .* no other/],
  'without iss': [(rp) => object(rp, { iss: undefined }), /: iss is missing$/],
  'of another issuer': [
    (rp) => object(rp, { iss: 'https://other.example' }),
    /: iss must be https:\/\/rp-\d+\.example, the client_id$/,
  ],
  'without client_id': [
    (rp) => object(rp, { client_id: undefined }),
    /: client_id must be https:\/\/rp-\d+\.example, as/,
  ],
  'of another client': [(rp) => object(rp, { client_id: 'https://other.example' }), /: client_id must be/],
  'with sub': [(rp) => object(rp, { sub: rp.id }), /: sub is present, which OpenID Federation 1\.0 forbids$/],
  'without jti': [(rp) => object(rp, { jti: undefined }), /: jti is missing$/],
  'with a number as jti': [(rp) => object(rp, { jti: 7 }), /: jti has the wrong type$/],
  'without exp': [(rp) => object(rp, { exp: undefined }), /: exp is missing$/],
  expired: [(rp) => object(rp, { exp: START - 61 }), /: exp has passed$/],
  'that expires in ten years': [
    (rp) => object(rp, { exp: inTenYears }),
    /: exp is more than 600 seconds in the future$/,
  ],
  'of tomorrow': [(rp) => object(rp, { iat: START + 86_400 }), /: iat is in the future$/],
  'with another key of the same kid': [
    (rp) => object(rp, {}, {}, OTHER_KEY),
    /: its signature does not verify with the keys of the client$/,
  ],
  'with an unknown kid': [
    (rp) => object(rp, {}, {}, testKey('ES256', 'unknown')),
    /: no key of the client has its kid and fits its alg$/,
  ],
  'with a MAC': [(rp) => macJwt('HS256', 'secret'.repeat(8), claims(rp)), /: its alg must be one of: RS256 /],
  'of the type of an entity statement': [
    (rp) => object(rp, {}, { typ: 'entity-statement+jwt' }),
    /: its typ must be one of: oauth-authz-req\+jwt jwt$/,
  ],
  'that is no JWT': [() => 'a.b.c', /: it is not a signed JWT in the compact form$/],
  'that is no JWE': [() => 'a.b.c.d.e', /: it is not a JWE in the compact form$/],
};
const established = newcomer();
for (const [title, [request, words]] of Object.entries(REFUSED)) {
  // proves openid-federation-12.1.1.1-1, openid-federation-12.1.1.2-2
  test(`400: a request object ${title} at /par is refused with the real reason (OpenID Federation 1.0 §12.1.1.1)`, async () => {
    const answered = await push(established, { request: request(established) });
    assert.deepEqual(
      [answered.status, answered.json['error']],
      [400, 'invalid_request_object'],
      answered.body,
    );
    assert.match(String(answered.json['error_description']), words);
  });
}

// proves openid-federation-12.1.1.1-1
test('the authorisation endpoint tells the client the same reasons, and no text of a request object (OpenID Federation 1.0 §12.1.1.1)', async () => {
  const plain = { client_id: established.id, redirect_uri: CALLBACK, response_type: 'code' };
  for (const [title, [request, words]] of Object.entries(REFUSED)) {
    const query = new URLSearchParams({ ...plain, request: request(established) }).toString();
    const { status, headers } = await tenant.send('authorization', { query });
    assert.equal(status, 303, title);
    const answer = new URL(String(headers['location'])).searchParams;
    assert.equal(answer.get('error'), 'invalid_request_object', title);
    assert.match(answer.get('error_description') ?? '', words);
    assert.ok(!String(answer).includes('x.example'), title);
  }
});

// proves openid-federation-12.1.1.1-1
test('a request object with a long trust chain comes by POST to the authorisation endpoint (OpenID Federation 1.0 §12.1.1.1.1)', async () => {
  for (const seal of [async (request: string) => await Promise.resolve(request), encrypted]) {
    const rp = newcomer();
    const request = await seal(object(rp, {}, { trust_chain: chain(rp) }));
    assert.ok(request.length > 10_000);
    const posted = await tenant.send('authorization-post', { form: { client_id: rp.id, request } });
    assert.equal(posted.status, 303, posted.body);
    assert.match(String(posted.headers['location']), /request_uri=urn/);
  }
});

// proves openid-federation-12.1.1.1-1
test('400: a request object is used once, at /par and /authorize together (OpenID Federation 1.0 §12.1.1.1)', async () => {
  const request = object(established);
  assert.equal((await push(established, { request })).status, 201);
  const again = await push(established, { request });
  assert.match(String(again.json['error_description']), /: its jti was used before$/);
  const query = new URLSearchParams({ client_id: established.id, request }).toString();
  assert.equal((await tenant.send('authorization', { query })).status, 400);
});

test('H-430 401: a request object does not replace the client authentication of any other client (RFC 9126 §2.1)', async () => {
  const keyed = { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'private_key_jwt' };
  const jwks = { keys: [KEY.jwk] };
  const ordinary = await tenant.register({ ...keyed, jwks });
  const secret = await tenant.register({ redirect_uris: [CALLBACK], jwks });
  const explicit = testEntity('https://explicit.example');
  federation.state(ORG, explicit);
  const registered = await tenant.postFinal(requestStatement({ ...keyed, jwks }, {}, explicit));
  assert.equal(registered.status, 200, registered.body);
  const page = (await tenant.storage.clients.findOfEntity(explicit.id))?.client_id ?? '';
  for (const client_id of [ordinary.client_id, secret.client_id, page]) {
    const client = { ...established, id: client_id };
    assert.equal(
      await asPushed(client, { client_assertion: true }),
      client_id === secret.client_id ? 401 : 201,
    );
    const answered = await push(client, { request: object(client) });
    assert.equal(answered.status, 401, answered.body);
    assertError(answered, 'invalid_client');
  }
});

async function asPushed(
  client: TestEntity,
  { client_assertion }: { client_assertion: boolean },
): Promise<number> {
  const proof = client_assertion ? asserted(signedJwt(KEY, claimsOf(client.id))) : {};
  return (await push(client, { ...proof, request: object(client) })).status;
}

test('H-431 401: an automatic client with neither a request object nor a client authentication pushes nothing', async () => {
  const { iss: _, aud: _aud, ...parameters } = claims(established) as Record<string, string>;
  assertError(await push(established, parameters), 'invalid_client');
  const forged = asserted(signedJwt(OTHER_KEY, claimsOf(established.id)));
  const beside = await push(established, { ...forged, request: object(established) });
  assertError(beside, 'invalid_client');
  const header = await tenant.send('pushed-authorization-request', {
    basic: [established.id, 'guess'],
    form: { request: object(established) },
  });
  assertError(header, 'invalid_client');
});

test('H-432 429: only unproven request objects count against interaction.rate-per-network', async () => {
  const limited = await federatedTenant({ 'interaction.rate-per-network': 2 });
  limited.federation.join(established, [ORG], relyingParty(AUTOMATIC));
  const sent = async (request: string): Promise<number> =>
    (await limited.send('pushed-authorization-request', { form: { client_id: established.id, request } }))
      .status;
  for (let count = 0; count < 4; count += 1) assert.equal(await sent(object(established)), 201);
  assert.equal(await sent(object(established, {}, {}, OTHER_KEY)), 400);
  assert.equal(await sent('a.b.c'), 400);
  assert.equal(await sent('a.b.c'), 429);
});
