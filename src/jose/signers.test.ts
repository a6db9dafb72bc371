import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { test } from 'node:test';
import { cryptoCalls } from '../testing/crypto-calls.ts';
import { dpopKey } from '../testing/dpop.ts';
import { segment, signedJwt, testKey } from '../testing/jwt.ts';
import { ISSUER, SERVICE, testTenant } from '../testing/tenant.ts';
import { joseJwtSigner } from './compact-jws.ts';
import { joseJwtInspector } from './jwt-verifier.ts';

const KEY = testKey('ES256', 'one');
const NAMESAKE = testKey('ES256', 'one');

function inspected() {
  const jwt = joseJwtInspector.inspect(signedJwt(KEY, { iss: 'one' }), 8192);
  assert.ok('claims' in jwt);
  return jwt;
}

test('the signature of a JWT by one key is verified once, also for a copy of the key', async (t) => {
  const jwt = inspected();
  const verify = cryptoCalls(t, 'verify');
  for (const key of [KEY.jwk, KEY.jwk, { ...KEY.jwk, use: 'sig' }])
    assert.equal(await joseJwtInspector.signatureProblem(jwt, [key], ['ES256']), undefined);
  assert.equal(verify.callCount(), 1);
});

test('a signature that one key made is not another key’s, whatever its kid, and not another algorithm’s (§10.2)', async () => {
  const jwt = inspected();
  assert.equal(await joseJwtInspector.signatureProblem(jwt, [KEY.jwk], ['ES256']), undefined);
  assert.equal(await joseJwtInspector.signatureProblem(jwt, [NAMESAKE.jwk], ['ES256']), 'signature');
  assert.equal(await joseJwtInspector.signatureProblem(jwt, [KEY.jwk], ['ES384']), 'algorithm');
  assert.equal(
    await joseJwtInspector.signatureProblem(jwt, [{ ...KEY.jwk, kid: 'two' }], ['ES256']),
    'unknown-key',
  );
});

test('a key that verifies again is not imported again, nor is a copy of it; another key is', async (t) => {
  const { jwk } = testKey('ES256', 'one');
  const other = testKey('ES256', 'one').jwk;
  const imports = cryptoCalls(t, 'createPublicKey');
  for (const [key, found] of [
    [jwk, 1],
    [jwk, 1],
    [{ ...jwk }, 1],
    [{ ...jwk, use: 'sig' }, 1],
    [other, 2],
    [jwk, 2],
  ] as const) {
    assert.equal(await joseJwtInspector.signatureProblem(inspected(), [key], ['ES256']), 'signature');
    assert.equal(imports.callCount(), found);
  }
});

test('a key whose point is not on its curve is never kept', async (t) => {
  const jwk = { ...KEY.jwk, y: KEY.jwk['x'] };
  const imports = cryptoCalls(t, 'createPublicKey');
  for (const found of [1, 2]) {
    assert.equal(await joseJwtInspector.signatureProblem(inspected(), [jwk], ['ES256']), 'signature');
    assert.equal(imports.callCount(), found);
  }
});

test('the key of a DPoP proof is imported once, for all proofs of that key', async (t) => {
  const tenant = testTenant();
  const { client_id, client_secret } = await tenant.register(SERVICE);
  const key = dpopKey();
  const request = { method: 'POST', address: `${ISSUER}/token`, now: tenant.clock.now() };
  const imports = cryptoCalls(t, 'createPublicKey');
  for (const signer of [key, key, dpopKey(), key]) {
    const { status } = await tenant.send('token', {
      basic: [client_id, client_secret],
      form: { grant_type: 'client_credentials' },
      headers: { dpop: signer.proof(request) },
    });
    assert.equal(status, 200);
  }
  assert.equal(imports.callCount(), 2);
});

test('an RSA key of less than 2048 bits verifies nothing and signs nothing (RFC 7518 §3.3)', async () => {
  const { publicKey, privateKey } = crypto.generateKeyPairSync('rsa', { modulusLength: 1024 });
  const jwk = publicKey.export({ format: 'jwk' });
  const signed = signedJwt({ ...KEY, algorithm: 'RS256', privateKey }, { iss: 'one' });
  const jwt = joseJwtInspector.inspect(signed, 8192);
  assert.ok('claims' in jwt);
  assert.equal(
    await joseJwtInspector.signatureProblem(jwt, [{ ...jwk, kid: 'one' }], ['RS256']),
    'signature',
  );
  const privateJwk = { ...privateKey.export({ format: 'jwk' }) };
  await assert.rejects(joseJwtSigner().sign({}, { alg: 'RS256', kid: 'one' }, privateJwk), /1024 bits/);
});

test('a signature of RSASSA-PSS has a salt as long as its hash, and no other (RFC 7518 §3.5)', async () => {
  const { privateKey, publicKey } = crypto.generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'one' };
  const padding = crypto.constants.RSA_PKCS1_PSS_PADDING;
  const problemWith = async (saltLength: number) => {
    const signed = `${segment('{"alg":"PS256","kid":"one"}')}.${segment('{"iss":"one"}')}`;
    const made = crypto.sign('sha256', Buffer.from(signed), { key: privateKey, padding, saltLength });
    const jwt = joseJwtInspector.inspect(`${signed}.${made.toString('base64url')}`, 8192);
    assert.ok('claims' in jwt);
    return await joseJwtInspector.signatureProblem(jwt, [jwk], ['PS256']);
  };
  assert.equal(await problemWith(32), undefined);
  for (const saltLength of [0, 20, 31, 33, 64]) assert.equal(await problemWith(saltLength), 'signature');
  const octets = Buffer.from('octets');
  const privateJwk = { ...privateKey.export({ format: 'jwk' }) };
  const own = await joseJwtSigner().signOctets(octets, 'PS256', privateJwk);
  const form = { key: publicKey, padding, saltLength: 32 };
  assert.equal(crypto.verify('sha256', octets, form, own), true);
});
