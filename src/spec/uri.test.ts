import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HttpParts, isLoopbackHost, parseUri, type Uri } from './uri.ts';

const http = (host: string, port?: number): HttpParts => ({ host, port });

const READ: readonly (readonly [text: string, uri: Uri])[] = [
  ['https://client.example', { scheme: 'https', http: http('client.example'), hasFragment: false }],
  ['HTTPS://Client.Example/A', { scheme: 'https', http: http('client.example'), hasFragment: false }],
  [
    'http://client.example:8080/a?b=c&d#e',
    { scheme: 'http', http: http('client.example', 8080), hasFragment: true },
  ],
  ['https://client.example:0/', { scheme: 'https', http: http('client.example', 0), hasFragment: false }],
  ['https://client.example#', { scheme: 'https', http: http('client.example'), hasFragment: true }],
  ['https://127.0.0.1:65535/cb', { scheme: 'https', http: http('127.0.0.1', 65_535), hasFragment: false }],
  ['http://[::1]/cb', { scheme: 'http', http: http('[::1]'), hasFragment: false }],
  [
    'https://xn--bcher-kva.example/',
    { scheme: 'https', http: http('xn--bcher-kva.example'), hasFragment: false },
  ],
  ['com.example.app:/cb', { scheme: 'com.example.app', hasFragment: false }],
  ['com.example.app:cb#x', { scheme: 'com.example.app', hasFragment: true }],
  ['urn:example:a', { scheme: 'urn', hasFragment: false }],
];

for (const [text, uri] of READ) {
  test(`${text} is read (RFC 3986 §3)`, () => {
    assert.deepEqual(parseUri(text), uri);
  });
}

const REFUSED = [
  'com.example.app://[x/cb',
  'com.example.app://a:99999/cb',
  '',
  '/cb',
  '//client.example/cb',
  'client.example',
  ':cb',
  '1a:cb',
  'https:',
  'https:/client.example',
  'https:client.example',
  'https://',
  'https:///cb',
  'https://user@client.example/',
  'https://user:pw@client.example/',
  'https://client.example@evil.example/',
  'https://client.example\\@evil.example/',
  'https://evil.example\\.client.example/',
  'https://client.example:/',
  'https://client.example:080/',
  'https://client.example:65536/',
  'https://client.example:a/',
  'https://-client.example/',
  'https://client-.example/',
  'https://client..example/',
  'https://client.example./',
  'https://client_1.example/',
  `https://${'a'.repeat(64)}.example/`,
  `https://${'a.'.repeat(130)}example/`,
  'https://127.1/',
  'https://0x7f.0.0.1/',
  'https://2130706433/',
  'https://0177.0.0.1/',
  'https://127.0.0.256/',
  'https://[::1/',
  'https://[0:0:0:0:0:0:0:1]/',
  'https://[::g]/',
  'https://xn--a/',
  'https://bücher.example/',
  'https://%63lient.example/',
  'https://client.example/%',
  'https://client.example/%zz',
  'https://client.example/a b',
  'https://client.example/a\tb',
  'https://client.example/\n',
  ' https://client.example/',
  'https://client.example/"',
  'https://client.example/<',
  'https://client.example/é',
  'https://client.example/\u0000',
];

for (const text of REFUSED) {
  test(`${JSON.stringify(text.slice(0, 60))} is no URI that all parsers read alike (RFC 3986 §3, WHATWG URL §4)`, () => {
    assert.equal(parseUri(text), undefined);
  });
}

test('the loopback hosts of native applications, and nothing that looks like them (RFC 8252 §7.3)', () => {
  for (const host of ['127.0.0.1', '[::1]', 'localhost']) assert.equal(isLoopbackHost(host), true, host);
  for (const host of ['127.0.0.2', '::1', 'localhost.example', 'xlocalhost', ''])
    assert.equal(isLoopbackHost(host), false, host);
});
