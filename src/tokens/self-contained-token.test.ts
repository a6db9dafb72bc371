import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joseJwtSigner } from '../jose/compact-jws.ts';
import { OAuthError } from '../spec/errors.ts';
import { aSigningKey, type Bench, bench, CONTENT, ISSUER, minted, NOW } from '../testing/tokens.ts';
import { findAccessToken, mintAccessToken } from './access-token.ts';

const JWT = { ...CONTENT, format: 'self-contained' } as const;

const segment = (jwt: string, at: number): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(jwt.split('.')[at] ?? '', 'base64url').toString()) as Record<string, unknown>;

// proves rfc9068-2.1-1, rfc9068-2.2-1, rfc9068-2.2.3-1
test('a self-contained token has the type at+jwt, the key that signed it, and every claim that is required (RFC 9068 §2.1 and §2.2)', async () => {
  const on = await bench();
  const { access_token, stored } = await mintAccessToken(on.needs, JWT);
  assert.deepEqual(segment(access_token, 0), { alg: 'ES256', kid: on.keys[0]?.['kid'], typ: 'at+jwt' });
  const { jti, ...claims } = segment(access_token, 1);
  assert.match(String(jti), /^[0-9A-Za-z]{27}$/);
  assert.deepEqual(claims, {
    iss: ISSUER,
    sub: 'alice',
    aud: ISSUER,
    exp: NOW + 60,
    iat: NOW,
    client_id: 'app',
    scope: 'read write',
  });
  assert.equal(stored.key.slice(0, 11), String(jti).slice(0, 11));
  assert.equal(stored.expires_at, NOW + 60);
  assert.equal(JSON.stringify(stored).includes(access_token), false);
});

test('a self-contained token has the introspection response of an identifier-based one, with its own jti (decision 24; RFC 7662 §2.2)', async () => {
  const on = await bench();
  const { access_token, stored } = await mintAccessToken(on.needs, {
    ...JWT,
    username: 'al',
    data: '{"n":1}',
  });
  assert.deepEqual(JSON.parse(stored.introspection), {
    active: true,
    scope: 'read write',
    client_id: 'app',
    username: 'al',
    token_type: 'Bearer',
    exp: NOW + 60,
    iat: NOW,
    sub: 'alice',
    aud: [ISSUER],
    iss: ISSUER,
    jti: segment(access_token, 1)['jti'],
    dat: { n: 1 },
  });
});

// proves rfc9068-3-1, rfc9068-4-2
test('several audiences are an array, one is a string; dat and cnf are claims (RFC 7519 §4.1.3; RFC 8705 §3.1)', async () => {
  const on = await bench();
  const confirmation = { 'x5t#S256': 'thumbprint' };
  const content = { ...JWT, audience: ['https://a.example', 'b'], data: '{"roles":["admin"]}', confirmation };
  const claims = segment((await mintAccessToken(on.needs, content)).access_token, 1);
  assert.deepEqual(claims['aud'], ['https://a.example', 'b']);
  assert.deepEqual(claims['dat'], { roles: ['admin'] });
  assert.deepEqual(claims['cnf'], confirmation);
  const sole = await mintAccessToken(on.needs, { ...JWT, audience: ['b'] });
  assert.equal(segment(sole.access_token, 1)['aud'], 'b');
});

test('numbers in dat beyond a double are the same in the JWT and in the introspection response', async () => {
  const on = await bench();
  const data = '{"n":12345678901234567890,"m":1e400,"o":1.10}';
  const { access_token, stored } = await mintAccessToken(on.needs, { ...JWT, data });
  const payload = Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString();
  assert.ok(payload.includes(`"dat":${data}`), payload);
  assert.ok(stored.introspection.includes(`"dat":${data}`));
});

// proves rfc9068-4-1
test('a self-contained token is found until the second of its expiry', async () => {
  const on = await bench();
  const token = await minted(on, JWT);
  for (const [now, live] of [
    [NOW, true],
    [NOW + 59, true],
    [NOW + 60, false],
  ] as const) {
    on.now = now;
    assert.equal((await findAccessToken(on.needs, token)) !== undefined, live);
  }
});

test('a genuine JWT is looked up each time: the cache holds the verified signature, not the record', async () => {
  const on = await bench();
  const token = await minted(on, JWT);
  for (let time = 0; time < 3; time += 1) assert.notEqual(await findAccessToken(on.needs, token), undefined);
  on.tokens.clear();
  assert.equal(await findAccessToken(on.needs, token), undefined);
  assert.equal(on.lookUps.length, 4);
  assert.equal(new Set(on.lookUps).size, 1);
});

test('a signature is verified once: the second look-up is synchronous if the store is', async () => {
  const on = await bench();
  const token = await minted(on, JWT);
  await findAccessToken(on.needs, token);
  assert.equal(findAccessToken(on.needs, token) instanceof Promise, false);
});

test('a token of a revoked key is no longer found; a token of a retired key is', async () => {
  const on = await bench();
  const old = await minted(on, JWT);
  await findAccessToken(on.needs, old);
  on.keys.push(await aSigningKey());
  const fresh = await minted(on, JWT);
  assert.notEqual(await findAccessToken(on.needs, old), undefined);
  assert.notEqual(await findAccessToken(on.needs, fresh), undefined);
  on.keys.shift();
  assert.equal(await findAccessToken(on.needs, old), undefined);
  assert.notEqual(await findAccessToken(on.needs, fresh), undefined);
});

// proves rfc9068-4-1
test('a JWT with one changed character is refused without a look-up', async () => {
  const on = await bench();
  const token = await minted(on, JWT);
  await findAccessToken(on.needs, token);
  on.lookUps.length = 0;
  for (let at = 0; at < token.length; at += 1) {
    for (const other of token[at] === 'A' ? 'B' : 'A~') {
      const forged = token.slice(0, at) + other + token.slice(at + 1);
      assert.equal(await findAccessToken(on.needs, forged), undefined, `character ${at}`);
    }
  }
  const [header = '', payload = '', signature = ''] = token.split('.');
  for (const forged of [
    `${token}A`,
    `${token}.`,
    ` ${token}`,
    `${header}.${payload}.`,
    `${header}.${payload}`,
    `${token}=`,
    `${header}.${payload}.${signature}.${signature}`,
    `eyJ${'A'.repeat(10_000)}`,
  ]) {
    assert.equal(await findAccessToken(on.needs, forged), undefined);
  }
  assert.deepEqual(on.lookUps, []);
});

/** A JWT that the server’s own key signs, and that is no access token of it. */
async function signedInstead(on: Bench, claims: object, header: object = {}): Promise<string> {
  const token = await minted(on, JWT);
  const [key] = on.keys;
  assert.ok(key !== undefined);
  const kid = String(key['kid']);
  return await joseJwtSigner().sign(
    { ...segment(token, 1), ...claims },
    { alg: 'ES256', kid, typ: 'at+jwt', ...header },
    key,
  );
}

const INSTEAD: readonly (readonly [what: string, claims: object, header?: object])[] = [
  ['typ JWT: an ID token', {}, { typ: 'JWT' }],
  ['no typ', {}, { typ: undefined }],
  ['typ of an introspection response', {}, { typ: 'token-introspection+jwt' }],
  ['another issuer', { iss: 'https://other.example' }],
  ['no audience', { aud: undefined }],
  ['no subject', { sub: undefined }],
  ['no client', { client_id: undefined }],
  ['no jti', { jti: undefined }],
  ['a jti that is no text', { jti: 7 }],
  ['a jti of another form', { jti: '../../../etc/passwd/0123456' }],
  ['no end', { exp: undefined }],
];

for (const [what, claims, header] of INSTEAD) {
  // proves rfc9068-4-1, rfc9068-5-1
  test(`a JWT of the server itself with ${what} is refused as an access token without a look-up (RFC 9068 §4; RFC 8725 §3.11)`, async () => {
    const on = await bench();
    const token = await signedInstead(on, claims, header);
    assert.equal(await findAccessToken(on.needs, token), undefined);
    assert.deepEqual(on.lookUps, []);
  });
}

test('a genuine JWT with the jti of another token is not that token', async () => {
  const on = await bench();
  const other = await minted(on, JWT);
  const token = await signedInstead(on, { jti: segment(other, 1)['jti'], scope: 'admin' });
  assert.equal(await findAccessToken(on.needs, token), undefined);
});

test('content that makes the JWT longer than the server reads is refused', async () => {
  const on = await bench();
  const data = JSON.stringify({ text: 'x'.repeat(8000) });
  await assert.rejects(async () => await mintAccessToken(on.needs, { ...JWT, data }), OAuthError);
});
