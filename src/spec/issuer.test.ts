import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLoopbackHost, issuerPath, issuerProblem } from './issuer.ts';

const GOOD = [
  'https://op.example.com',
  'https://op.example.com/c2',
  'https://op.example.com/a/b',
  'https://op.example.com:8443',
  'https://xn--nxasmq6b.example',
  'https://[2001:db8::1]',
  'https://127.0.0.1:8443',
];

for (const issuer of GOOD) {
  test(`an issuer may be ${issuer} (RFC 8414 §2)`, () => {
    assert.equal(issuerProblem(issuer, false), undefined);
  });
}

const LOOPBACK = ['http://127.0.0.1:8080', 'http://localhost/c2', 'http://[::1]:8080', 'http://op.localhost'];

for (const issuer of LOOPBACK) {
  test(`${issuer} is an issuer in development only`, () => {
    assert.equal(issuerProblem(issuer, true), undefined);
    assert.match(issuerProblem(issuer, false) ?? '', /^must use https; .*development mode only$/);
  });
}

const BAD: readonly (readonly [issuer: string, problem: RegExp])[] = [
  ['', /absolute URL/],
  ['op.example.com', /absolute URL/],
  ['/c2', /absolute URL/],
  ['https://', /absolute URL/],
  ['http://op.example.com', /^must use https$/],
  ['http://127.0.0.1.example.com', /^must use https$/],
  ['http://localhost.example.com', /^must use https$/],
  ['ftp://op.example.com', /^must use https$/],
  ['javascript:alert(1)', /^must use https$/],
  ['urn:example:op', /^must use https$/],
  ['https://op.example.com?a=b', /query/],
  ['https://op.example.com/?', /query/],
  ['https://op.example.com#top', /fragment/],
  ['https://op.example.com/c2#', /fragment/],
  ['https://user@op.example.com', /user information/],
  ['https://user:password@op.example.com', /user information/],
  ['https://@op.example.com', /user information/],
  ['https://op.example.com/', /slash/],
  ['https://op.example.com/c2/', /slash/],
  ['https://op.example.com//c2', /empty path segment/],
  ['https://OP.example.com', /written as https:\/\/op\.example\.com$/],
  ['HTTPS://op.example.com', /written as https:\/\/op\.example\.com$/],
  ['https://op.example.com:443', /written as https:\/\/op\.example\.com$/],
  ['https://op.example.com/a/../b', /written as https:\/\/op\.example\.com\/b$/],
  ['https://op.example.com\\c2', /written as https:\/\/op\.example\.com\/c2$/],
  [' https://op.example.com', /written as/],
  ['https://op.example.com\n', /written as/],
  ['https://op.example.com/ä', /written as/],
  ['https://öp.example.com', /written as/],
];

for (const [issuer, problem] of BAD) {
  test(`${JSON.stringify(issuer)} is no issuer: ${problem.source} (RFC 8414 §2)`, () => {
    assert.match(issuerProblem(issuer, true) ?? 'no problem', problem);
    assert.notEqual(issuerProblem(issuer, false), undefined);
  });
}

test('the path of an issuer is what endpoints hang below, empty at the root', () => {
  assert.equal(issuerPath('https://op.example.com'), '');
  assert.equal(issuerPath('https://op.example.com/c2'), '/c2');
  assert.equal(issuerPath('https://op.example.com/a/b'), '/a/b');
});

test('hosts that only look like the loopback interface are not it (RFC 8252 §8.3)', () => {
  assert.deepEqual(
    ['127.0.0.1', '127.255.0.3', '[::1]', 'localhost', 'a.localhost'].filter((host) => !isLoopbackHost(host)),
    [],
  );
  assert.deepEqual(
    ['127.0.0.1.nip.io', '0.0.0.0', '10.0.0.1', '[::]', 'mylocalhost', 'localhost.example'].filter(
      isLoopbackHost,
    ),
    [],
  );
});
