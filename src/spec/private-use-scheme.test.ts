import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isPrivateUse,
  isReversedDomain,
  type PrivateSchemes,
  privateUseProblem,
  REFUSED_SCHEMES,
} from './private-use-scheme.ts';
import { parseUri } from './uri.ts';

const problem = (uri: string, schemes: PrivateSchemes, implicit = false): string =>
  privateUseProblem(uri, parseUri(uri)?.scheme ?? '', { schemes, implicit }) ?? 'fine';

for (const [scheme, reason] of REFUSED_SCHEMES) {
  test(`no client can register ${scheme}, also in upper case: ${reason} (decision 47)`, () => {
    const name = scheme.replace('*', 'x');
    for (const uri of [`${name}://host/path`, `${name}:path`, `${name.toUpperCase()}://host/path`])
      for (const schemes of ['any', 'reverse-domain'] as const)
        assert.match(problem(uri, schemes), /^must not have the scheme /, uri);
  });
}

const REVERSE = /scheme that is a domain name in reverse order$/;
const FORM = /must have the form scheme:\/\/host\/path/;
const ROWS: readonly (readonly [uri: string, wide: RegExp, narrow: RegExp])[] = [
  ['cursor://anysphere.cursor-mcp/oauth/callback', /^fine$/, REVERSE],
  ['vscode://vscode.github-authentication/did-authenticate', /^fine$/, REVERSE],
  ['raycast://oauth?package_name=Extension', /^fine$/, REVERSE],
  ['myapp://callback', /^fine$/, REVERSE],
  ['com.example.app:/cb', /^fine$/, /^fine$/],
  ['com.example.app://cb', /^fine$/, /^fine$/],
  ['com.googleusercontent.apps.123-abc:/oauth2redirect', /^fine$/, /^fine$/],
  ['edu.kit.data.oidc-agent:/redirect', /^fine$/, /^fine$/],
  ['myapp:/cb', FORM, REVERSE],
  ['myapp:cb', FORM, REVERSE],
  ['myapp:///cb', FORM, REVERSE],
  ['myapp://', FORM, REVERSE],
  ['myapp://user@host/cb', FORM, REVERSE],
  ['myapp://host:80/cb', FORM, REVERSE],
  ['myapp://%68ost/cb', FORM, REVERSE],
  ['myapp://-/cb', FORM, REVERSE],
  ['myapp.://host/cb', /^fine$/, REVERSE],
  ['a..b://host/cb', /^fine$/, REVERSE],
];

for (const [uri, wide, narrow] of ROWS) {
  test(`${uri} as a redirection URI of a native client (decision 47, RFC 8252 §7.1)`, () => {
    assert.match(problem(uri, 'any'), wide);
    assert.match(problem(uri, 'reverse-domain'), narrow);
  });
}

test('a client of the implicit grant needs a scheme that is a domain name in reverse order (RFC 8252 §8.2)', () => {
  assert.match(problem('cursor://host/cb', 'any', true), /because the client has the implicit grant$/);
  assert.equal(problem('com.example.app:/cb', 'any', true), 'fine');
});

test('http and https in any case are no private-use schemes', () => {
  for (const uri of ['http://a.example', 'HTTPS://a.example']) assert.equal(isPrivateUse(uri), false);
  for (const uri of ['httpx://a', 'com.example:/']) assert.equal(isPrivateUse(uri), true);
  assert.deepEqual(['com.example', 'app', 'app.', '.app', 'a..b'].map(isReversedDomain), [
    true,
    false,
    false,
    false,
    false,
  ]);
});
