import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBodiless, received, requestOf } from '../../testing/exchange.ts';
import { answer } from '../answer.ts';
import { authorizationServerContract, contract } from './contract.ts';
import { discovery } from './endpoint.ts';

for (const at of [contract, authorizationServerContract]) {
  test(`${at.path}, a fault: 500 without body, and only the report has the cause (interface, Errors)`, async () => {
    const cause = new Error('/var/lib/registry');
    const reports: unknown[] = [];
    const handle = (): never => {
      throw cause;
    };
    const faulty = { ...discovery(at, {}, 300), handle };
    const response = await answer(faulty, requestOf(at, {}), (failure) => reports.push(failure));
    assertBodiless(await received(at, response), 500);
    assert.deepEqual(reports, [cause]);
  });
}
