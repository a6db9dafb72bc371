import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redirectUriProblem } from './redirect-uri.ts';

const ANY = { privateSchemes: 'any', httpForWeb: true } as const;
const WEB = { ...ANY, application_type: 'web', implicit: false } as const;
const WEB_IMPLICIT = { ...ANY, application_type: 'web', implicit: true } as const;
const NATIVE = { ...ANY, application_type: 'native', implicit: false } as const;

type Verdict = RegExp | 'fine';
const ROWS: readonly (readonly [uri: string, web: Verdict, webImplicit: Verdict, native: Verdict])[] = [
  ['https://client.example/cb', 'fine', 'fine', 'fine'],
  ['https://client.example', 'fine', 'fine', 'fine'],
  ['https://client.example:8443/cb?a=b', 'fine', 'fine', 'fine'],
  ['http://127.0.0.1/cb', 'fine', /must use https, because the client is a web client/, 'fine'],
  ['http://[::1]:4711/cb', 'fine', /must use https, because the client is a web client/, 'fine'],
  ['http://localhost/cb', 'fine', /must use https, because the client is a web client/, 'fine'],
  ['http://127.0.0.1:0/cb', /port 0/, /port 0/, 'fine'],
  ['https://client.example:0/cb', /port 0/, /port 0/, /port 0/],
  ['https://localhost/cb', 'fine', /must not have a loopback host/, 'fine'],
  [
    'http://client.example/cb',
    /http is allowed for loopback hosts only/,
    /http is allowed for loopback hosts only/,
    /http is allowed for loopback hosts only/,
  ],
  [
    'http://127.0.0.2/cb',
    /http is allowed for loopback hosts only/,
    /http is allowed for loopback hosts only/,
    /http is allowed for loopback hosts only/,
  ],
  [
    'http://localhost.evil.example/cb',
    /http is allowed for loopback hosts only/,
    /http is allowed for loopback hosts only/,
    /http is allowed for loopback hosts only/,
  ],
  [
    'com.example.app:/cb',
    /private-use schemes are allowed for native clients only/,
    /private-use schemes are allowed for native clients only/,
    'fine',
  ],
  [
    'com.example.app://cb',
    /private-use schemes are allowed for native clients only/,
    /private-use schemes are allowed for native clients only/,
    'fine',
  ],
  ['myapp:/cb', /scheme:\/\/host\/path/, /reverse order, because/, /scheme:\/\/host\/path/],
  ['cursor://anysphere.cursor-mcp/oauth/callback', /native clients only/, /reverse order, because/, 'fine'],
  ['vscode://publisher.extension', /native clients only/, /reverse order, because/, 'fine'],
  [
    'javascript:alert(1)',
    /the scheme javascript: a browser/,
    /the scheme javascript: a browser/,
    /the scheme javascript: a browser/,
  ],
  [
    'JavaScript:alert(1)',
    /the scheme javascript: a browser/,
    /the scheme javascript: a browser/,
    /the scheme javascript: a browser/,
  ],
  [
    'data:text/html,x',
    /the scheme data: a browser/,
    /the scheme data: a browser/,
    /the scheme data: a browser/,
  ],
  ['https://client.example/#', /fragment/, /fragment/, /fragment/],
  ['https://client.example/cb#a=b', /fragment/, /fragment/, /fragment/],
  ['com.example.app:/cb#x', /fragment/, /fragment/, /fragment/],
  ['https://client.example/*', /wildcard/, /wildcard/, /wildcard/],
  ['https://*.client.example/', /wildcard/, /wildcard/, /wildcard/],
  ['/cb', /must be a valid absolute URI/, /must be a valid absolute URI/, /must be a valid absolute URI/],
  [
    'https://user@client.example/',
    /must be a valid absolute URI/,
    /must be a valid absolute URI/,
    /must be a valid absolute URI/,
  ],
  ['https://client.example/cb?code=1', /query parameter/, /query parameter/, /query parameter/],
  ['https://client.example/cb?a=b&state', /query parameter/, /query parameter/, /query parameter/],
  ['https://client.example/cb?%63ode=1', /query parameter/, /query parameter/, /query parameter/],
  ['https://client.example/cb?iss=1', /query parameter/, /query parameter/, /query parameter/],
  ['https://client.example/cb?error=1', /query parameter/, /query parameter/, /query parameter/],
  ['https://client.example/cb?response=1', /query parameter/, /query parameter/, /query parameter/],
  ...['error_description', 'error_uri', 'id_token', 'access_token'].map((name): (typeof ROWS)[number] => [
    `https://client.example/cb?a=b&${name}=1`,
    new RegExp(`query parameter ${name}, which belongs to the response`),
    /query parameter/,
    /query parameter/,
  ]),
  ['com.example.app:/cb?code=1&state=2', /query parameter/, /query parameter/, /query parameter code,/],
  ['com.example.app:/cb?%73tate=2', /query parameter/, /query parameter/, /query parameter state,/],
  ['com.example.app:/cb?a=b', /private-use/, /private-use/, 'fine'],
  ['https://client.example/cb?codes=1', 'fine', 'fine', 'fine'],
  ['https://client.example/cb?scope=1', 'fine', 'fine', 'fine'],
];

for (const [uri, web, webImplicit, native] of ROWS) {
  const verdicts = [
    ['web', WEB, web],
    ['web with implicit', WEB_IMPLICIT, webImplicit],
    ['native', NATIVE, native],
  ] as const;
  for (const [name, rules, verdict] of verdicts) {
    test(`${uri} of a ${name} client: ${String(verdict)} (RFC 6749 §3.1.2, RFC 8252 §7, OpenID Connect Dynamic Client Registration 1.0 §2)`, () => {
      const problem = redirectUriProblem(uri, rules);
      if (verdict === 'fine') assert.equal(problem, undefined);
      else assert.match(problem ?? 'fine', verdict);
    });
  }
}
