import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN_CONTRACTS } from '../../tenant/admin-endpoints.ts';
import { ALL_NOUNS } from '../dispatch.ts';
import { REMOTE } from './operations.ts';
import { operationsOf } from './row.ts';

const COMMANDS = (await Promise.all(ALL_NOUNS.map(async ({ load }) => await load()))).flat();
const OFFERING = COMMANDS.filter(({ options }) => 'server' in options);
const OPERATIONS = new Set(ADMIN_CONTRACTS.map(({ name }) => name));

for (const [name, row] of Object.entries(REMOTE)) {
  test(`the row of ${name} names a command, and operations that exist or a reason`, () => {
    const found = OFFERING.find(({ words }) => words.join(' ') === name);
    assert.ok(found !== undefined, 'no such command with --server');
    if ('reason' in row) return assert.ok(row.reason.length > 20);
    for (const operation of operationsOf(row)) assert.ok(OPERATIONS.has(operation), operation);
    if ('own' in row) return undefined;
    for (const option of Object.keys(row.refuses ?? {})) assert.ok(option in found.options, option);
    const form = ADMIN_CONTRACTS.find((contract) => contract.name === row.operation)?.form;
    assert.equal(row.lists === true, form?.kind === 'list');
    return undefined;
  });
}
