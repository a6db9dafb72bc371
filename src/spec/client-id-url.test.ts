import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientIdUrlProblem, HOST_PATTERN, hostOfClientId, namesHost } from './client-id-url.ts';

// proves client-id-metadata-document-3-1
test('a Client Identifier URL has https and a path, and may have a port and a query (draft-ietf-oauth-client-id-metadata-document-02 §3)', () => {
  for (const url of [
    'https://client.example/',
    'https://client.example/oauth/metadata.json',
    'https://client.example:443/client',
    'https://client.example:8443/client',
    'https://client.example/a?version=2',
    'https://client.example/a?next=/../b',
    'https://client.example/a//b',
    'https://client.example/.well-known/client',
    'https://client.example/..a/...',
    'https://xn--bcher-kva.example/client',
    'https://[2001:db8::1]/client',
  ])
    assert.equal(clientIdUrlProblem(url, false), undefined, url);
  assert.equal(clientIdUrlProblem('http://localhost:3000/client', true), undefined);
});

// proves client-id-metadata-document-3-1
test('every other URL is refused with the rule that it breaks (§3; H-400)', () => {
  const problems: readonly (readonly [string, RegExp])[] = [
    ['http://client.example/c', /https/],
    ['https://client.example', /path/],
    ['https://client.example?c', /path/],
    ['https://client.example/c#', /fragment/],
    ['https://client.example/c#x', /fragment/],
    ['https://user@client.example/c', /user name/],
    ['https://user:pass@client.example/c', /user name/],
    ['https://client.example@evil.example/c', /user name/],
    ['https://client.example/a/../c', /path segments/],
    ['https://client.example/./c', /path segments/],
    ['https://client.example/a/..', /path segments/],
    ['https://client.example/a/%2e%2E/c', /path segments/],
    ['https://client.example/a/.%2e', /path segments/],
    ['https://client.example/a/%2e?x', /path segments/],
    ['https://bücher.example/c', /punycode/],
    ['https://xn--a/c', /punycode/],
    ['https://client.example\\@evil.example/c', /./],
    ['https://client.example/a b', /parsers/],
    ['https://127.1/c', /parsers/],
    ['https://client.example:99999/c', /parsers/],
    ['https:///c', /parsers/],
    [`https://client.example/${'a'.repeat(500)}`, /512/],
  ];
  for (const [url, problem] of problems) assert.match(clientIdUrlProblem(url, false) ?? '', problem, url);
});

test('the host of an identifier is in lower case, without its port', () => {
  assert.equal(hostOfClientId('https://Client.Example:8443/c'), 'client.example');
  assert.equal(hostOfClientId('not a URL'), '');
});

test('a pattern names one host, or with *. every host below it', () => {
  assert.equal(namesHost(['client.example'], 'client.example'), true);
  assert.equal(namesHost(['client.example'], 'a.client.example'), false);
  assert.equal(namesHost(['*.client.example'], 'a.client.example'), true);
  assert.equal(namesHost(['*.client.example'], 'b.a.client.example'), true);
  assert.equal(namesHost(['*.client.example'], 'client.example'), false);
  assert.equal(namesHost(['*.client.example'], 'evilclient.example'), false);
  assert.equal(namesHost([], 'client.example'), false);
  for (const bad of ['*', '*.', 'a.*.b', 'Client.example', 'https://a.b', 'a..b', '-a.b', 'bücher.example'])
    assert.equal(HOST_PATTERN.test(bad), false, bad);
});
