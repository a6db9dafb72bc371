import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Contract, Endpoint } from '../endpoints/contract.ts';
import { corsHeaders, preflightHeaders } from './cors.ts';
import type { Resource } from './router.ts';

function endpoint(method: Contract['method'], cors: Contract['cors']): Endpoint {
  const contract: Contract = {
    name: 'token',
    method,
    path: '/token',
    specifications: [],
    purpose: 'Tests.',
    credentials: ['none'],
    answers: {},
    statuses: [],
    errors: 'json',
    cors,
    body: 'form',
  };
  return { contract, handle: () => ({ status: 200, headers: {} }) };
}

function resource(origins: readonly string[], ...endpoints: readonly Endpoint[]): Resource {
  const routes = new Map(endpoints.map((each) => [each.contract.method as string, each]));
  return { routes, allow: '', allowedOrigins: new Set(origins), tenant: undefined };
}

function named(lines: readonly string[]): Record<string, string> {
  const entries = lines.flatMap((name, index) => (index % 2 === 0 ? [[name, lines[index + 1] ?? '']] : []));
  return Object.fromEntries(entries);
}

test('`any` permits every origin, never with credentials, and exposes WWW-Authenticate, Link and DPoP-Nonce (decision 40)', () => {
  const post = endpoint('POST', 'any');
  assert.deepEqual(named(corsHeaders(post, resource([], post), 'https://a.test')), {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'WWW-Authenticate, Link, DPoP-Nonce',
  });
  assert.deepEqual(corsHeaders(post, resource([], post), undefined), []);
});

test('`any` on GET permits without an Origin too, because a cache may give the answer to a page', () => {
  const jwks = endpoint('GET', 'any');
  assert.equal(named(corsHeaders(jwks, resource([], jwks), undefined))['access-control-allow-origin'], '*');
});

test('`configured` permits only the configured origins, compared exactly, and varies by Origin', () => {
  const list = endpoint('GET', 'configured');
  const some = resource(['https://a.test'], list);
  assert.equal(
    named(corsHeaders(list, some, 'https://a.test'))['access-control-allow-origin'],
    'https://a.test',
  );
  for (const origin of [
    'https://A.test',
    'https://a.test:443',
    'http://a.test',
    'https://a.test.evil.test',
    'null',
    undefined,
  ]) {
    assert.deepEqual(named(corsHeaders(list, some, origin)), { vary: 'Origin' }, String(origin));
  }
  assert.deepEqual(corsHeaders(list, resource([], list), 'https://a.test'), []);
});

test('`none` permits no origin, whatever is configured (RFC 9700 §2.6)', () => {
  const authorize = endpoint('GET', 'none');
  const some = resource(['https://a.test'], authorize);
  assert.deepEqual(corsHeaders(authorize, some, 'https://a.test'), []);
  const preflight = { origin: 'https://a.test', 'access-control-request-method': 'GET' };
  assert.deepEqual(preflightHeaders(some, preflight), []);
});

test('the contract of the requested method answers a preflight', () => {
  const both = resource([], endpoint('GET', 'configured'), endpoint('POST', 'any'));
  const ask = (method: string): Record<string, string> =>
    named(preflightHeaders(both, { origin: 'https://a.test', 'access-control-request-method': method }));
  assert.deepEqual(ask('POST'), {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'WWW-Authenticate, Link, DPoP-Nonce',
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'Authorization, Content-Type, Accept, DPoP',
    'access-control-max-age': '600',
  });
  assert.deepEqual(ask('GET'), {});
  assert.deepEqual(ask('DELETE'), {});
});

test('OPTIONS without preflight headers gets no permissions', () => {
  const one = resource([], endpoint('GET', 'any'));
  assert.deepEqual(preflightHeaders(one, { 'access-control-request-method': 'GET' }), []);
  assert.deepEqual(preflightHeaders(one, { origin: 'https://a.test' }), []);
});
