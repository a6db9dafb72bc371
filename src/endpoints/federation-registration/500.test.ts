import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBodiless, received, requestOf } from '../../testing/exchange.ts';
import { answered, federatedTenant, requestStatement } from '../../testing/federated-tenant.ts';
import { answer } from '../answer.ts';
import { disabledContract as contract } from './contract.ts';
import { federationRegistration } from './endpoint.ts';

test('POST /federation/clients, a fault: 500 without body, and only the report has the cause (interface, Errors)', async () => {
  const cause = new Error('/var/lib/registry');
  const reports: unknown[] = [];
  const handle = (): never => {
    throw cause;
  };
  const faulty = { ...federationRegistration(undefined), handle };
  const response = await answer(faulty, requestOf(contract, {}), (failure) => reports.push(failure));
  assertBodiless(await received(contract, response), 500);
  assert.deepEqual(reports, [cause]);
});

test('the store fails when the client is to be made: 500 without body, and no client (interface, Errors)', async () => {
  const tenant = await federatedTenant();
  const cause = new Error('/var/lib/registry is full');
  tenant.watch.fail(cause, 'clients.create');
  assertBodiless(await tenant.post(requestStatement()), 500);
  assert.deepEqual(tenant.reports, [cause]);
  tenant.watch.recover();
  answered(await tenant.post(requestStatement()));
});
