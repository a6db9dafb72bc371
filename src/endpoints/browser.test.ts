import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OAuthError } from '../spec/errors.ts';
import { requestOf } from '../testing/exchange.ts';
import { browserOf } from './browser.ts';
import type { Contract } from './contract.ts';

const contract: Contract = {
  name: 'made-up',
  method: 'POST',
  path: '/made-up',
  specifications: ['none'],
  purpose: 'Tests.',
  credentials: ['none'],
  answers: {},
  statuses: [200],
  errors: 'page',
  cors: 'configured',
  body: 'form',
};
const browser = browserOf('https://op.example.com/c2');

const ORIGINS: readonly (readonly [
  title: string,
  headers: Readonly<Record<string, string>>,
  own: boolean,
])[] = [
  ['our origin', { origin: 'https://op.example.com' }, true],
  [
    'our origin, and the browser agrees',
    { origin: 'https://op.example.com', 'sec-fetch-site': 'same-origin' },
    true,
  ],
  ['null, as pages without referrer send it', { origin: 'null', 'sec-fetch-site': 'same-origin' }, true],
  ['the browser alone', { 'sec-fetch-site': 'same-origin' }, true],
  ['a page of ours as referrer', { referer: 'https://op.example.com/c2/logout' }, true],
  ['another origin', { origin: 'https://evil.example' }, false],
  ['another origin under our name', { origin: 'https://op.example.com.evil.example' }, false],
  ['our host without TLS', { origin: 'http://op.example.com' }, false],
  ['null alone', { origin: 'null' }, false],
  ['null and a page of ours as referrer', { origin: 'null', referer: 'https://op.example.com/' }, false],
  [
    'our origin, but another site',
    { origin: 'https://op.example.com', 'sec-fetch-site': 'cross-site' },
    false,
  ],
  ['a sister of our host', { 'sec-fetch-site': 'same-site' }, false],
  ['typed into the address bar', { 'sec-fetch-site': 'none' }, false],
  ['another page as referrer', { referer: 'https://evil.example/https://op.example.com' }, false],
  ['no word at all', {}, false],
];

for (const [title, headers, own] of ORIGINS) {
  test(`a form from ${title}: ${own ? 'is' : 'is not'} our page's (H-161)`, () => {
    const act = (): void => browser.requireOwnPage(requestOf(contract, { headers }));
    if (own) act();
    else assert.throws(act, (failure) => failure instanceof OAuthError && failure.code === 'invalid_request');
  });
}

for (const [headers, detail] of [
  [{}, 'origin: absent; sec-fetch-site: absent'],
  [{ origin: 'null', 'sec-fetch-site': 'cross-site' }, 'origin: null; sec-fetch-site: another'],
  [{ origin: 'https://secret.example' }, 'origin: another; sec-fetch-site: absent'],
  [
    { origin: 'https://op.example.com', 'sec-fetch-site': 'same-site' },
    'origin: own; sec-fetch-site: another',
  ],
] as const) {
  test(`the log of a refused form says "${detail}" and quotes no header (H-241)`, () => {
    assert.throws(() => browser.requireOwnPage(requestOf(contract, { headers })), { detail });
  });
}

const VISITS: readonly (readonly [
  title: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  visit: boolean,
])[] = [
  ['a link that is followed', 'GET', {}, true],
  ['a word that we do not know', 'GET', { 'sec-purpose': 'unprefetchable' }, true],
  ['a prefetch', 'GET', { 'sec-purpose': 'prefetch' }, false],
  ['a prerendering', 'GET', { 'sec-purpose': 'prefetch;prerender' }, false],
  ['a private prefetch', 'GET', { 'sec-purpose': 'prefetch;anonymous-client-ip' }, false],
  ['a prefetch of old', 'GET', { purpose: 'prefetch' }, false],
  ['a preview', 'GET', { purpose: 'preview' }, false],
  ['HEAD', 'HEAD', {}, false],
];

for (const [title, method, headers, visit] of VISITS) {
  test(`${title} ${visit ? 'is a visit' : 'is none: what can be used once is left alone'} (H-160)`, () => {
    const act = (): void => browser.requireVisit({ ...requestOf(contract, { headers }), method });
    if (visit) act();
    else assert.throws(act, (failure) => failure instanceof OAuthError && failure.code === 'invalid_request');
  });
}

test('cookies of issuers on one host have names of their own (H-181)', () => {
  const other = browserOf('https://op.example.com/c3');
  const kept = browser.keep('session', 'abc');
  assert.match(kept, /^__Host-chancery-session-[A-Za-z0-9]{8}=abc; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
  const request = requestOf(contract, { headers: { cookie: kept.split(';')[0] ?? '' } });
  assert.equal(browser.cookie(request, 'session'), 'abc');
  assert.equal(browser.cookie(request, 'interaction'), undefined);
  assert.equal(other.cookie(request, 'session'), undefined);
});

test('a cookie is forgotten by its name; on one’s desk, without TLS, there is no prefix', () => {
  assert.match(
    browser.forget('session'),
    /^__Host-chancery-session-[A-Za-z0-9]{8}=; Path=\/; Max-Age=0; Secure/,
  );
  assert.match(
    browserOf('http://127.0.0.1:8080').keep('browser', 'x', 60),
    /^chancery-browser-\w{8}=x; Path=\/; Max-Age=60; HttpOnly/,
  );
});
