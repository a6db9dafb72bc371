import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { clientJwkProblem } from '../keys/client-jwk.ts';
import { type JsonWebKey, publicJwk } from '../spec/jwk.ts';
import { keyMaker } from './private-keys.ts';

const VECTORS = new URL('../../test/vectors/jwk-thumbprints.json', import.meta.url);

// proves rfc7638-3-1
test('a thumbprint is that of the required members in their order, whatever else the JWK has (RFC 7638 §3)', async () => {
  const vectors = JSON.parse(readFileSync(VECTORS, 'utf8')) as readonly {
    readonly source: string;
    readonly jwk: JsonWebKey;
    readonly sha256_thumbprint: string;
  }[];
  assert.ok(vectors.length >= 3);
  for (const { source, jwk, sha256_thumbprint } of vectors) {
    const turned = Object.fromEntries(Object.entries({ ...jwk, x5t: 'x' }).reverse());
    assert.equal(await keyMaker.thumbprint(jwk), sha256_thumbprint, source);
    assert.equal(await keyMaker.thumbprint(turned), sha256_thumbprint, source);
  }
});

for (const [kind, described] of [
  ['RSA-2048', { kty: 'RSA', octets: 256 }],
  ['RSA-3072', { kty: 'RSA', octets: 384 }],
  ['P-256', { kty: 'EC', octets: 32 }],
  ['P-384', { kty: 'EC', octets: 48 }],
  ['P-521', { kty: 'EC', octets: 66 }],
  ['Ed25519', { kty: 'OKP', octets: 32 }],
  ['X25519', { kty: 'OKP', octets: 32 }],
] as const) {
  // proves rfc7518-6.2.1.2-1
  test(`a new ${kind} key follows the policy for clients’ keys: full size, canonical (RFC 7518 §6.2.1.2, §6.3.1.1)`, async () => {
    const jwk = await keyMaker.makePrivateKey(kind);
    const half = publicJwk(jwk) ?? {};
    assert.equal(clientJwkProblem(half), undefined);
    assert.equal(jwk['kty'], described.kty);
    assert.equal(Buffer.from(String(jwk['n'] ?? jwk['x']), 'base64url').length, described.octets);
    assert.equal(typeof jwk['d'], 'string');
  });
}
