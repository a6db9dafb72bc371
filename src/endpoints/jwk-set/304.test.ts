import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../system/clock.ts';
import { type Answer, received, requestOf } from '../../testing/exchange.ts';
import { publishedKeys } from '../../testing/server-keys.ts';
import { answer } from '../answer.ts';
import { contract } from './contract.ts';
import { jwkSet } from './endpoint.ts';

const endpoint = jwkSet({
  keys: await publishedKeys(),
  maxAge: 60,
  clock: systemClock,
});

async function asked(ifNoneMatch?: string): Promise<Answer> {
  const headers = ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch };
  const response = await answer(endpoint, requestOf(contract, { headers }), () => assert.fail('no failure'));
  return await received(contract, response);
}

const etag = (await asked()).headers['etag'] ?? '';

for (const value of [etag, `W/${etag}`, `"other", ${etag}`, `${etag},"other"`, '*']) {
  test(`If-None-Match: ${value.replace(etag, 'ETAG')}: 304 without body, with ETag and Cache-Control (decision 30; RFC 9110 §15.4.5)`, async () => {
    const answered = await asked(value);
    assert.equal(answered.status, 304);
    assert.equal(answered.body, '');
    assert.deepEqual(answered.headers, { etag, 'cache-control': 'public, max-age=60' });
  });
}

for (const value of ['"other"', etag.slice(1, -1), 'W/"other"', '']) {
  test(`If-None-Match: ${value || '(empty)'}: 200 (RFC 9110 §13.1.2)`, async () => {
    assert.equal((await asked(value)).status, 200);
  });
}

test('another set of keys has another ETag (RFC 9110 §8.8.3)', async () => {
  const { keys } = await (await publishedKeys()).jwks();
  const fewer = jwkSet({
    keys: { jwks: async () => ({ keys: keys.slice(1) }) },
    maxAge: 60,
    clock: systemClock,
  });
  const response = await answer(
    fewer,
    requestOf(contract, { headers: { 'if-none-match': etag } }),
    () => undefined,
  );
  assert.equal(response.status, 200);
  assert.notEqual(response.headers['etag'], etag);
});
