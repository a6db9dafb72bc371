import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MemberPrivilege } from './client-metadata.ts';
import {
  ALL_PRIVILEGES,
  isRegistrationScope,
  missingScopes,
  openPrivileges,
  privilegesOfScope,
  type RegistrationNeeds,
} from './registration-privileges.ts';

const NOTHING: RegistrationNeeds = { grant_types: [], scope: undefined, members: new Set() };
const everything: RegistrationNeeds = {
  grant_types: ['authorization_code', 'password'],
  scope: ['openid'],
  members: new Set<MemberPrivilege>(['scope', 'data', 'set-id', 'set-secret']),
};

test('client-reg is everything, whatever stands beside it (interface)', () => {
  assert.deepEqual(privilegesOfScope(['x', 'client-reg', 'client-reg:scope:openid']), ALL_PRIVILEGES);
  assert.deepEqual(missingScopes(everything, ALL_PRIVILEGES), []);
});

test('no scope is no privilege (interface)', () => {
  assert.deepEqual(privilegesOfScope([]), {
    grant_types: [],
    scope: [],
    data: false,
    set_id: false,
    set_secret: false,
    redirect_hosts: 'any',
  });
  assert.deepEqual(missingScopes(everything, privilegesOfScope([])), [
    'client-reg:grant:code',
    'client-reg:grant:password',
    'client-reg:scope',
    'client-reg:data',
    'client-reg:set-id',
    'client-reg:set-secret',
  ]);
  assert.deepEqual(missingScopes(NOTHING, privilegesOfScope([])), []);
});

const SCOPES: readonly (readonly [held: readonly string[], scope: 'any' | readonly string[]])[] = [
  [['client-reg:scope'], 'any'],
  [['client-reg:scope:openid'], ['openid']],
  [
    ['client-reg:scope:openid', 'client-reg:scope:a:b'],
    ['openid', 'a:b'],
  ],
  [['client-reg:scope', 'client-reg:scope:openid'], ['openid']],
  [['client-reg:scope:'], []],
  [['client-reg:scopes'], []],
];

for (const [held, scope] of SCOPES) {
  test(`${held.join(' ')} permits the scope values ${JSON.stringify(scope)} (interface)`, () => {
    assert.deepEqual(privilegesOfScope(held).scope, scope);
  });
}

test('the empty scope is a scope: it needs the privilege, and then any', () => {
  const needs = { ...NOTHING, scope: [] };
  assert.deepEqual(missingScopes(needs, privilegesOfScope([])), ['client-reg:scope']);
  assert.deepEqual(missingScopes(needs, privilegesOfScope(['client-reg:scope:openid'])), []);
});

test('open registration has the three grants, the configured scope values and nothing else (decision 6)', () => {
  const open = openPrivileges(['openid']);
  assert.deepEqual(
    missingScopes({ ...everything, grant_types: ['authorization_code', 'implicit', 'refresh_token'] }, open),
    ['client-reg:data', 'client-reg:set-id', 'client-reg:set-secret'],
  );
  assert.deepEqual(missingScopes({ ...NOTHING, scope: ['email'] }, open), ['client-reg:scope:email']);
  assert.deepEqual(missingScopes({ ...NOTHING, scope: [] }, openPrivileges([])), ['client-reg:scope']);
});

test('which scopes make an access token an initial access token (interface)', () => {
  for (const value of [
    'client-reg',
    'client-reg:grant:code',
    'client-reg:scope',
    'client-reg:scope:x',
    'client-reg:data',
    'client-reg:set-id',
    'client-reg:set-secret',
  ]) {
    assert.equal(isRegistrationScope(value), true, value);
  }
  for (const value of [
    '',
    'client-reg:',
    'client-reg:scope:',
    'client-reg:grant',
    'client-reg:grant:x',
    'CLIENT-REG',
    'client-regs',
  ]) {
    assert.equal(isRegistrationScope(value), false, value);
  }
});

test('a grant that is asked for twice is missing once', () => {
  const needs: RegistrationNeeds = { ...NOTHING, grant_types: ['password', 'password'] };
  assert.deepEqual(missingScopes(needs, privilegesOfScope([])), ['client-reg:grant:password']);
});

test('up to twenty missing scope values are named one by one, more by the scope that permits them all', () => {
  const held = privilegesOfScope(['client-reg:scope:openid']);
  const values = Array.from({ length: 21 }, (_, index) => `s${index}`);
  const twenty = values.slice(0, 20);
  assert.deepEqual(
    missingScopes({ ...NOTHING, scope: ['openid', ...twenty] }, held),
    twenty.map((value) => `client-reg:scope:${value}`),
  );
  assert.deepEqual(missingScopes({ ...NOTHING, scope: ['openid', ...values] }, held), ['client-reg:scope']);
});
