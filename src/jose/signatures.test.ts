import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { SignatureAlgorithm } from '../spec/jose-algorithms.ts';
import { SIGNING_ALGORITHMS } from '../spec/server-capabilities.ts';
import { cryptoCalls } from '../testing/crypto-calls.ts';
import { signature, type TestKey, testKey } from '../testing/jwt.ts';
import { type IsSignature, type Signatures, signaturesFor } from './signatures.ts';

const INPUT = 'header.payload';
const SMALL = testKey('ES256');

const ONE_CORE = signaturesFor(1);
const TWO_CORES = signaturesFor(2);
const IN_TURNS = ONE_CORE.isSignature;
const ON_POOL = TWO_CORES.isSignature;

async function verdict(check: IsSignature, key: TestKey, input: string): Promise<boolean> {
  const made = signature(key, INPUT);
  return await check(made, Buffer.from(input), key.algorithm, createPublicKey(key.privateKey));
}

for (const algorithm of SIGNING_ALGORITHMS) {
  test(`${algorithm}: a signature holds for its octets and for no others, on one core and on more`, async () => {
    const key = testKey(algorithm);
    for (const check of [ON_POOL, IN_TURNS]) {
      assert.equal(await verdict(check, key, INPUT), true);
      assert.equal(await verdict(check, key, `${INPUT}.`), false);
    }
  });
}

test('on one core, at most eight signatures are verified in one turn of the event loop, and each gets its own verdict', async () => {
  const verdicts: boolean[] = [];
  for (let number = 0; number < 20; number += 1)
    void verdict(IN_TURNS, SMALL, number % 3 === 0 ? INPUT : 'another').then((holds) => verdicts.push(holds));
  const afterTurns: number[] = [];
  while (verdicts.length < 20) {
    await endOfTurn();
    afterTurns.push(verdicts.length);
  }
  assert.deepEqual(afterTurns, [8, 16, 20]);
  assert.deepEqual(
    verdicts,
    [...verdicts.keys()].map((number) => number % 3 === 0),
  );
});

test('on one core, the calling thread verifies, and the thread pool only signatures of large curves', async (t) => {
  const calls = cryptoCalls(t, 'verify');
  const isOnPool = async (algorithm: SignatureAlgorithm, check = IN_TURNS): Promise<boolean> => {
    assert.equal(await verdict(check, testKey(algorithm), INPUT), true);
    return typeof calls.calls.at(-1)?.arguments[4] === 'function';
  };
  assert.equal(await isOnPool('ES256'), false);
  assert.equal(await isOnPool('ES256', ON_POOL), true);
  assert.equal(await isOnPool('ES384'), true);
  assert.equal(await isOnPool('ES512'), true);
});

test('on one core, a key that cannot verify rejects, and the next signature is verified', async () => {
  const { publicKey } = generateKeyPairSync('x25519');
  const failing = IN_TURNS(Buffer.alloc(64), Buffer.from(INPUT), 'EdDSA', publicKey);
  const next = verdict(IN_TURNS, SMALL, INPUT);
  await assert.rejects(failing);
  assert.equal(await next, true);
});

/** Signs as a process does, and checks the signature with another function. */
async function signed({ sign }: Signatures, key: TestKey, input = INPUT): Promise<Buffer> {
  const made = await sign(Buffer.from(input), key.algorithm, key.privateKey);
  assert.equal(await ON_POOL(made, Buffer.from(input), key.algorithm, createPublicKey(key.privateKey)), true);
  return made;
}

for (const algorithm of SIGNING_ALGORITHMS) {
  test(`${algorithm}: a signature that is made on one core or on more holds (RFC 7518 §3)`, async () => {
    const key = testKey(algorithm);
    for (const signatures of [ONE_CORE, TWO_CORES]) await signed(signatures, key);
  });
}

test('on one core, the calling thread signs with ES256 and EdDSA, at most sixteen in one turn, and the thread pool with all others', async (t) => {
  const calls = cryptoCalls(t, 'sign');
  for (const algorithm of SIGNING_ALGORITHMS) {
    const here: boolean[] = [];
    for (const signatures of [ONE_CORE, TWO_CORES]) {
      await signed(signatures, testKey(algorithm));
      here.push(typeof calls.calls.at(-1)?.arguments[3] !== 'function');
    }
    assert.deepEqual(here, [algorithm === 'ES256' || algorithm === 'EdDSA', false], algorithm);
  }
  calls.resetCalls();
  const all = Array.from({ length: 20 }, () => signed(ONE_CORE, SMALL));
  await endOfTurn();
  assert.equal(calls.callCount(), 16);
  await Promise.all(all);
  assert.equal(calls.callCount(), 20);
});

test('on one core, a key that cannot sign rejects, and the next signature is made', async () => {
  const { privateKey } = generateKeyPairSync('x25519');
  const failing = ONE_CORE.sign(Buffer.from(INPUT), 'EdDSA', privateKey);
  const next = signed(ONE_CORE, SMALL);
  await assert.rejects(failing);
  await next;
});
