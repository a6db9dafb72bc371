import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cryptoCalls } from '../testing/crypto-calls.ts';
import { dpopKey } from '../testing/dpop.ts';
import { openDpopProofs } from './dpop.ts';

const NOW = 1_800_000_000;
const REQUEST = { method: 'GET', url: 'https://api.example.com/orders', accessToken: 'an-access-token' };

test('the key of a proof is imported once for all its proofs, and a key that signed nothing is not kept', (t) => {
  const imports = cryptoCalls(t, 'createPublicKey');
  const proofs = openDpopProofs({}, () => NOW);
  const [one, other] = [dpopKey(), dpopKey()];
  const verified = (key: typeof one, header: object = {}): unknown => {
    const { method, url: address, accessToken } = REQUEST;
    const proof = key.proof({ method, address, accessToken, now: NOW, header });
    const before = imports.callCount();
    const outcome = proofs.verify({ ...REQUEST, proof });
    return [outcome, imports.callCount() - before];
  };
  const wrong = { problem: 'invalid_dpop_proof', words: 'the signature of the proof is wrong' };
  assert.deepEqual(verified(one), [{ jkt: one.jkt }, 1]);
  assert.deepEqual(verified(one), [{ jkt: one.jkt }, 0]);
  assert.deepEqual(verified(one, { jwk: other.jwk }), [wrong, 1]);
  assert.deepEqual(verified(other), [{ jkt: other.jkt }, 1]);
  assert.deepEqual(verified(one, { jwk: other.jwk }), [wrong, 0]);
  assert.deepEqual(verified(one), [{ jkt: one.jkt }, 0]);
});
