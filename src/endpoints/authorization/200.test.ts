import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formOf } from '../../../test/program/plain-browser.ts';
import { aPerson, authorizationUrl, browserOf, RELYING_PARTY } from '../test-person.ts';
import { CALLBACK, ISSUER, testTenant } from '../test-tenant.ts';

const tenant = testTenant();
const client = await tenant.register(RELYING_PARTY);
const ada = await aPerson(tenant);

test('GET /authorize, response_mode form_post: a page that posts the answer to the client (OAuth 2.0 Form Post Response Mode §2)', async () => {
  await ada.grant(client);
  const page = await ada.browser.visit(authorizationUrl(client, { response_mode: 'form_post' }));
  assert.equal(page.status, 200);
  const { action, hidden } = formOf(page.html);
  assert.equal(action, CALLBACK);
  assert.deepEqual(Object.keys(hidden), ['code', 'state', 'iss']);
  assert.equal(hidden['iss'], ISSUER);
  const policy = page.headers.get('content-security-policy') ?? '';
  assert.match(policy, /script-src 'self'; form-action 'self' https:\/\/client\.example;/);
  assert.equal(page.headers.get('cache-control'), 'no-store');
});

test('GET /authorize, response_mode form_post: errors take the same way', async () => {
  const page = await browserOf(tenant).visit(
    authorizationUrl(client, { response_mode: 'form_post', prompt: 'none' }),
  );
  const { hidden } = formOf(page.html);
  assert.equal(hidden['error'], 'login_required');
  assert.equal(hidden['state'], 'af0ifjsldkj');
});
