import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN_CONTRACTS } from '../../tenant/admin-endpoints.ts';
import { ALL_NOUNS } from '../dispatch.ts';
import { REMOTE, remoteRow } from './operations.ts';

const COMMANDS = (await Promise.all(ALL_NOUNS.map(async ({ load }) => await load()))).flat();
const OFFERING = COMMANDS.filter(({ options }) => 'server' in options);
const OPERATIONS = new Set(ADMIN_CONTRACTS.map(({ name }) => name));

test('every command on a registry has an operation of the administration API, or a reason why there is none', () => {
  const without = OFFERING.filter(({ words }) => remoteRow(words) === undefined);
  assert.deepEqual(
    without.map(({ words }) => words.join(' ')),
    [],
  );
  assert.ok(OFFERING.length >= 50, `${OFFERING.length} commands`);
});

test('every command that opens the registry of a tenant, or the tenants, offers --server', () => {
  const groups = new Set([
    'clients',
    'iat',
    'accounts',
    'sessions',
    'grants',
    'keys',
    'tenants',
    'federation',
    'audit',
    'plan',
    'apply',
  ]);
  const without = COMMANDS.filter(
    ({ words: [noun = ''], options }) => groups.has(noun) && 'config' in options && !('server' in options),
  );
  assert.deepEqual(
    without.map(({ words }) => words.join(' ')),
    [
      'keys encryption rotate',
      'federation validate',
      'federation resolve',
      'federation register-demo',
    ].filter((name) => without.some(({ words }) => words.join(' ') === name)),
    'these change the key of the database, or examine the federation of others',
  );
});

for (const [name, row] of Object.entries(REMOTE)) {
  test(`the row of ${name} names a command, and operations that exist or a reason`, () => {
    const found = OFFERING.find(({ words }) => words.join(' ') === name);
    assert.ok(found !== undefined, 'no such command with --server');
    if ('reason' in row) return assert.ok(row.reason.length > 20);
    const operations = 'own' in row ? row.own : [row.operation];
    for (const operation of operations) assert.ok(OPERATIONS.has(operation), operation);
    if ('own' in row) return undefined;
    for (const option of Object.keys(row.refuses ?? {})) assert.ok(option in found.options, option);
    const form = ADMIN_CONTRACTS.find((contract) => contract.name === row.operation)?.form;
    assert.equal(row.lists === true, form?.kind === 'list');
    return undefined;
  });
}
