import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPages } from '../../pages/liquid-pages.ts';
import { SAMPLE_PAGES } from '../../pages/sample-pages.ts';
import { received, requestOf } from '../../testing/exchange.ts';
import { answer } from '../answer.ts';
import { contract } from './contract.ts';
import { pageAsset } from './endpoint.ts';

test('GET /assets/{id}: what a page refers to, kept for ever (RFC 8246 §2)', async () => {
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
