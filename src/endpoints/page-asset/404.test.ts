import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPages } from '../../pages/liquid-pages.ts';
import { assertBodiless, received, requestOf } from '../../testing/exchange.ts';
import { answer } from '../answer.ts';
import { contract } from './contract.ts';
import { pageAsset } from './endpoint.ts';

for (const segment of [
  'style.css',
  'style-000000000000.css',
  '__proto__',
  '..%2F..%2Fpackage.json',
  '%00',
  '%',
]) {
  test(`GET /assets/${segment}: 404 without body, no file of the machine is read (RFC 9110 §15.5.5)`, async () => {
    const pages = openPages('/assets/', undefined);
    const response = await answer(pageAsset({ pages }), requestOf(contract, { segment }), () => undefined);
    assertBodiless(await received(contract, response), 404);
    assert.equal(response.headers['cache-control'], 'no-store');
  });
}
