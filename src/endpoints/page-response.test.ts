import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPages } from '../pages/liquid-pages.ts';
import type { Page } from '../ports/pages.ts';
import { NotFound, OAuthError, TooManyRequests } from '../spec/errors.ts';
import { REQUEST_ID, requestOf } from '../testing/exchange.ts';
import { testSettings } from '../testing/settings.ts';
import { answer } from './answer.ts';
import type { Contract, EndpointResponse } from './contract.ts';
import { errorPage, pageResponse } from './page-response.ts';

const pages = openPages('/assets/', undefined);
const contract: Contract = {
  name: 'made-up',
  method: 'GET',
  path: '/made-up',
  specifications: ['none'],
  purpose: 'Tests.',
  credentials: ['none'],
  answers: {},
  statuses: [200],
  errors: 'page',
  cors: 'configured',
  body: 'none',
};

const client = { name: 'RP', host: 'rp.example.com', vouched: true };
const formPost = (action: string): Page => ({
  kind: 'form-post',
  action,
  client,
  parameters: [['code', 'x']],
});
const signedOut: Page = { kind: 'signed-out', outcome: 'ended', notice: undefined };

function rendered(page: Page, options = {}, headers = {}): EndpointResponse {
  const needs = { pages, settings: testSettings({ 'pages.error-details': false }) };
  return pageResponse(needs, requestOf(contract, { headers }), page, options);
}

const textOf = ({ body }: EndpointResponse): string => (typeof body === 'string' ? body : '');

test('a page is not kept, framed, held by its opener or named to others, and runs nothing (H-162, H-185, H-246)', () => {
  const { status, headers } = rendered(signedOut);
  assert.equal(status, 200);
  assert.deepEqual(headers, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    pragma: 'no-cache',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'content-security-policy':
      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  });
});

test('pages.cross-origin-opener-policy lets a window keep its opener (H-246)', () => {
  const settings = testSettings({ 'pages.cross-origin-opener-policy': 'unsafe-none' });
  const { headers } = pageResponse({ pages, settings }, requestOf(contract, {}), signedOut);
  assert.equal(headers['cross-origin-opener-policy'], 'unsafe-none');
});

const TARGETS: readonly (readonly [target: string, source: string])[] = [
  ['https://rp.example.com/cb?x=1', 'https://rp.example.com'],
  ['http://127.0.0.1:4711/cb', 'http://127.0.0.1:4711'],
  ['http://[::1]:4711/cb', 'http://[::1]:4711'],
  ['com.example.app:/cb', 'com.example.app:'],
];

for (const [target, source] of TARGETS) {
  test(`a form that leads to ${target} may lead to ${source}, and nowhere else (CSP Level 3 §6.4.1)`, () => {
    assert.match(
      rendered(signedOut, { formTargets: target === undefined ? [] : [target] }).headers[
        'content-security-policy'
      ] ?? '',
      new RegExp(`form-action 'self' ${source.replaceAll(/[.[\]]/g, String.raw`\$&`)}; frame-ancestors`),
    );
  });
}

test('a form post alone has a script of ours (OAuth 2.0 Form Post Response Mode §2)', () => {
  const policy = rendered(formPost('https://rp.example.com/cb')).headers['content-security-policy'] ?? '';
  assert.match(policy, /script-src 'self'; form-action 'self' https:\/\/rp\.example\.com;/);
});

test('H-341: the page after a logout may load frames of the origins of its frames, each named once, and a script of ours', () => {
  const frames = ['https://a.example/out?x=;y', 'http://[::1]:81/out', 'https://a.example:443/two'];
  const page: Page = {
    kind: 'front-channel-logout',
    frames,
    location: undefined,
    wait_seconds: 5,
    notice: undefined,
  };
  assert.equal(
    rendered(page).headers['content-security-policy'],
    "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; frame-src https://a.example http://[::1]:81; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  );
});

test('the language is that of the request before that of the browser (OpenID Connect Core 1.0 §3.1.2.1, ui_locales)', () => {
  const german = { 'accept-language': 'de' };
  assert.match(textOf(rendered(signedOut, {}, german)), /<html lang="de">/);
  assert.match(textOf(rendered(signedOut, { ui_locales: 'fr' }, german)), /<html lang="fr">/);
});

test('cookies are given beside the headers', () => {
  assert.deepEqual(rendered(signedOut, { cookies: ['a=b', 'c=d'] }).cookies, ['a=b', 'c=d']);
});

const FAILURES: readonly (readonly [failure: Error, status: number, error: string])[] = [
  [
    new OAuthError('invalid_request', { error_description: 'redirect_uri <b>', detail: 'why' }),
    400,
    'invalid_request',
  ],
  [new NotFound('no such page'), 404, 'not_found'],
  [new TooManyRequests(5), 429, 'temporarily_unavailable'],
  [new Error('/var/lib/secret'), 500, 'server_error'],
];

for (const [failure, status, error] of FAILURES) {
  test(`${error}: a page with the status and the id of the request; details in development only`, async () => {
    for (const showErrorDetails of [true, false]) {
      const endpoint = {
        contract,
        errorPage: errorPage({ pages, settings: testSettings({ 'pages.error-details': showErrorDetails }) }),
        handle: () => {
          throw failure;
        },
      };
      const reports: unknown[] = [];
      const response = await answer(endpoint, requestOf(contract, {}), (thrown) => reports.push(thrown));
      const body = textOf(response);
      assert.equal(response.status, status);
      assert.ok(body.includes(error) && body.includes(REQUEST_ID), body);
      assert.doesNotMatch(body, /\/var\/lib|<b>/);
      if (failure instanceof OAuthError) assert.equal(body.includes('redirect_uri'), showErrorDetails);
      assert.deepEqual(reports, [failure]);
    }
  });
}
