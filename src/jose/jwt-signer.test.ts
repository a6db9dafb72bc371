import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonWebKey } from '../spec/jwk.ts';
import { SIGNING_ALGORITHMS } from '../spec/server-capabilities.ts';
import { testKey } from '../testing/jwt.ts';
import { joseJwtSigner } from './compact-jws.ts';
import { joseJwtVerifier } from './jwt-verifier.ts';

const NOW = 1_800_000_000;
const verifier = joseJwtVerifier({ now: () => NOW, milliseconds: () => NOW * 1000 });
const claims = { iss: 'https://op.example.com', aud: ['a', 'b'], exp: NOW + 60, dat: { ä: [1] } };

const PROFILE = {
  types: ['at+jwt'],
  requiredClaims: ['exp'],
  issuer: claims.iss,
  audience: { kind: 'where-present', values: ['a'] },
  lifetimeMax: undefined,
  ageMax: undefined,
} as const;

for (const alg of SIGNING_ALGORITHMS) {
  test(`${alg}: a signed JWT verifies with the public key and names its kid (RFC 7515 §5.1)`, async () => {
    const { jwk, privateKey } = testKey(alg);
    const signer = joseJwtSigner();
    const privateJwk: JsonWebKey = { ...privateKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig' };
    for (const round of [1, 2]) {
      const jwt = await signer.sign({ ...claims, round }, { alg, kid: 'k1', typ: 'at+jwt' }, privateJwk);
      const verified = await verifier.verify(jwt, [jwk], { ...PROFILE, algorithms: [alg] });
      assert.ok(verified.verified);
      assert.deepEqual({ ...verified.claims }, { ...claims, round });
      assert.deepEqual({ ...verified.header }, { alg, kid: 'k1', typ: 'at+jwt' });
    }
  });
}

test('two keys with one kid, as two tenants may have them, are kept apart', async () => {
  const signer = joseJwtSigner();
  const [one, other] = [testKey('ES256'), testKey('ES256')];
  for (const { privateKey, jwk } of [one, other]) {
    const header = { alg: 'ES256', kid: 'k1', typ: 'at+jwt' } as const;
    const jwt = await signer.sign(claims, header, privateKey.export({ format: 'jwk' }) as JsonWebKey);
    assert.equal((await verifier.verify(jwt, [jwk], { ...PROFILE, algorithms: ['ES256'] })).verified, true);
  }
});

test('sign refuses a key that does not fit the algorithm', async () => {
  const privateJwk = testKey('ES384').privateKey.export({ format: 'jwk' }) as JsonWebKey;
  await assert.rejects(joseJwtSigner().sign(claims, { alg: 'ES256', kid: 'k', typ: 'JWT' }, privateJwk));
});
