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
  const { resource, segment } = buildRouter([site('')]).find('/clients') ?? assert.fail();
  assert.equal(segment, '');
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
    assert.equal(match?.segment, segment);
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
  assert.equal(router.find('/c2/clients/x')?.segment, 'x');
  assert.equal(router.find('/.well-known/oauth-authorization-server/c2')?.resource.routes.get('GET'), infix);
  assert.equal(router.find('/c2/.well-known/oauth-authorization-server/c2'), undefined);
});

test('buildRouter throws if two endpoints have one route', () => {
  assert.throws(() => buildRouter([site(''), site('')]), /two endpoints have the route GET \/clients/);
});

test('buildRouter throws for a path that could never match', () => {
  for (const path of ['clients', '/clients/{id}/keys', '/{tenant}/clients/{id}']) {
    const one = { issuerPath: '', allowedOrigins: [], endpoints: [endpoint('GET', path)] };
    assert.throws(() => buildRouter([one]), /cannot be routed/, path);
  }
});
