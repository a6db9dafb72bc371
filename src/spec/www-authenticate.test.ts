import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basicChallenge, bearerChallenge } from './www-authenticate.ts';

test('without attributes the bearer challenge is the bare word (RFC 6750 §3)', () => {
  assert.equal(bearerChallenge(), 'Bearer');
  assert.equal(bearerChallenge({}), 'Bearer');
});

test('attributes are quoted, in their order (RFC 6750 §3)', () => {
  const attributes = { error: 'insufficient_scope', error_description: 'no: a', scope: 'a b' };
  assert.equal(
    bearerChallenge(attributes),
    'Bearer error="insufficient_scope", error_description="no: a", scope="a b"',
  );
});

test('nothing can leave its quotation marks or its line (RFC 6750 §3: %x20-21 / %x23-5B / %x5D-7E)', () => {
  for (const hostile of ['"', '\\', '\r\n', '\u0000', 'é', '\u007f', '🦊']) {
    const challenge = bearerChallenge({ error_description: `a${hostile}b` });
    assert.match(challenge, /^Bearer error_description="a\?+b"$/);
  }
});

test('the Basic challenge has a realm and says UTF-8 (RFC 7617 §2 and §2.1)', () => {
  assert.equal(
    basicChallenge('https://op.example.com'),
    'Basic realm="https://op.example.com", charset="UTF-8"',
  );
  assert.equal(basicChallenge('a"b'), 'Basic realm="a?b", charset="UTF-8"');
});
