import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPages } from '../../pages/liquid-pages.ts';
import { assertBodiless, received, requestOf } from '../../testing/exchange.ts';
import { answer } from '../answer.ts';
import { contract } from './contract.ts';
import { pageAsset } from './endpoint.ts';

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
