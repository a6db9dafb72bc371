import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ADMIN_ROLES,
  ADMIN_SCOPES,
  isAdminRole,
  isAdminScope,
  permitsAdmin,
  permitsRole,
  scopeOfRole,
  scopeWithinRole,
} from './admin-scopes.ts';

test('each area of the administration API has a value for reading', () => {
  const known: readonly string[] = ADMIN_SCOPES;
  const areas = ADMIN_SCOPES.map((value) => value.replace(/^(admin:[a-z-]+).*$/, '$1'));
  for (const area of areas) assert.ok(area === 'admin:all-tenants' || known.includes(`${area}:read`), area);
});

test('admin:X and admin:X:write contain admin:X:read; no other value contains another', () => {
  assert.ok(permitsAdmin(['admin:accounts'], 'admin:accounts:read'));
  assert.ok(permitsAdmin(['admin:clients:write'], 'admin:clients:read'));
  for (const held of ADMIN_SCOPES) {
    const contained = ADMIN_SCOPES.filter((needed) => needed !== held && permitsAdmin([held], needed));
    const reading = new Set<string>([`${held}:read`, held.replace(/:write$/, ':read')]);
    assert.ok(
      contained.every((needed) => reading.has(needed)),
      `${held} ${contained.join(' ')}`,
    );
  }
});

test('a look-alike of a value permits nothing in the administration API', () => {
  for (const held of [
    'ADMIN:accounts',
    'admin:accounts:',
    'admin:account',
    'admin',
    'admin:',
    'admin:accounts:read:read',
  ])
    assert.equal(permitsAdmin([held], 'admin:accounts:read'), false, held);
});

test('each role contains the one before, and only an administrator has every value', () => {
  assert.deepEqual(scopeOfRole(null), []);
  assert.ok(permitsRole(scopeOfRole('operator'), 'viewer'));
  assert.ok(permitsRole(scopeOfRole('administrator'), 'operator'));
  assert.equal(permitsRole(scopeOfRole('viewer'), 'operator'), false);
  assert.equal(permitsRole(scopeOfRole('operator'), 'administrator'), false);
  assert.deepEqual(scopeOfRole('administrator'), ADMIN_SCOPES);
  assert.ok(scopeOfRole('viewer').every((value) => value.endsWith(':read')));
});

test('a role takes away reserved values that it does not have, known or not, and no others', () => {
  const scope = [
    'openid',
    'admin:accounts:read',
    'admin:accounts',
    'admin:tenants',
    'admin:new',
    'administer',
  ];
  assert.deepEqual(scopeWithinRole(scope, null), ['openid', 'administer']);
  assert.deepEqual(scopeWithinRole(scope, 'viewer'), ['openid', 'admin:accounts:read', 'administer']);
  const ofAdministrator = scope.filter((value) => value !== 'admin:new');
  assert.deepEqual(scopeWithinRole(scope, 'administrator'), ofAdministrator);
});

test('the words of roles are exact', () => {
  for (const role of ADMIN_ROLES) assert.ok(isAdminRole(role));
  for (const text of ['Administrator', 'admin', '', null, undefined, 'constructor'])
    assert.equal(isAdminRole(text), false);
  assert.ok(isAdminScope('admin:x'));
  assert.equal(isAdminScope('administrator'), false);
});
