import assert from 'node:assert/strict';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { CompactEncrypt, importJWK } from 'jose';
import { signedJwt, type TestKey, testKey } from '../../src/testing/jwt.ts';
import { type Authorities, type Entity, startAuthorities } from '../federation/authorities.ts';
import { derOf, selfSigned, type TlsIdentity } from '../tls/certificate.ts';
import type { HttpsAnswer } from '../tls/https-call.ts';
import { CLIENT_AUTHORITY, SUBJECT, startTlsProgram, type TlsProgram } from '../tls/tls-program.ts';

/** How relying parties that never registered prove their requests, over TLS to the started program (OpenID Federation 1.0 §12.1.1). */
const CALLBACK = 'https://rp.example/cb';
const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const RATE = 60;
const KEY = testKey('ES256', 'protocol-1');
const OTHER_KEY = testKey('ES256', 'protocol-1');
let authorities: Authorities;
let anchor: Entity;
let rp: Entity;
let server: TlsProgram;
let issuer: string;
let made = 0;

before(async () => {
  authorities = await startAuthorities();
  anchor = authorities.entity('anchor');
  anchor.publish([]);
  const environment = {
    CHANCERY_LISTEN_TLS_CLIENT_CERTIFICATES: 'optional',
    CHANCERY_FEDERATION_ENABLED: 'true',
    CHANCERY_FEDERATION_TRUST_ANCHORS: JSON.stringify([
      { 'entity-id': anchor.id, jwks: { keys: [anchor.key.jwk] } },
    ]),
    CHANCERY_FEDERATION_STATEMENT_CACHE: '0',
    CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
    CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
    CHANCERY_INTERACTION_RATE_PER_NETWORK: String(RATE),
  };
  server = await startTlsProgram(environment, undefined, 'dev');
  ({ issuer } = server.program);
});

after(async () => {
  await server.stop();
  await authorities.close();
});

/** Creates a relying party that the server does not know, for each test. */
beforeEach(() => {
  made += 1;
  rp = authorities.entity(`rp-${made}`);
  publish({ jwks: { keys: [KEY.jwk] } });
  anchor.vouch(rp);
});

function publish(metadata: object): void {
  const openid_relying_party = {
    redirect_uris: [CALLBACK],
    client_registration_types: ['automatic'],
    token_endpoint_auth_method: 'private_key_jwt',
    ...metadata,
  };
  rp.publish([anchor], { metadata: { openid_relying_party } });
}

const now = (): number => Math.floor(Date.now() / 1000);

const parameters = (client_id = rp.id): Record<string, string> => ({
  client_id,
  response_type: 'code',
  redirect_uri: CALLBACK,
  scope: 'openid',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
});

function object(change: object = {}, header: object = {}, key: TestKey = KEY): string {
  made += 1;
  const claims = { iss: rp.id, aud: issuer, exp: now() + 60, jti: `jti-${made}`, ...parameters(), ...change };
  return signedJwt(key, claims, { typ: 'oauth-authz-req+jwt', ...header });
}

async function push(form: Readonly<Record<string, string>>, identity?: TlsIdentity): Promise<HttpsAnswer> {
  return await server.call({ path: '/par', form, ...identity });
}

const pushObject = async (request: string, client_id = rp.id): Promise<HttpsAnswer> =>
  await push({ client_id, request });

function assertRefused(answer: HttpsAnswer, status: number, error: string, words = /./): void {
  assert.deepEqual([answer.status, answer.json['error']], [status, error], answer.text);
  assert.match(String(answer.json['error_description']), words);
}

async function encrypted(request: string): Promise<string> {
  const { keys } = (await server.call({ path: '/jwks.json' })).json as {
    keys: { use: string; kty: string }[];
  };
  const key = keys.find(({ use, kty }) => use === 'enc' && kty === 'EC');
  assert.ok(key !== undefined);
  return await new CompactEncrypt(Buffer.from(request))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A128GCM', cty: 'JWT' })
    .encrypt(await importJWK(key, 'ECDH-ES'));
}

// proves openid-federation-12.1.1.2-2
test('201: a request object alone proves a pushed request, signed or nested in a JWE, and its request_uri leads to the sign-in page (OpenID Federation 1.0 §12.1.1.2)', async () => {
  for (const seal of [async (request: string) => await Promise.resolve(request), encrypted]) {
    const pushed = await pushObject(await seal(object()));
    assert.equal(pushed.status, 201, pushed.text);
    const query = new URLSearchParams({ client_id: rp.id, request_uri: String(pushed.json['request_uri']) });
    const page = await server.call({ path: `/authorize?${query.toString()}` });
    assert.equal(page.status, 303, page.text);
    assert.match(String(page.headers['location']), /\/interaction\//);
  }
});

test('H-430 401: no other client replaces its authentication by a request object (RFC 9126 §2)', async () => {
  const jwks = { keys: [KEY.jwk] };
  const common = { grant_types: ['authorization_code'], redirect_uris: [CALLBACK], jwks };
  for (const metadata of [{ token_endpoint_auth_method: 'private_key_jwt' }, {}]) {
    const client_id = await server.register({ ...common, ...metadata });
    const request = object({ iss: client_id, client_id });
    assertRefused(await pushObject(request, client_id), 401, 'invalid_client');
  }
});

test('H-431 401: an automatic client pushes nothing with plain parameters, nor with a forged assertion beside a good object', async () => {
  assert.equal((await pushObject(object())).status, 201);
  assertRefused(await push(parameters()), 401, 'invalid_client');
  const claims = { iss: rp.id, sub: rp.id, aud: issuer, exp: now() + 60, jti: 'forged' };
  const client_assertion = signedJwt(OTHER_KEY, claims);
  const forged = { client_assertion_type: ASSERTION, client_assertion, request: object() };
  assertRefused(await push({ client_id: rp.id, ...forged }), 401, 'invalid_client');
});

test('H-433 400: a faulty request object at /par is refused with the real reason, in the name of an unknown and of a known client', async () => {
  const faults: readonly (readonly [change: object, words: RegExp])[] = [
    [{ aud: [issuer, 'https://other.example'] }, /: aud must be .* and no other value$/],
    [{ aud: 'https://other.example' }, /: aud must be/],
    [{ sub: rp.id }, /: sub is present/],
    [{ iss: 'https://other.example' }, /: iss must be/],
    [{ exp: now() - 120 }, /: exp has passed$/],
    [{ exp: now() + 315_360_000 }, /: exp is more than 3600 seconds in the future$/],
    [{ jti: undefined }, /: jti is missing$/],
  ];
  for (const [change, words] of faults)
    assertRefused(await pushObject(object(change)), 400, 'invalid_request_object', words);
  const unknown = object({}, {}, testKey('ES256', 'unknown'));
  assertRefused(
    await pushObject(unknown),
    400,
    'invalid_request_object',
    /: no key of the client has its kid/,
  );
  const forged = object({}, {}, OTHER_KEY);
  assertRefused(await pushObject(forged), 400, 'invalid_request_object', /: its signature does not verify/);
});

test('H-434 of 12 requests with one request object at the same time exactly one is accepted (OpenID Federation 1.0 §12.1.1.1)', async () => {
  const request = object();
  const answers = await Promise.all(Array.from({ length: 12 }, async () => await pushObject(request)));
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  for (const answer of answers.filter(({ status }) => status !== 201))
    assertRefused(answer, 400, 'invalid_request_object', /: its jti was used before$/);
});

/** Publishes a key set as a JWT at the relying party's address, and returns the address. */
function publishSet(content: object, header: object = {}, key: TestKey = rp.key): string {
  const claims = { iss: rp.id, sub: rp.id, iat: now(), keys: [KEY.jwk], ...content };
  const set = signedJwt(key, claims, { typ: 'jwk-set+jwt', ...header });
  made += 1;
  const path = `/${rp.name}/jwks-${made}.jwt`;
  authorities.answer(path, (response) => {
    response.writeHead(200, { 'content-type': 'application/jwk-set+jwt' }).end(set);
  });
  return authorities.base + path;
}

// proves openid-federation-5.2.1-2
test('201: signed_jwks_uri alone, and with the two other forms, has the keys of a relying party (OpenID Federation 1.0 §5.2.1)', async () => {
  const others = { jwks: { keys: [OTHER_KEY.jwk] }, jwks_uri: `${authorities.base}/never-asked` };
  for (const more of [{}, others]) {
    rp = authorities.entity(`${rp.name}-again`);
    anchor.vouch(rp);
    publish({ signed_jwks_uri: publishSet({}), ...more });
    const pushed = await pushObject(object());
    assert.equal(pushed.status, 201, pushed.text);
  }
  assert.ok(!authorities.asked.includes('/never-asked'));
});

test('H-435 a signed key set of another entity, type, owner or time has no keys', async () => {
  const stranger = authorities.entity('stranger');
  const bad: readonly (() => string)[] = [
    () => publishSet({ iss: stranger.id, sub: stranger.id }, {}, stranger.key),
    () => publishSet({}, {}, stranger.key),
    () => publishSet({ sub: stranger.id }),
    () => publishSet({}, { typ: 'entity-statement+jwt' }),
    () => publishSet({}, { kid: undefined }),
    () => publishSet({ exp: now() - 120 }),
    () => publishSet({}, {}, KEY),
  ];
  for (const [index, publishBad] of bad.entries()) {
    rp = authorities.entity(`${rp.name}-${index}`);
    anchor.vouch(rp);
    publish({ signed_jwks_uri: publishBad() });
    assertRefused(await pushObject(object()), 400, 'invalid_request_object', /: the key set of the client/);
  }
});

test('H-436 400: signed_jwks_uri with an address that the server may not fetch makes no client', async () => {
  publish({ signed_jwks_uri: 'http://10.0.0.1/jwks.jwt' });
  assertRefused(await pushObject(object()), 400, 'invalid_client_metadata', /signed_jwks_uri/);
});

const certificateKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });

function jwkOf(identity: TlsIdentity, x5c = true): object {
  const jwk = new X509Certificate(identity.cert).publicKey.export({ format: 'jwk' });
  return { ...jwk, kid: 'tls', ...(x5c ? { x5c: [derOf(identity).toString('base64')] } : {}) };
}

// proves openid-federation-12.1.1.2-3
test('H-437 self_signed_tls_client_auth at /par: the certificate that is the x5c of a key, and no other with the same key (OpenID Federation 1.0 §12.1.1.2)', async () => {
  const identity = selfSigned({ ...SUBJECT, keys: certificateKeys });
  const sameKey = selfSigned({ names: ['other.example'], keys: certificateKeys });
  const self = { token_endpoint_auth_method: 'self_signed_tls_client_auth' };
  publish({ ...self, jwks: { keys: [KEY.jwk, jwkOf(identity)] } });
  const pushed = await push(parameters(), identity);
  assert.equal(pushed.status, 201, pushed.text);
  assertRefused(
    await push(parameters(), sameKey),
    401,
    'invalid_client',
    /: the certificate must be the x5c/,
  );
  assertRefused(await push(parameters(), selfSigned(SUBJECT)), 401, 'invalid_client');
  assertRefused(await push(parameters()), 401, 'invalid_client');
  assert.equal((await pushObject(object())).status, 201, 'the request object is proof enough');
  rp = authorities.entity(`${rp.name}-plain`);
  anchor.vouch(rp);
  publish({ ...self, jwks: { keys: [jwkOf(identity, false)] } });
  assertRefused(
    await push(parameters(), identity),
    401,
    'invalid_client',
    /: the certificate must be the x5c/,
  );
});

// proves openid-federation-12.1.1.2-3
test('H-438 tls_client_auth at /par: a path to an authority, the registered subject, and a key of the key set (OpenID Federation 1.0 §12.1.1.2)', async () => {
  const identity = CLIENT_AUTHORITY.issue({ ...SUBJECT, keys: certificateKeys });
  const chained = {
    token_endpoint_auth_method: 'tls_client_auth',
    tls_client_auth_san_dns: 'client.example',
  };
  publish({ ...chained, jwks: { keys: [jwkOf(identity, false)] } });
  const pushed = await push(parameters(), identity);
  assert.equal(pushed.status, 201, pushed.text);
  const stranger = selfSigned({ ...SUBJECT, keys: certificateKeys });
  assertRefused(await push(parameters(), stranger), 401, 'invalid_client');
  const renewed = CLIENT_AUTHORITY.issue(SUBJECT);
  assertRefused(
    await push(parameters(), renewed),
    401,
    'invalid_client',
    /: the key of the certificate must be/,
  );
});

test('H-432 429: forged request objects of one network are limited, and good ones do not count', async () => {
  for (let count = 0; count < 5; count += 1) assert.equal((await pushObject(object())).status, 201);
  const statuses = new Set<number>();
  for (let count = 0; count <= RATE; count += 1) statuses.add((await pushObject('a.b.c')).status);
  assert.deepEqual(statuses, new Set([400, 429]));
});
