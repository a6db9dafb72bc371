import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPages } from '../../pages/liquid-pages.ts';
import { SAMPLE_PAGES } from '../../pages/sample-pages.ts';
import { assertBodiless, received, requestOf } from '../../testing/exchange.ts';
import { answer } from '../answer.ts';
import { contract } from './contract.ts';
import { pageAsset } from './endpoint.ts';

test('200: GET /assets/{id}: what a page refers to, kept for ever (RFC 8246 §2)', async () => {
  const pages = openPages('/assets/', undefined);
  const html = pages.render(SAMPLE_PAGES['form-post'] ?? assert.fail(), []);
  const names = [...html.matchAll(/\/assets\/([^"]+)/g)].map(([, name]) => name ?? '');
  const types = await Promise.all(
    names.map(async (segment) => {
      const { status, headers, body } = await received(
        contract,
        await answer(pageAsset({ pages }), requestOf(contract, { segment }), () => undefined),
      );
      assert.equal(status, 200);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.ok(body.length > 0);
      return headers['content-type'];
    }),
  );
  assert.deepEqual(types, ['image/svg+xml', 'text/css; charset=utf-8', 'text/javascript; charset=utf-8']);
});

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

test('GET /assets/{id}, a fault: 500 without body, and only the report has the cause', async () => {
  const cause = new Error('/var/lib/theme');
  const pages = {
    ...openPages('/assets/', undefined),
    asset: (): never => {
      throw cause;
    },
  };
  const reports: unknown[] = [];
  const response = await answer(pageAsset({ pages }), requestOf(contract, { segment: 'x' }), (failure) =>
    reports.push(failure),
  );
  assertBodiless(await received(contract, response), 500);
  assert.deepEqual(reports, [cause]);
});
