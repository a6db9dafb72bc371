import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { signedJwt, testKey } from '../testing/jwt.ts';
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
  const verify = mock.method(crypto.subtle, 'verify');
  t.after(() => verify.mock.restore());
  for (const key of [KEY.jwk, KEY.jwk, { ...KEY.jwk, use: 'sig' }])
    assert.equal(await joseJwtInspector.signatureProblem(jwt, [key], ['ES256']), undefined);
  assert.equal(verify.mock.callCount(), 1);
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
