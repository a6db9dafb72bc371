import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attackedProgram } from './attacked-program.ts';

/** docs/contract/hostile/key-sets.md for a server without tenants and federation. H-157 is in src/endpoints/jwk-set/jwk-set.test.ts. */
const attacked = attackedProgram();
const request = { method: 'GET', path: '/jwks.json' };

/** RFC 7518 §6: the members of public keys of each type, with those of RFC 7517 §4 that are ours. */
const PUBLIC_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  RSA: ['kty', 'use', 'kid', 'alg', 'n', 'e'],
  EC: ['kty', 'use', 'kid', 'alg', 'crv', 'x', 'y'],
  OKP: ['kty', 'use', 'kid', 'alg', 'crv', 'x'],
};

test('H-153 the key set: public members only, each kid once, to be cached for a short time', async () => {
  const { status, json, headers } = await attacked.send(request);
  assert.equal(status, 200);
  const keys = json['keys'] as readonly Readonly<Record<string, unknown>>[];
  assert.ok(keys.length >= 5);
  assert.equal(new Set(keys.map(({ kid }) => kid)).size, keys.length);
  for (const key of keys) {
    const allowed = PUBLIC_MEMBERS[String(key['kty'])] ?? assert.fail(String(key['kty']));
    assert.deepEqual(
      Object.keys(key).filter((name) => !allowed.includes(name)),
      [],
    );
    assert.ok(['sig', 'enc'].includes(String(key['use'])));
  }
  assert.match(headers['cache-control'] ?? '', /^public, max-age=\d{1,4}$/);
  assert.match(headers['etag'] ?? '', /^"[A-Za-z0-9_-]{43}"$/);
  assert.equal(headers['content-type'], 'application/json');
});

test('H-158 what a request asks beside it changes nothing', async () => {
  const plain = await attacked.send(request);
  const variants = [
    { ...request, headers: 'Range: bytes=0-9\r\n' },
    { ...request, headers: 'Range: bytes=0-0,-1\r\nIf-Range: "x"\r\n' },
    { ...request, headers: 'Accept: application/jwk-set+json\r\n' },
    { ...request, headers: 'Accept: text/html;q=1, */*;q=0\r\n' },
    { ...request, headers: 'If-None-Match: "other"\r\n' },
    { ...request, headers: 'If-Modified-Since: Sat, 01 Jan 2050 00:00:00 GMT\r\n' },
    { ...request, headers: 'If-Match: "other"\r\n' },
    { ...request, headers: 'Authorization: Bearer nonsense\r\n' },
    { ...request, path: '/jwks.json?callback=alert' },
    { ...request, path: '/jwks.json?callback=alert&_=%zz' },
  ];
  for (const variant of variants) {
    const answer = await attacked.send(variant);
    assert.equal(answer.status, 200);
    assert.equal(answer.body, plain.body);
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.equal(answer.headers['x-content-type-options'], 'nosniff');
  }
});

/** [name, header lines] */
const TENANT_HEADERS: readonly (readonly [string, string])[] = [
  ['an unknown issuer', 'Issuer: https://evil.example\r\n'],
  ['an unknown tenant', 'Tenant-ID: evil\r\n'],
  ['both, agreeing on nothing', 'Issuer: https://a.example\r\nTenant-ID: b\r\n'],
  ['nothing in them', 'Issuer: \r\nTenant-ID:\r\n'],
  ['8 KB', `Tenant-ID: ${'x'.repeat(8192)}\r\n`],
  ['a name of the language', 'Tenant-ID: __proto__\r\n'],
  ['a trailing slash', 'Issuer: https://op.example.com/\r\n'],
  ['another case', 'Issuer: HTTPS://OP.EXAMPLE.COM\r\n'],
  ['user information', 'Issuer: https://user@op.example.com\r\n'],
  ['the default port', 'Issuer: https://op.example.com:443\r\n'],
];

for (const [name, headers] of TENANT_HEADERS) {
  test(`H-154 without tenants their headers are ignored, with tenants these choose none: ${name}`, async () => {
    const plain = await attacked.send(request);
    const answer = await attacked.send({ ...request, headers });
    const isAlone = attacked.program.tenant === 'default';
    assert.deepEqual([answer.status, answer.body], isAlone ? [200, plain.body] : [404, '']);
    assert.equal(answer.headers['vary'], plain.headers['vary']);
  });
}

test('H-158 If-None-Match: 304 without a body for our tag, for its weak form, in a list and for *', async () => {
  const { headers } = await attacked.send(request);
  const etag = headers['etag'] ?? '';
  for (const value of [etag, `W/${etag}`, `"x", ${etag}`, `"x",W/${etag} ,"y"`, '*']) {
    const answer = await attacked.send({ ...request, headers: `If-None-Match: ${value}\r\n` });
    assert.equal(answer.status, 304, value);
    assert.equal(answer.body, '');
    assert.equal(answer.headers['etag'], etag);
  }
  for (const value of [etag.slice(1, -1), etag.toLowerCase(), `x${etag}`, '""']) {
    const answer = await attacked.send({ ...request, headers: `If-None-Match: ${value}\r\n` });
    assert.equal(answer.status, 200, value);
  }
});

test('H-156 without federation there is no /jwks.jwt, and the answer says why', async () => {
  const answer = await attacked.send({ ...request, path: '/jwks.jwt' });
  assert.equal(answer.status, 404);
  assert.equal(answer.json['error'], 'federation_not_enabled');
  assert.equal(answer.headers['cache-control'], 'no-store');
});

test('H-156, H-186 without federation POST /federation/clients is refused whatever is sent, and the answer says why', async () => {
  for (const [type, body] of [
    ['application/jose', 'e30.e30.c2ln'],
    ['application/entity-statement+jwt', 'x'],
    ['application/json', '{}'],
    ['text/plain', ''],
  ] as const) {
    const path = '/federation/clients';
    const answer = await attacked.send({ method: 'POST', path, headers: `Content-Type: ${type}\r\n`, body });
    assert.equal(answer.status, 400, type);
    assert.equal(answer.json['error'], 'federation_not_enabled');
  }
});

test('H-470 a server with the defaults of production has no API description: 404', async () => {
  const { status, body } = await attacked.send({ method: 'GET', path: '/openapi.json' });
  assert.deepEqual([status, body], [404, '']);
});
