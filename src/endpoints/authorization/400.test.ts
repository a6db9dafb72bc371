import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizationUrl, browserOf, RELYING_PARTY } from '../../testing/person.ts';
import { CALLBACK, ISSUER, testTenant } from '../../testing/tenant.ts';

const tenant = testTenant();
const client = await tenant.register(RELYING_PARTY);
const browser = browserOf(tenant);

const UNPROVEN: readonly (readonly [title: string, change: Readonly<Record<string, string | undefined>>])[] =
  [
    ['no client_id', { client_id: undefined }],
    ['an unknown client', { client_id: 'nobody' }],
    ['no redirect_uri', { redirect_uri: undefined }],
    ['another redirect_uri', { redirect_uri: 'https://evil.example/cb' }],
    ['the redirect_uri with a query added', { redirect_uri: `${CALLBACK}?x=y` }],
    ['the redirect_uri with user information', { redirect_uri: 'https://client.example@evil.example/cb' }],
    ['a redirect_uri of JavaScript', { redirect_uri: 'javascript:alert(1)' }],
  ];

for (const [title, change] of UNPROVEN) {
  // proves rfc6749-3.1.2.4-1, openid-core-3.1.2.6-1
  test(`GET /authorize, ${title}: a page for the person, and no redirection (RFC 6749 §4.1.2.1)`, async () => {
    const page = await browser.visit(authorizationUrl(client, change));
    assert.equal(page.status, 400);
    assert.equal(page.location, undefined);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.doesNotMatch(page.html, /evil|javascript:/);
    assert.match(
      page.headers.get('content-security-policy') ?? '',
      /form-action 'self'; frame-ancestors 'none'/,
    );
  });
}

// proves rfc6749-3.1-1
test('GET /authorize, a parameter twice: a page, since which one counts nobody knows (RFC 6749 §3.1)', async () => {
  const page = await browser.visit(
    `${authorizationUrl(client)}&redirect_uri=${encodeURIComponent(CALLBACK)}`,
  );
  assert.equal(page.status, 400);
  assert.equal(page.location, undefined);
});

test('POST /authorize that is no form: a page (OpenID Connect Core 1.0 §13.2)', async () => {
  const answered = await tenant.send('authorization-post', { contentType: 'application/json', body: '{}' });
  assert.equal(answered.status, 400);
  assert.equal(answered.headers['content-type'], 'text/html; charset=utf-8');
});

test('POST /authorize for an unknown client: a page', async () => {
  const page = await browser.visit(`${ISSUER}/authorize`, { client_id: 'nobody' });
  assert.equal(page.status, 400);
  assert.equal(page.location, undefined);
});
