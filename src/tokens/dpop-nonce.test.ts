import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { test } from 'node:test';
import { type DpopNonceNeeds, dpopNonce, isDpopNonce } from './dpop-nonce.ts';

const mac = createSecretKey(Buffer.alloc(32, 7));

function at(now: number, key = mac): DpopNonceNeeds {
  return { mac: key, lifetime: 300, clock: { now: () => now, milliseconds: () => now * 1000 } };
}

// proves rfc9449-8-2
test('a nonce is good in its own period and in the one after it, on every server with the key (RFC 9449 §8)', () => {
  const nonce = dpopNonce(at(3000));
  assert.equal(dpopNonce(at(3299)), nonce);
  assert.notEqual(dpopNonce(at(3300)), nonce);
  assert.equal(isDpopNonce(at(3599), nonce), true);
  assert.equal(isDpopNonce(at(3600), nonce), false);
  assert.equal(isDpopNonce(at(3000, createSecretKey(Buffer.alloc(32, 8))), nonce), false);
});

test('a server whose clock is late accepts the nonce of one whose clock is ahead (RFC 9449 §8)', () => {
  assert.equal(isDpopNonce(at(2999), dpopNonce(at(3000))), true);
  assert.equal(isDpopNonce(at(2699), dpopNonce(at(3000))), false);
});

// H-592
test('a text that the server did not make is no nonce (RFC 9449 §8)', () => {
  for (const text of ['', 'x', dpopNonce(at(3000)).slice(1), `${dpopNonce(at(3000))}x`])
    assert.equal(isDpopNonce(at(3000), text), false, text);
});
