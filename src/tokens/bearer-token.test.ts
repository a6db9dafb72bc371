import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestOf } from '../keys/digest.ts';
import {
  bearerTokenNeeded,
  insufficientScope,
  invalidToken,
  masterTokenOf,
  presentedBearer,
} from './bearer-token.ts';

test('the bearer token of the header; undefined where there is no header (RFC 6750 §2.1)', () => {
  assert.equal(presentedBearer(undefined, 10), undefined);
  assert.equal(presentedBearer('Bearer abc', 10), 'abc');
  assert.equal(presentedBearer('Bearer 0123456789', 10), '0123456789');
});

for (const header of ['', 'Bearer', 'Basic YTpi', 'Bearer 01234567890', 'Bearer a b', 'abc']) {
  test(`Authorization: "${header}" is invalid_token, not a missing token (RFC 6750 §3.1; H-018, H-019)`, () => {
    assert.throws(() => presentedBearer(header, 10), { code: 'invalid_token' });
  });
}

test('a bearer token of 8,000 characters is read, and the refusal of a longer one names limits.bearer-token (H-236)', () => {
  const token = 'a'.repeat(8_000);
  assert.equal(presentedBearer(`Bearer ${token}`, 8_000), token);
  assert.throws(() => presentedBearer(`Bearer ${token}a`, 8_000), {
    code: 'invalid_token',
    detail: 'the token has 8001 characters; limits.bearer-token is 8000',
  });
});

test('the presented master token is found among several', () => {
  const masters = ['a', 'b'].map((token) => ({ label: token, digest: digestOf(token) }));
  assert.equal(masterTokenOf(digestOf('a'), masters)?.label, 'a');
  assert.equal(masterTokenOf(digestOf('b'), masters)?.label, 'b');
  assert.equal(masterTokenOf(digestOf('c'), masters), undefined);
  assert.equal(masterTokenOf(digestOf('a'), []), undefined);
});

test('the errors have the challenges of decision 6 and omit details', () => {
  assert.equal(bearerTokenNeeded().challenge, 'Bearer');
  const used = invalidToken({ detail: 'the initial access token was used up' });
  assert.equal(used.challenge, undefined);
  assert.equal(used.error_description.includes('used up'), false);
  assert.equal(used.detail, 'the initial access token was used up');
  assert.match(
    insufficientScope(['a', 'b']).challenge ?? '',
    /^Bearer error="insufficient_scope", .*, scope="a b"$/,
  );
});
