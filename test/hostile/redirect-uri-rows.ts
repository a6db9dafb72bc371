import assert from 'node:assert/strict';
import type { BodyRow } from './registration-routes.ts';
import type { Expected } from './registry.ts';
import { PLAIN } from './registry.ts';

type Kind = 'web' | 'implicit' | 'native';

const CLIENTS: Readonly<Record<Kind, object>> = {
  web: {},
  implicit: { grant_types: ['implicit'], response_types: ['id_token'] },
  native: { application_type: 'native', token_endpoint_auth_method: 'none' },
};

const MEMBERS = ['redirect_uris', 'post_logout_redirect_uris'] as const;

/** One value in either member; accepted ones come back letter for letter, since that is what is compared later. */
function value(number: string, kind: Kind, uri: string, expected: Expected): BodyRow[] {
  return MEMBERS.map((member) => ({
    name: `${number} ${member} of a ${kind} client: ${JSON.stringify(uri).slice(0, 70)}`,
    body: JSON.stringify({ ...PLAIN, ...CLIENTS[kind], [member]: [uri] }),
    expected,
    check: ({ json }) => assert.deepEqual(json[member], [uri]),
  }));
}

const refuse = (number: string, kinds: readonly Kind[], uris: readonly string[]): BodyRow[] =>
  uris.flatMap((uri) => kinds.flatMap((kind) => value(number, kind, uri, 'invalid_redirect_uri')));
const accept = (number: string, kinds: readonly Kind[], uris: readonly string[]): BodyRow[] =>
  uris.flatMap((uri) => kinds.flatMap((kind) => value(number, kind, uri, 'registered')));

const DANGEROUS = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\tscript:alert(1)',
  'java\nscript:alert(1)',
  '\u0001javascript:alert(1)',
  ' javascript:alert(1)',
  'javascript://a.example/%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'data:text/html;base64,PHNjcmlwdD4=',
  'vbscript:msgbox(1)',
  'blob:https://a.example/1',
  'file:///etc/passwd',
  'view-source:https://a.example/',
  'about:blank',
  'filesystem:https://a.example/temporary/x',
  'intent://a.example/#Intent;end',
  'ftp://a.example/',
  'ws://a.example/',
  'wss://a.example/',
  'mailto:a@a.example',
  'urn:example:cb',
];

/** H-320: what happens when a browser opens them is no answer to an application. */
const SYSTEM_SCHEMES = [
  'ms-settings://host/cb',
  'ms-appinstaller://host/?source=x',
  'search-ms://host/query',
  'SHELL://host/cb',
  'tel://host/cb',
  'sms://host/cb',
  'ssh://host/cb',
  'telnet://host/cb',
  'ldap://host/cb',
  'smb://host/share',
  'itms-services://host/?action=download-manifest',
  'x-apple.systempreferences:/com.apple.preference.security',
  'com.apple.tv:/cb',
  'android-app://com.example/cb',
  'market://details/?id=x',
  'jar:https://a.example!/',
  'chrome://settings/',
  'moz-extension://id/cb',
  'web+app://host/cb',
  'facetime://host/cb',
  'bitcoin://host/cb',
  'steam://run/1',
  'urn:ietf:wg:oauth:2.0:oob',
];

/** H-050 in the members that are shown to end-users as links. */
const LINKS: readonly BodyRow[] = ['logo_uri', 'client_uri', 'policy_uri', 'tos_uri', 'logo_uri#de'].flatMap(
  (member) =>
    [
      ...DANGEROUS,
      'https:a.example',
      '//a.example',
      'https://user:pass@a.example/',
      'https://exаmple.com/',
    ].map(
      (uri): BodyRow => ({
        name: `H-050 ${member}: ${JSON.stringify(uri)}`,
        body: JSON.stringify({ ...PLAIN, [member]: uri }),
        expected: 'invalid_client_metadata',
      }),
    ),
);

const EVERY: readonly Kind[] = ['web', 'implicit', 'native'];
const WEB: readonly Kind[] = ['web', 'implicit'];
const SPACES = [' ', '\t', '\r', '\n', '\u00a0', '\u200b', '\u0085', '\ufeff'];
const longUri = (length: number): string => 'https://a.example/'.padEnd(length, 'a');

const PARSING: readonly BodyRow[] = [
  ...refuse('H-050', EVERY, DANGEROUS),
  ...refuse('H-051', EVERY, ['https://a.example/cb#x', 'https://a.example/cb#', 'https://a.example/?a=#b']),
  ...refuse('H-051', ['native'], ['com.example.app:/cb#', 'http://127.0.0.1/cb#x']),
  ...refuse('H-052', EVERY, [
    'https://user:pass@a.example/',
    'https://a.example@evil/',
    'https://a@b@c/',
    'https://:@a.example/',
    'https://@a.example/',
  ]),
  ...refuse('H-053', EVERY, [
    'https://a.example\\@evil',
    'https:\\\\a.example',
    'https:/\\a',
    'https://a.example\\.evil/',
  ]),
  ...refuse(
    'H-054',
    EVERY,
    SPACES.flatMap((space) => [
      `${space}https://a.example/`,
      `https://a.example/${space}`,
      `https://a.ex${space}ample/`,
    ]),
  ),
  ...refuse('H-055', EVERY, [
    '/cb',
    '//a.example/cb',
    'cb',
    '',
    'https:a.example',
    'https:///a.example',
    'https:/a.example',
    'https://',
    'https:',
    ':',
    '?',
    'https://?a',
  ]),
  ...refuse('H-056', EVERY, [
    'https://*.example.com/cb',
    'https://a.example/*',
    '*',
    'https://a.example/cb?a=*',
  ]),
  ...refuse('H-061', EVERY, [
    'https://exаmple.com/',
    'https://ⓔxample.com/',
    'https://example。com/',
    'https://ｅxample.com/',
    'https://a.example/é',
  ]),
  ...accept('H-061', EVERY, ['https://xn--exmple-4nf.com/cb']),
  ...refuse('H-062', EVERY, [
    'https://xn--/',
    'https://xn--a/',
    `https://${'a'.repeat(64)}.example/`,
    `https://${'a.'.repeat(127)}example/`,
    'https://a..b/',
    'https://.a/',
    'https://-a.example/',
    'https://a-.example/',
  ]),
  ...refuse('H-063', EVERY, [
    'https://a.example/\u202ecb',
    'https://a.example/\u2066cb',
    'https://a.example/\u200dcb',
    `https://a.example/${'\u0301'.repeat(1_000)}`,
  ]),
  ...refuse('H-069', EVERY, [
    'https://a.example/%',
    'https://a.example/%0',
    'https://a.example/%zz',
    'https://a.example/"><script>',
    'https://a.example/{a}',
  ]),
];

const RULES: readonly BodyRow[] = [
  ...refuse('H-057', WEB, ['http://a.example/cb', 'HTTP://a.example/cb', 'http://192.168.0.1/cb']),
  ...refuse(
    'H-058',
    ['implicit'],
    [
      'https://localhost/cb',
      'http://localhost/cb',
      'https://127.0.0.1/cb',
      'https://[::1]/cb',
      'https://LOCALHOST/cb',
      'http://127.0.0.1/cb',
    ],
  ),
  ...accept('H-058', ['native', 'web'], ['https://localhost/cb', 'http://localhost/cb']),
  ...accept('H-059', ['native'], ['com.example.app:/cb', 'com.example.app://cb', 'https://a.example/cb']),
  ...accept('H-059', ['native', 'web'], ['app://cb', 'cursor://anysphere.cursor-mcp/oauth/callback']),
  ...accept('H-059', WEB, ['com.example.app:/cb', 'com.example.app://cb']),
  ...refuse(
    'H-059',
    ['native', 'web'],
    [
      'myapp:/cb',
      'myapp:cb',
      'myapp:///cb',
      'myapp://user@host/cb',
      'myapp://host:80/cb',
      'http:/cb',
      'http:cb',
      'com.example.app',
    ],
  ),
  ...refuse('H-059', WEB, ['a.example:8443/cb']),
  ...refuse('H-321', ['implicit'], ['app://cb', 'cursor://anysphere.cursor-mcp/oauth/callback']),
  ...refuse('H-320', EVERY, SYSTEM_SCHEMES),
  ...accept(
    'H-060',
    ['native'],
    [
      'http://127.0.0.1/cb',
      'http://[::1]/cb',
      'http://127.0.0.1:0/cb',
      'http://127.0.0.1:61023/cb',
      'http://localhost/cb',
    ],
  ),
  ...refuse(
    'H-060',
    ['native'],
    [
      'http://127.0.0.2/cb',
      'http://0.0.0.0/cb',
      'http://127.0.0.1.nip.io/cb',
      'http://localhost.evil/cb',
      'http://127.1/cb',
      'http://0x7f.1/cb',
      'http://2130706433/cb',
      'http://[::ffff:127.0.0.1]/cb',
      'http://localhost./cb',
    ],
  ),
  ...accept('H-064', EVERY, [
    'https://a.example/x/../cb',
    'https://a.example/%2e%2e/cb',
    'https://a.example/cb;..;/x',
    'https://a.example/cb%00',
    'https://a.example/a%252f..',
    'https://A.EXAMPLE/cb',
    'https://a.example',
    'https://a.example/?',
  ]),
  ...accept('H-065', EVERY, [longUri(2_000)]),
  ...refuse('H-065', EVERY, [longUri(2_001), longUri(2_049), longUri(8_192), longUri(60_000)]),
  ...refuse(
    'H-066',
    EVERY,
    ['code=x', 'state=', 'response=', 'error=', 'iss=', 'state', 'a=b&code=', '%63ode=x', 'st%61te'].flatMap(
      (query) => [`https://a.example/cb?${query}`, `com.example.app:/cb?${query}`],
    ),
  ),
  ...refuse(
    'H-066',
    EVERY,
    ['id_token=1&access_token=2', 'error_description=x', 'error_uri=x'].map(
      (query) => `https://a.example/cb?${query}`,
    ),
  ),
  ...refuse('H-068', WEB, [
    'https://a.example:0/',
    'https://a.example:99999/',
    'https://a.example:65536/',
    'https://a.example:00443/',
    'https://a.example:/',
    'https://a.example:x/',
    'https://a.example:-1/',
  ]),
  ...refuse('H-068', ['native'], ['https://a.example:0/', 'http://127.0.0.1:99999/cb']),
  ...accept('H-068', EVERY, ['https://a.example:443/', 'https://a.example:65535/']),
  ...accept('H-069', EVERY, ['https://a.example/%0d%0aSet-Cookie:x']),
];

const wholeMember = (number: string, what: string, given: unknown, expected: Expected): BodyRow[] =>
  MEMBERS.map((member) => ({
    name: `${number} ${member}: ${what}`,
    body: JSON.stringify({ ...PLAIN, [member]: given }),
    expected,
    check: ({ json }) => assert.deepEqual(json[member], given),
  }));

const many = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `https://a.example/${index}`);

const LISTS: readonly BodyRow[] = [
  ...wholeMember('H-065', '100 URIs', many(100), 'registered'),
  ...wholeMember('H-065', '101 URIs', many(101), 'invalid_redirect_uri'),
  ...wholeMember('H-065', '1,000 URIs', many(1_000), 'invalid_redirect_uri'),
  ...wholeMember(
    'H-067',
    'the same twice',
    ['https://a.example/cb', 'https://a.example/cb'],
    'invalid_redirect_uri',
  ),
  ...wholeMember(
    'H-067',
    'strings that differ',
    ['https://a.example/cb', 'https://a.example/cb/', 'https://a.example/cb?a=1', 'https://A.example/cb'],
    'registered',
  ),
  ...wholeMember(
    'H-050',
    'an evil one behind a good one',
    ['https://a.example/cb', 'javascript:alert(1)'],
    'invalid_redirect_uri',
  ),
  ...[
    'https://a.example/',
    [1],
    [null],
    [[]],
    [{}],
    [['https://a.example/']],
    {},
    { 0: 'https://a.example/' },
  ].flatMap((given) => wholeMember('H-070', JSON.stringify(given), given, 'invalid_redirect_uri')),
  {
    name: 'H-065 no URI with the code grant',
    body: JSON.stringify({ ...PLAIN, redirect_uris: [] }),
    expected: 'invalid_redirect_uri',
  },
  {
    name: 'H-065 redirect_uris: null with the code grant',
    body: JSON.stringify({ ...PLAIN, redirect_uris: null }),
    expected: 'invalid_redirect_uri',
  },
  {
    name: 'H-065 no URI with the implicit grant',
    body: JSON.stringify({ ...PLAIN, ...CLIENTS.implicit, redirect_uris: [] }),
    expected: 'invalid_redirect_uri',
  },
];

/** H-050…H-070. */
export const REDIRECT_URIS: readonly BodyRow[] = [...LINKS, ...PARSING, ...RULES, ...LISTS];
