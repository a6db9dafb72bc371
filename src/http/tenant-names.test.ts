import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TenantId } from '../spec/identifiers.ts';
import { type Asked, type NamedTenant, tenantNames } from './tenant-names.ts';

const tenant = (id: string, ...issuers: [string, ...string[]]): NamedTenant => ({
  tenant: id as TenantId,
  issuers,
});

const FIRST = tenant('default', 'https://op.example.com', 'https://old.example.com/op');
const NAMES = tenantNames(FIRST, [
  tenant('b', 'https://op.example.com/b', 'https://b.example.com', 'https://op.example.com/b2'),
  tenant('c', 'https://op.example.com/b/c'),
  tenant('port', 'https://op.example.com:8443/p'),
  tenant('__proto__', 'https://op.example.com/proto'),
]);

function chosen(asked: Partial<Asked>, names = NAMES): string {
  const choice = names.choose({
    issuer: undefined,
    tenantId: undefined,
    host: undefined,
    path: '/clients',
    ...asked,
  });
  return typeof choice === 'string' ? choice : `${choice.tenant} as ${choice.issuer}`;
}

const DEFAULT = 'default as https://op.example.com';
const B = 'b as https://op.example.com/b';

for (const [host, path, expected] of [
  ['op.example.com', '/clients', DEFAULT],
  ['OP.example.com:443', '/clients', DEFAULT],
  ['op.example.com', '/', DEFAULT],
  ['op.example.com', '/b/clients', B],
  ['op.example.com', '/b/clients/https%3A%2F%2Frp.example', B],
  ['op.example.com', '/b2/token', 'b as https://op.example.com/b2'],
  ['op.example.com', '/b', DEFAULT],
  ['op.example.com', '/bb/clients', DEFAULT],
  ['op.example.com', '/B/clients', DEFAULT],
  ['op.example.com', '/%62/clients', DEFAULT],
  ['op.example.com', '//b/clients', DEFAULT],
  ['op.example.com', '/b/c/clients', 'c as https://op.example.com/b/c'],
  ['op.example.com', '/b/c', B],
  ['op.example.com', '/clients/b/clients', DEFAULT],
  ['op.example.com', '/.well-known/oauth-authorization-server', DEFAULT],
  ['op.example.com', '/.well-known/oauth-authorization-server/b', B],
  ['op.example.com', '/.well-known/oauth-authorization-server/b/c', 'c as https://op.example.com/b/c'],
  ['op.example.com', '/.well-known/oauth-authorization-server/x', DEFAULT],
  ['op.example.com', '/.well-known/oauth-protected-resource/userinfo', DEFAULT],
  ['op.example.com', '/.well-known/oauth-protected-resource/b/userinfo', B],
  ['op.example.com', '/.well-known/oauth-protected-resource/b/c/admin/v1', 'c as https://op.example.com/b/c'],
  ['op.example.com', '/.well-known/x/.well-known/oauth-protected-resource/b/userinfo', DEFAULT],
  ['op.example.com', '/b/.well-known/openid-configuration', B],
  ['b.example.com', '/clients', 'b as https://b.example.com'],
  ['b.example.com', '/b/clients', 'b as https://b.example.com'],
  ['old.example.com', '/op/clients', 'default as https://old.example.com/op'],
  ['old.example.com', '/clients', 'unknown'],
  ['old.example.com', '/b/clients', 'unknown'],
  ['op.example.com:8443', '/p/clients', 'port as https://op.example.com:8443/p'],
  ['op.example.com:8443', '/clients', 'unknown'],
  ['internal:8080', '/clients', DEFAULT],
  ['internal:8080', '/b/clients', B],
  [undefined, '/b/clients', B],
  ['__proto__', '/b/clients', B],
] as const) {
  test(`Host ${host ?? '(none)'}, ${path}: ${expected} (decision 38)`, () => {
    assert.equal(chosen({ host, path }), expected);
  });
}

for (const [issuer, tenantId, expected] of [
  ['https://op.example.com/b', undefined, B],
  ['https://b.example.com', undefined, 'b as https://b.example.com'],
  ['https://old.example.com/op', undefined, 'default as https://old.example.com/op'],
  [undefined, 'b', B],
  [undefined, 'default', DEFAULT],
  [undefined, '__proto__', '__proto__ as https://op.example.com/proto'],
  ['https://b.example.com', 'b', 'b as https://b.example.com'],
  ['https://op.example.com/b/c', 'b', 'contradiction'],
  ['https://op.example.com', 'b', 'contradiction'],
  ['https://op.example.com/', undefined, 'unknown'],
  ['https://OP.example.com', undefined, 'unknown'],
  ['https://op.example.com:443', undefined, 'unknown'],
  ['https://user@op.example.com', undefined, 'unknown'],
  ['', undefined, 'unknown'],
  ['x'.repeat(8000), undefined, 'unknown'],
  [undefined, 'B', 'unknown'],
  [undefined, '', 'unknown'],
  [undefined, 'constructor', 'unknown'],
  ['https://unknown.example', 'b', 'unknown'],
  ['https://b.example.com', 'unknown', 'unknown'],
] as const) {
  test(`Issuer ${issuer?.slice(0, 40)}, Tenant-ID ${tenantId}: ${expected}, whatever host and path (decision 38; H-154)`, () => {
    assert.equal(chosen({ issuer, tenantId, host: 'op.example.com', path: '/b/c/clients' }), expected);
  });
}

const WITH_CLOSED = tenantNames(FIRST, [
  { ...tenant('b', 'https://op.example.com/b', 'https://b.example.com'), closed: true },
  tenant('c', 'https://op.example.com/b/c'),
]);

test('a request for a disabled tenant is refused and never goes to another tenant', () => {
  for (const asked of [
    { tenantId: 'b' },
    { issuer: 'https://op.example.com/b' },
    { issuer: 'https://b.example.com' },
    { host: 'b.example.com', path: '/clients' },
    { host: 'op.example.com', path: '/b/clients' },
    { path: '/.well-known/oauth-authorization-server/b' },
    { path: '/.well-known/oauth-protected-resource/b/userinfo' },
  ]) {
    assert.equal(chosen(asked, WITH_CLOSED), 'unknown', JSON.stringify(asked));
  }
  assert.equal(chosen({ path: '/b/c/clients' }, WITH_CLOSED), 'c as https://op.example.com/b/c');
  assert.equal(chosen({ path: '/clients' }, WITH_CLOSED), DEFAULT);
});

test('a path of 16,000 slashes is searched no deeper than the longest configured name', () => {
  const path = '/b'.repeat(8000);
  assert.equal(chosen({ path }), B);
});

test('one issuer without aliases is no choice of several names', () => {
  assert.equal(tenantNames(tenant('default', 'https://op.example.com'), []).several, false);
  assert.equal(tenantNames(FIRST, []).several, true);
  assert.equal(NAMES.several, true);
});
