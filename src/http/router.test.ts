import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Contract, Endpoint } from '../endpoints/contract.ts';
import { buildRouter, type Site } from './router.ts';

function endpoint(method: Contract['method'], path: string): Endpoint {
  const name = `${method} ${path}`;
  const contract: Contract = {
    name,
    method,
    path,
    specifications: [],
    purpose: 'Tests.',
    credentials: ['none'],
    answers: {},
    statuses: [],
    errors: 'json',
    cors: 'configured',
    body: 'none',
  };
  return { contract, handle: () => ({ status: 200, headers: {} }) };
}

function site(issuerPath: string, outside: readonly Endpoint[] = []): Site {
  return {
    issuerPath,
    allowedOrigins: [],
    endpointsOutsideIssuer: outside,
    endpoints: [
      endpoint('GET', '/clients'),
      endpoint('POST', '/clients'),
      endpoint('GET', '/clients/{id}'),
      endpoint('PUT', '/clients/{id}'),
      endpoint('GET', '/jwks.json'),
    ],
  };
}

test('a path is found with the endpoint of each of its methods, HEAD as GET (RFC 9110 §9.3.2)', () => {
  const { resource, segments } = buildRouter([site('')]).find('/clients') ?? assert.fail();
  assert.deepEqual(segments, {});
  assert.equal(resource.routes.get('POST')?.contract.name, 'POST /clients');
  assert.equal(resource.routes.get('HEAD'), resource.routes.get('GET'));
  assert.equal(resource.routes.get('DELETE'), undefined);
  assert.equal(resource.allow, 'GET, HEAD, POST, OPTIONS');
});

test('{id} matches exactly one segment and passes it on as it was sent', () => {
  const router = buildRouter([site('')]);
  for (const segment of [
    'a',
    'a%2Fb',
    '%zz',
    '%',
    '%2e%2e',
    '...',
    'https%3A%2F%2Frp.example%2F',
    '__proto__',
  ]) {
    const match = router.find(`/clients/${segment}`);
    assert.equal(match?.segments['id'], segment);
    assert.equal(match.resource.routes.get('PUT')?.contract.path, '/clients/{id}');
  }
});

test('two spellings of a path never reach one resource', () => {
  const router = buildRouter([site('')]);
  const others = [
    '',
    '/',
    '/clients/',
    '/clients//',
    '//clients',
    '/clients/a/b',
    '/clients/.',
    '/clients/..',
    '/Clients',
  ];
  for (const path of [
    ...others,
    '/clients/a\\b',
    '/jwks.json/',
    '/jwks%2ejson',
    '/./clients',
    'clients',
    '/clients/{id}/',
  ]) {
    assert.equal(router.find(path), undefined, path);
  }
});

test('endpoints are below their issuer’s path, and well-known endpoints of RFC 8414 §3.1 at the root', () => {
  const infix = endpoint('GET', '/.well-known/oauth-authorization-server/c2');
  const router = buildRouter([site('/c1'), site('/c2', [infix])]);
  assert.equal(router.find('/clients'), undefined);
  assert.ok(router.find('/c1/clients'));
  assert.equal(router.find('/c2/clients/x')?.segments['id'], 'x');
  assert.equal(router.find('/.well-known/oauth-authorization-server/c2')?.resource.routes.get('GET'), infix);
  assert.equal(router.find('/c2/.well-known/oauth-authorization-server/c2'), undefined);
});

test('buildRouter throws if two endpoints have one route', () => {
  assert.throws(() => buildRouter([site(''), site('')]), /two endpoints have the route GET \/clients/);
});

test('buildRouter throws for a path that could never match', () => {
  for (const paths of [['clients'], ['/clients/x{id}'], ['/clients/{ID}/keys'], ['/a/{x}', '/a/{y}']]) {
    const endpoints = paths.map((path, index) => endpoint(index === 0 ? 'GET' : 'PUT', path));
    const one = { issuerPath: '', allowedOrigins: [], endpoints };
    assert.throws(() => buildRouter([one]), /cannot be routed/, paths.join());
  }
});

test('{name} stands anywhere in a path; a literal segment comes first, and each segment is passed on under its name', () => {
  const paths = ['/a/{x}', '/a/b', '/a/{x}/c/{y}', '/a/b/c/d', '/a/{x}/c'];
  const endpoints = paths.map((path) => endpoint('GET', path));
  const router = buildRouter([{ issuerPath: '/t', allowedOrigins: [], endpoints }]);
  const rows: readonly (readonly [path: string, found: string | undefined, segments?: object])[] = [
    ['/t/a/b', '/a/b', {}],
    ['/t/a/z', '/a/{x}', { x: 'z' }],
    ['/t/a/b/c', '/a/{x}/c', { x: 'b' }],
    ['/t/a/b/c/d', '/a/b/c/d', {}],
    ['/t/a/b/c/e', '/a/{x}/c/{y}', { x: 'b', y: 'e' }],
    ['/t/a/%2F/c/__proto__', '/a/{x}/c/{y}', { x: '%2F', y: '__proto__' }],
    ['/t/a//c', undefined],
    ['/t/a/../c', undefined],
    ['/t/a/b/c/', undefined],
    ['/t/a/b/c/d/', undefined],
    ['/t/a', undefined],
    [`/t${'/a'.repeat(9999)}`, undefined],
  ];
  for (const [path, found, segments] of rows) {
    const match = router.find(path);
    assert.equal(match?.resource.routes.get('GET')?.contract.path, found, path.slice(0, 40));
    if (segments !== undefined) assert.deepEqual({ ...match?.segments }, segments);
  }
});
