import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preferredMediaType } from './accept.ts';

const JSON_TYPE = 'application/json';
const JWT_TYPE = 'application/token-introspection+jwt';
const OLD_TYPE = 'application/jwt';

const preferred = (accept: string | undefined): string =>
  preferredMediaType(accept, JSON_TYPE, [JWT_TYPE, OLD_TYPE]);

for (const accept of [
  undefined,
  '',
  '*/*',
  'application/*',
  JSON_TYPE,
  'text/html',
  'text/html, application/xhtml+xml;q=0.9, */*;q=0.8',
  `${JSON_TYPE}, ${JWT_TYPE}`,
  `${JSON_TYPE}, ${JWT_TYPE};q=0.9`,
  `${JWT_TYPE};q=0.5, */*`,
  `${JWT_TYPE};q=0.5, application/*;q=0.6`,
  `${JWT_TYPE};q=0`,
  `${JWT_TYPE};q=0, ${JSON_TYPE};q=0`,
  `${JWT_TYPE};q=2`,
  `${JWT_TYPE};q=-1`,
  `${JWT_TYPE};q=0.1234`,
  `${JWT_TYPE};q=abc`,
  'application/token-introspection',
  'application/token-introspection+jwtx',
  `x${JWT_TYPE}`,
  `${','.repeat(2000)}${JWT_TYPE}`,
  ',;,=,q=1',
]) {
  test(`Accept: ${String(accept).slice(0, 60)}: the usual representation (RFC 9110 §12.5.1)`, () => {
    assert.equal(preferred(accept), JSON_TYPE);
  });
}

for (const accept of [
  JWT_TYPE,
  JWT_TYPE.toUpperCase(),
  ` ${JWT_TYPE} ; q=1.000 `,
  `${JWT_TYPE};charset=utf-8`,
  `${JWT_TYPE}, ${JSON_TYPE}`,
  `${JWT_TYPE}, */*`,
  `*/*, ${JWT_TYPE}`,
  `application/*, ${JWT_TYPE}`,
  `${JSON_TYPE};q=0.9, ${JWT_TYPE}`,
  `${JSON_TYPE};q=0.1, ${JWT_TYPE};q=0.2, text/html`,
  `${JSON_TYPE};q=0, ${JWT_TYPE};Q=0.001`,
  `*/*;q=0.1, ${JWT_TYPE};q=0.1`,
  `, ${JWT_TYPE},`,
  `${OLD_TYPE};q=0.5, ${JWT_TYPE};q=0.6`,
]) {
  test(`Accept: ${accept}: the one that is named (RFC 9110 §12.5.1, §12.4.2)`, () => {
    assert.equal(preferred(accept), JWT_TYPE);
  });
}

test('of two that are named, the weightier one, then the first (RFC 9110 §12.5.1)', () => {
  assert.equal(preferred(`${OLD_TYPE}, ${JWT_TYPE}`), OLD_TYPE);
  assert.equal(preferred(`${OLD_TYPE};q=0.9, ${JWT_TYPE}`), JWT_TYPE);
  assert.equal(preferred(`${JWT_TYPE};q=0.9, ${OLD_TYPE}, ${JSON_TYPE};q=0.95`), OLD_TYPE);
});
