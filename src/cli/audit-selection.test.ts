import assert from 'node:assert/strict';
import { test } from 'node:test';
import { optionsSelect } from './audit-selection.ts';

const NONE = {
  since: undefined,
  until: undefined,
  action: undefined,
  actor: undefined,
  client: undefined,
  request: undefined,
  sub: undefined,
  address: undefined,
  outcome: undefined,
};

test('the options of chancery audit select by the same rules as the administration API', () => {
  const options = { ...NONE, client: 'c', request: 'r', actor: 'master', since: '1m', action: ['session'] };
  assert.deepEqual(optionsSelect(options, 1000), {
    filter: {
      actions: ['session.create', 'session.end'],
      actorKind: 'master',
      client_id: 'c',
      request_id: 'r',
    },
    since: 940,
    until: undefined,
  });
});

test('a value that no event can have ends the command with 2, and names the option', () => {
  assert.throws(() => optionsSelect({ ...NONE, client: '', action: ['clien'] }, 1000), {
    exitCode: 2,
    message: /^--action must be one of client\.create, .*; --client takes a value, found ""$/,
  });
});
