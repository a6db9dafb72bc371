import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { test } from 'node:test';
import { digestOf } from '../keys/digest.ts';
import { systemRandom } from '../system/random.ts';
import { genuineRefreshToken, mintRefreshToken, newGrantId } from './refresh-token.ts';
import { authenticated } from './token-identifier.ts';

const needs = {
  mac: createSecretKey(Buffer.alloc(32, 7)),
  random: systemRandom,
  clock: { now: () => 1_800_000_000, milliseconds: () => 1_800_000_000_000 },
};

test('a refresh token is its grant’s identifier, 43 random characters, a full stop and a MAC; only its digest is stored (decision 16)', () => {
  const grant_id = newGrantId(needs);
  assert.match(grant_id, /^[0-9A-Za-z]{27}$/);
  const { refresh_token, digest } = mintRefreshToken(needs, grant_id);
  assert.match(refresh_token, /^[0-9A-Za-z]{70}\.[A-Za-z0-9_-]{22}$/);
  assert.equal(refresh_token.startsWith(grant_id), true);
  assert.equal(digest, digestOf(refresh_token));
  assert.deepEqual(genuineRefreshToken(needs, refresh_token), { grant_id, digest });
});

test('two refresh tokens of one grant differ, and so do grants of one millisecond', () => {
  const grant_id = newGrantId(needs);
  assert.notEqual(mintRefreshToken(needs, grant_id).digest, mintRefreshToken(needs, grant_id).digest);
  assert.equal(new Set(Array.from({ length: 1000 }, () => newGrantId(needs))).size, 1000);
});

test('a refresh token with one changed character is not recognised', () => {
  const { refresh_token } = mintRefreshToken(needs, newGrantId(needs));
  for (let at = 0; at < refresh_token.length; at += 1) {
    const other = refresh_token[at] === 'A' ? 'B' : 'A';
    const forged = refresh_token.slice(0, at) + other + refresh_token.slice(at + 1);
    assert.equal(genuineRefreshToken(needs, forged), undefined, `character ${at}`);
  }
  const spoilt = ['', refresh_token.slice(1), `${refresh_token}A`, ` ${refresh_token}`, 'é'.repeat(93)];
  for (const forged of spoilt) assert.equal(genuineRefreshToken(needs, forged), undefined);
});

test('a refresh token with the MAC of another key or of an access token is not recognised', () => {
  const identifier = mintRefreshToken(needs, newGrantId(needs)).refresh_token.slice(0, 70);
  assert.notEqual(
    genuineRefreshToken(needs, authenticated('refresh_token', identifier, needs.mac)),
    undefined,
  );
  const other = createSecretKey(Buffer.alloc(32, 8));
  for (const forged of [
    authenticated('refresh_token', identifier, other),
    authenticated('access_token', identifier, needs.mac),
  ]) {
    assert.equal(genuineRefreshToken(needs, forged), undefined);
  }
});
