import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { joseJweDecrypter } from '../../jose/jwe.ts';
import { joseJwtVerifier } from '../../jose/jwt-verifier.ts';
import { keyMaker } from '../../jose/private-keys.ts';
import { digestOf } from '../../keys/digest.ts';
import type { JwtProfile } from '../../ports/jwt-verifier.ts';
import type { OutboundHttp } from '../../ports/outbound-http.ts';
import type { AccessTokenKey, ClientId } from '../../spec/identifiers.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import { KEY_MANAGEMENT_ALGORITHMS, SIGNING_ALGORITHMS } from '../../spec/server-capabilities.ts';
import { type Answer, assertError, assertUncached } from '../../testing/exchange.ts';
import { publishedKeys } from '../../testing/server-keys.ts';
import {
  type ClientInformation,
  DIRECT,
  INTROSPECTION_SCOPE,
  ISSUER,
  MASTER,
  SERVICE,
  START,
  type TestTenant,
  testTenant,
} from '../../testing/tenant.ts';
import { LOCATOR_LENGTH, locatorAt } from '../../tokens/token-identifier.ts';

const JWT_TYPE = 'application/token-introspection+jwt';

const RESOURCE_SERVER = { ...SERVICE, scope: INTROSPECTION_SCOPE };

/** As a resource server reads it (RFC 9701 §5). */
function profileFor(audience: string): JwtProfile {
  return {
    algorithms: SIGNING_ALGORITHMS,
    types: ['token-introspection+jwt'],
    requiredClaims: ['iss', 'aud', 'iat'],
    issuer: ISSUER,
    audience: { kind: 'sole', values: [audience] },
    lifetimeMax: undefined,
    ageMax: undefined,
  };
}

interface ReadAnswer {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

async function verified(jwt: string, audience: string, tenant: TestTenant): Promise<ReadAnswer> {
  const keys = await (await publishedKeys()).verificationKeys();
  const verification = await joseJwtVerifier(tenant.clock).verify(jwt, keys, profileFor(audience));
  assert.ok(verification.verified, 'reason' in verification ? verification.reason : '');
  return { header: { ...verification.header }, claims: { ...verification.claims } };
}

async function ask(
  tenant: TestTenant,
  { client_id, client_secret }: ClientInformation,
  token: string,
  accept = JWT_TYPE,
): Promise<Answer> {
  const headers = { accept };
  return await tenant.send('introspection', { basic: [client_id, client_secret], form: { token }, headers });
}

// proves rfc9701-4-1, rfc9701-5-2, rfc9701-5-3, rfc9701-5-5
test('a live token as a JWT: iss, aud of the caller, iat, and what JSON says in token_introspection; no sub and exp beside it (RFC 9701 §5; decision 25)', async () => {
  const tenant = testTenant();
  const caller = await tenant.register(RESOURCE_SERVER);
  const token = await tenant.authorize({ client_id: caller.client_id, sub: 'alice', scope: ['read'] });
  tenant.clock.advance(5);
  const plain = await ask(tenant, caller, token, 'application/json');
  const answered = await ask(tenant, caller, token);
  assert.equal(answered.status, 200);
  assert.equal(answered.headers['content-type'], JWT_TYPE);
  assertUncached(answered);
  const { header, claims } = await verified(answered.body, caller.client_id, tenant);
  const { kid, ...named } = header;
  assert.deepEqual(named, { alg: 'RS256', typ: 'token-introspection+jwt' });
  assert.equal(typeof kid, 'string');
  const { token_introspection, ...others } = claims;
  assert.deepEqual(others, { iss: ISSUER, aud: caller.client_id, iat: START + 5 });
  assert.deepEqual(token_introspection, plain.json);
});

// proves rfc9701-5-4
test('every inactive reason says the same: active false alone, signed (RFC 9701 §5; decision 23)', async () => {
  const tenant = testTenant();
  const caller = await tenant.register(RESOURCE_SERVER);
  const gone = await tenant.register(SERVICE);
  const orphan = await tenant.authorize({ client_id: gone.client_id, scope: ['read'] });
  await tenant.send('client-delete', { bearer: MASTER, id: gone.client_id });
  const [first, ...others] = await Promise.all(
    [orphan, 'junk', `${orphan}x`, caller.registration_access_token].map((token) =>
      ask(tenant, caller, token),
    ),
  );
  const { claims } = await verified(first?.body ?? '', caller.client_id, tenant);
  assert.deepEqual(claims, {
    iss: ISSUER,
    aud: caller.client_id,
    iat: START,
    token_introspection: { active: false },
  });
  for (const other of others) assert.deepEqual(other, first);
});

// proves rfc9701-5-3
test('dat is letter for letter in the JWT too (interface, Token introspection response)', async () => {
  const tenant = testTenant();
  const caller = await tenant.register(RESOURCE_SERVER);
  const token = await issuedWith(tenant, caller.client_id, '{"z":1e400,"a":9007199254740993,"b":1.50}');
  const { body } = await ask(tenant, caller, token);
  const payload = Buffer.from(body.split('.')[1] ?? '', 'base64url').toString();
  assert.ok(payload.endsWith('"dat":{"z":1e400,"a":9007199254740993,"b":1.50}}}'), payload);
});

async function issuedWith(tenant: TestTenant, client_id: string, data: string): Promise<string> {
  const body = `{"client_id":"${client_id}","scope":["read"],"data":${data}}`;
  const issued = await tenant.send('direct-authorization', {
    bearer: DIRECT,
    body,
  });
  return String(issued.json['access_token']);
}

for (const alg of SIGNING_ALGORITHMS) {
  // proves rfc9701-6-1
  test(`introspection_signed_response_alg ${alg} (RFC 9701 §6)`, async () => {
    const tenant = testTenant();
    const caller = await tenant.register({ ...RESOURCE_SERVER, introspection_signed_response_alg: alg });
    assert.equal(caller.members['introspection_signed_response_alg'], alg);
    const { body } = await ask(tenant, caller, 'junk');
    const { header } = await verified(body, caller.client_id, tenant);
    assert.equal(header['alg'], alg);
  });
}

// proves rfc9701-5-2
test('a bearer caller is the client of its token: the JWT is for that client, signed as it registered (RFC 9701 §5)', async () => {
  const tenant = testTenant();
  const caller = await tenant.register({ ...RESOURCE_SERVER, introspection_signed_response_alg: 'ES256' });
  const bearer = await tenant.authorize({ client_id: caller.client_id, scope: [INTROSPECTION_SCOPE] });
  const answered = await tenant.send('introspection', {
    bearer,
    form: { token: bearer },
    headers: { accept: JWT_TYPE },
  });
  const { header, claims } = await verified(answered.body, caller.client_id, tenant);
  assert.equal(header['alg'], 'ES256');
  assert.equal((claims['token_introspection'] as { client_id: string }).client_id, caller.client_id);
});

interface Receiver {
  readonly jwk: JsonWebKey;
  readonly privateJwk: JsonWebKey;
}

function receiver(kty: 'RSA' | 'EC', kid: string, members: object = {}): Receiver {
  const { publicKey, privateKey } =
    kty === 'RSA'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const named = { kid, ...members };
  return {
    jwk: { ...publicKey.export({ format: 'jwk' }), ...named },
    privateJwk: { ...privateKey.export({ format: 'jwk' }), ...named },
  };
}

const RSA = receiver('RSA', 'rsa', { use: 'enc' });

const EC = receiver('EC', 'ec');

const SIGNING_ONLY = receiver('RSA', 'sig', { use: 'sig' });

async function decrypted(
  jwe: string,
): Promise<{ plaintext: string; header: Readonly<Record<string, unknown>> }> {
  const decryption = await joseJweDecrypter().decrypt(jwe, [RSA.privateJwk, EC.privateJwk], {
    algorithms: KEY_MANAGEMENT_ALGORITHMS,
    encryptions: ['A128CBC-HS256', 'A256GCM'],
  });
  assert.ok(decryption.decrypted, 'reason' in decryption ? decryption.reason : '');
  return decryption;
}

for (const [alg, enc, kid] of [
  ['RSA-OAEP-256', undefined, 'rsa'],
  ['RSA-OAEP', 'A256GCM', 'rsa'],
  ['ECDH-ES', 'A256GCM', 'ec'],
  ['ECDH-ES+A128KW', undefined, 'ec'],
] as const) {
  // proves rfc9701-5-6, rfc9701-6-1
  test(`introspection_encrypted_response_alg ${alg}, enc ${enc ?? 'by default'}: a signed JWT inside a JWE for the caller’s key (RFC 9701 §5, §6; RFC 7519 §5.2)`, async () => {
    const tenant = testTenant();
    const caller = await tenant.register({
      ...RESOURCE_SERVER,
      jwks: { keys: [SIGNING_ONLY.jwk, RSA.jwk, EC.jwk] },
      introspection_encrypted_response_alg: alg,
      ...(enc === undefined ? {} : { introspection_encrypted_response_enc: enc }),
    });
    const token = await tenant.authorize({ client_id: caller.client_id, scope: ['read'] });
    const answered = await ask(tenant, caller, token);
    assert.equal(answered.headers['content-type'], JWT_TYPE);
    const { plaintext, header } = await decrypted(answered.body);
    const { epk: _, ...named } = header;
    assert.deepEqual(named, { alg, enc: enc ?? 'A128CBC-HS256', cty: 'JWT', kid });
    const { claims } = await verified(plaintext, caller.client_id, tenant);
    assert.equal((claims['token_introspection'] as { active: boolean }).active, true);
  });
}

const KEY_SET = 'https://rs.example/jwks.json';

function publisher(found: { keys: readonly JsonWebKey[] | undefined }): OutboundHttp {
  return {
    urlProblem: () => undefined,
    get: async () =>
      found.keys === undefined
        ? { status: 'failed', reason: 'timeout', detail: 'late' }
        : { status: 'ok', body: Buffer.from(JSON.stringify(found)), mediaType: 'application/json' },
  };
}

test('keys at jwks_uri: the answer is encrypted to the one that is published; while there is none it is refused, never sent in the clear (RFC 9701 §5)', async () => {
  const found: { keys: readonly JsonWebKey[] | undefined } = { keys: undefined };
  const tenant = testTenant({ outbound: publisher(found) });
  const caller = await tenant.register({
    ...RESOURCE_SERVER,
    jwks_uri: KEY_SET,
    introspection_encrypted_response_alg: 'RSA-OAEP-256',
  });
  const live = await tenant.authorize({ client_id: caller.client_id, scope: ['read'] });
  for (const token of [live, 'junk']) {
    const refused = await ask(tenant, caller, token);
    assertError(
      refused,
      'invalid_request',
      /^the response cannot be signed or encrypted as the caller registered$/,
    );
    assert.equal((await ask(tenant, caller, token, '*/*')).status, 200, 'JSON is not encrypted');
  }
  assert.match((tenant.reports[0] as { detail: string }).detail, /timeout: late$/);
  found.keys = [SIGNING_ONLY.jwk];
  assertError(await ask(tenant, caller, live), 'invalid_request');
  tenant.clock.advance(60);
  found.keys = [SIGNING_ONLY.jwk, RSA.jwk];
  const { plaintext } = await decrypted((await ask(tenant, caller, live)).body);
  await verified(plaintext, caller.client_id, tenant);
});

test('a key that nothing can be agreed on with is the client’s fault: 400, not 500 (RFC 7748 §6.1)', async () => {
  const tenant = testTenant();
  const caller = await tenant.register({
    ...RESOURCE_SERVER,
    jwks: { keys: [{ kty: 'OKP', crv: 'X25519', x: Buffer.alloc(32).toString('base64url') }] },
    introspection_encrypted_response_alg: 'ECDH-ES',
  });
  assertError(
    await ask(tenant, caller, 'junk'),
    'invalid_request',
    /^the response cannot be signed or encrypted as the caller registered$/,
  );
});

test('a configured key set without a key for the algorithm: 400, and the log says which (decision 29)', async () => {
  const before = testTenant();
  const caller = await before.register({ ...RESOURCE_SERVER, introspection_signed_response_alg: 'ES256' });
  const fitting = await before.register(RESOURCE_SERVER);
  const key = await keyMaker.makePrivateKey('RSA-2048');
  const keySet = JSON.stringify({ keys: [{ ...key, use: 'sig' }] });
  const tenant = testTenant({ platform: before.platform, settings: { 'keys.jwk-set': keySet } });
  assertError(
    await ask(tenant, caller, 'junk'),
    'invalid_request',
    /^the response cannot be signed or encrypted as the caller registered$/,
  );
  assert.match((tenant.reports[0] as { detail: string }).detail, /no server key signs with ES256$/);
  assert.equal((await ask(tenant, fitting, 'junk')).status, 200);
});

for (const accept of [
  '',
  '*/*',
  'application/json',
  'application/jwt',
  `${JWT_TYPE};q=0`,
  `${JWT_TYPE};q=0.5, */*`,
]) {
  // proves rfc9701-4-1
  test(`Accept: ${accept}: JSON; caches are told that Accept counts (RFC 9701 §4; RFC 9110 §12.5.5)`, async () => {
    const tenant = testTenant();
    const answered = await ask(tenant, await tenant.register(RESOURCE_SERVER), 'junk', accept);
    assert.equal(answered.body, '{"active":false}');
    assert.equal(answered.headers['vary'], 'Accept');
  });
}

// proves rfc9701-4-1
test('Accept by weight: the JWT where it is preferred; caches are told that Accept counts (RFC 9110 §12.5.1)', async () => {
  const tenant = testTenant();
  const caller = await tenant.register(RESOURCE_SERVER);
  const answered = await ask(tenant, caller, 'junk', `application/json;q=0.9, ${JWT_TYPE.toUpperCase()}`);
  assert.equal(answered.headers['content-type'], JWT_TYPE);
  assert.equal(answered.headers['vary'], 'Accept');
});

test('introspection.legacy-jwt: application/jwt is answered with the members among the claims, aud being the caller', async () => {
  const tenant = testTenant({ settings: { 'introspection.legacy-jwt': true } });
  const caller = await tenant.register(RESOURCE_SERVER);
  const token = await tenant.authorize({
    client_id: caller.client_id,
    sub: 'alice',
    scope: ['read'],
    audience: ['https://a.example'],
  });
  tenant.clock.advance(7);
  const plain = await ask(tenant, caller, token, '*/*');
  const answered = await ask(tenant, caller, token, 'application/jwt');
  assert.equal(answered.headers['content-type'], 'application/jwt');
  const { claims } = await verified(answered.body, caller.client_id, tenant);
  assert.deepEqual(claims, { ...plain.json, aud: caller.client_id });
  const inactive = await verified(
    (await ask(tenant, caller, 'junk', 'application/jwt')).body,
    caller.client_id,
    tenant,
  );
  assert.deepEqual(inactive.claims, { iss: ISSUER, aud: caller.client_id, iat: START + 7, active: false });
  assert.equal((await ask(tenant, caller, token)).headers['content-type'], JWT_TYPE);
});

// proves rfc9701-5-1
test('errors stay JSON, whatever is accepted (RFC 7662 §2.3)', async () => {
  const tenant = testTenant();
  const caller = await tenant.register(SERVICE);
  assertError(await ask(tenant, caller, 'junk'), 'access_denied');
  assertError(await ask(tenant, { ...caller, client_secret: 'x' }, 'junk'), 'invalid_client');
});

const TYPE = 'at+jwt';

const JTI = locatorAt(START * 1000) + 'j'.repeat(16);

const CLAIMS = {
  iss: ISSUER,
  sub: 'alice',
  aud: ISSUER,
  exp: START + 600,
  iat: START,
  jti: JTI,
  client_id: 'app',
  scope: 'read',
};

/** Asks about a JWT that has the record of an access token, so that only its signature is in question. */
async function isActive(tenant: TestTenant, jwt: string): Promise<unknown> {
  await tenant.storage.accessTokens.issue({
    key: (JTI.slice(0, LOCATOR_LENGTH) + digestOf(jwt)) as AccessTokenKey,
    expires_at: CLAIMS.exp,
    client_id: CLAIMS.client_id as ClientId,
    client_instance: null,
    grant_id: null,
    introspection: JSON.stringify({ active: true, ...CLAIMS, aud: [CLAIMS.aud] }),
  });
  return (await tenant.introspect(jwt))['active'];
}

test('H-141 a JWT that the federation key signed is no access token, whatever it says and whatever is stored (decision 28)', async () => {
  const tenant = testTenant();
  const keys = await publishedKeys();
  assert.equal(await isActive(tenant, await keys.sign(CLAIMS, { alg: 'RS256', typ: TYPE })), true);
  assert.equal(await isActive(tenant, await keys.federation.sign(CLAIMS, { typ: TYPE })), false);
});
