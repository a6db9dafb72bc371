import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Credentials, parseAuthorization } from './authorization-header.ts';

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const unusable = (tried: 'bearer' | 'basic' | 'other'): Credentials => ({ scheme: 'unusable', tried });

const ROWS: readonly (readonly [header: string | undefined, credentials: Credentials])[] = [
  [undefined, { scheme: 'none' }],
  ['', unusable('other')],
  ['Bearer abc', { scheme: 'bearer', token: 'abc' }],
  ['bEaReR a-b.c_d~e+f/g==', { scheme: 'bearer', token: 'a-b.c_d~e+f/g==' }],
  ['Bearer', unusable('bearer')],
  ['Bearer ', unusable('bearer')],
  ['Bearer  abc', unusable('bearer')],
  ['Bearer\tabc', unusable('bearer')],
  ['Bearer abc ', unusable('bearer')],
  [' Bearer abc', unusable('other')],
  ['Bearer abc def', unusable('bearer')],
  ['Bearer =', unusable('bearer')],
  ['Bearer a=b', unusable('bearer')],
  ['Bearer a,b', unusable('bearer')],
  ['Bearer é', unusable('bearer')],
  ['Bearers abc', unusable('other')],
  ['Digest username="a"', unusable('other')],
  [`Bearer ${'a'.repeat(16_384)}`, { scheme: 'bearer', token: 'a'.repeat(16_384) }],
  [`Bearer ${'a'.repeat(16_384)}!`, unusable('bearer')],
  [`Basic ${'a'.repeat(16_385)}`, unusable('basic')],
  [basic('id:secret'), { scheme: 'basic', id: 'id', secret: 'secret' }],
  [basic('id:se:cret'), { scheme: 'basic', id: 'id', secret: 'se:cret' }],
  [basic('https%3A%2F%2Frp.example:a+b%2B'), { scheme: 'basic', id: 'https://rp.example', secret: 'a b+' }],
  [basic('%C3%BC:%E2%82%AC'), { scheme: 'basic', id: 'ü', secret: '€' }],
  [basic('ü:x'), { scheme: 'basic', id: 'ü', secret: 'x' }],
  [basic('id'), unusable('basic')],
  [basic(':secret'), unusable('basic')],
  [basic('id:'), { scheme: 'basic', id: 'id', secret: '' }],
  [basic(':'), unusable('basic')],
  [basic('id:%'), unusable('basic')],
  [basic('%zz:x'), unusable('basic')],
  [basic('id:%00'), unusable('basic')],
  [`Basic ${Buffer.from([0x61, 0x3a, 0xff]).toString('base64')}`, unusable('basic')],
  ['Basic YTpi', { scheme: 'basic', id: 'a', secret: 'b' }],
  ['basic YTpi', { scheme: 'basic', id: 'a', secret: 'b' }],
  ['Basic YTpiYw==', { scheme: 'basic', id: 'a', secret: 'bc' }],
  ['Basic YTpiYw', unusable('basic')],
  ['Basic YTpiYx==', unusable('basic')],
  ['Basic YTpi=', unusable('basic')],
  ['Basic YTpi YTpi', unusable('basic')],
  ['Basic YTpi\n', unusable('basic')],
  ['Basic _-_-', unusable('basic')],
  ['Basic', unusable('basic')],
];

for (const [header, credentials] of ROWS) {
  test(`Authorization: ${JSON.stringify(header?.slice(0, 50))} is ${JSON.stringify(credentials).slice(0, 60)} (RFC 6750 §2.1, RFC 6749 §2.3.1; H-011 to H-017)`, () => {
    assert.deepEqual(parseAuthorization(header), credentials);
  });
}
