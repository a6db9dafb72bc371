import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fields } from '../../../test/program/code-request.ts';
import { formOf, type Visit } from '../../../test/program/plain-browser.ts';
import { answeredTo, aPerson, authorizationUrl, browserOf } from '../../testing/person.ts';
import {
  type ClientInformation,
  clientInformationOf,
  type TestTenant,
  testTenant,
} from '../../testing/tenant.ts';

const CALLBACK = 'cursor://anysphere.cursor-mcp/oauth/callback';
const EDITOR = { redirect_uris: [CALLBACK], client_name: 'Editor', token_endpoint_auth_method: 'none' };

const openTenant = (): TestTenant =>
  testTenant({ settings: { 'registration.allow-open-registration': true } });

async function editorOf(tenant: TestTenant, metadata: object = {}): Promise<ClientInformation> {
  const json = { ...EDITOR, ...metadata };
  return clientInformationOf(await tenant.send('client-registration', { json }));
}

const request = (change: Fields = {}): Fields => ({ redirect_uri: CALLBACK, ...change });

/** Returns the address that the link of a page leads to. */
function linkOf({ status, location, html }: Visit): string {
  assert.deepEqual([status, location], [200, undefined]);
  assert.doesNotMatch(html, /http-equiv|<script/);
  const [, href = assert.fail(html)] = /<a class="button" href="([^"]*)"/.exec(html) ?? [];
  return href.replaceAll('&amp;', '&');
}

const parametersOf = (address: string): Readonly<Record<string, string>> => {
  assert.ok(address.startsWith(`${CALLBACK}?`), address);
  return Object.fromEntries(new URLSearchParams(address.slice(CALLBACK.length + 1)));
};

test('a person who signs in and consents is redirected to the private-use scheme of an openly registered client (decision 47)', async () => {
  const tenant = openTenant();
  const ada = await aPerson(tenant);
  const page = await ada.grant(await editorOf(tenant), request());
  const { code, state } = parametersOf(page.location ?? assert.fail(page.html));
  assert.equal(typeof code, 'string');
  assert.equal(state, 'af0ifjsldkj');
});

for (const change of [{}, { prompt: 'none' }]) {
  test(`200: a grant without any page, ${JSON.stringify(change)}, waits on a page with a link (decision 47, RFC 8252 §8.6, H-323)`, async () => {
    const tenant = openTenant();
    const ada = await aPerson(tenant);
    const editor = await editorOf(tenant);
    await ada.grant(editor, request());
    const page = await ada.browser.visit(authorizationUrl(editor, request(change)));
    assert.match(page.html, /allowed this application before/);
    assert.equal(typeof parametersOf(linkOf(page))['code'], 'string');
  });
}

const REFUSALS: readonly (readonly [change: Fields, error: string])[] = [
  [{ prompt: 'none' }, 'login_required'],
  [{ scope: 'a"b' }, 'invalid_scope'],
  [{ response_type: 'data' }, 'unsupported_response_type'],
  [{ code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
];

for (const [change, error] of REFUSALS) {
  test(`200: ${error} for ${JSON.stringify(change)} waits on a page with a link (decision 47, H-322, H-323)`, async () => {
    const tenant = openTenant();
    const page = await browserOf(tenant).visit(authorizationUrl(await editorOf(tenant), request(change)));
    assert.equal(parametersOf(linkOf(page))['error'], error);
    assert.doesNotMatch(page.html, /allowed this application before/);
  });
}

test('200: a form for a private-use scheme does not post itself (decision 47, H-323)', async () => {
  const tenant = openTenant();
  const url = authorizationUrl(
    await editorOf(tenant),
    request({ prompt: 'none', response_mode: 'form_post' }),
  );
  const page = await browserOf(tenant).visit(url);
  assert.doesNotMatch(page.html, /<script/);
  assert.doesNotMatch(page.headers.get('content-security-policy') ?? '', /script-src/);
  assert.equal(formOf(page.html).action, CALLBACK);
});

test('a client that the operator registered is redirected to its private-use scheme at once (decision 47)', async () => {
  const tenant = openTenant();
  const editor = await tenant.register(EDITOR);
  const page = await browserOf(tenant).visit(authorizationUrl(editor, request({ prompt: 'none' })));
  assert.equal(parametersOf(page.location ?? assert.fail(page.html))['error'], 'login_required');
});

test('an openly registered client with an https redirection URI is redirected as before', async () => {
  const tenant = openTenant();
  const redirect_uri = 'https://editor.example/cb';
  const editor = await editorOf(tenant, { redirect_uris: [CALLBACK, redirect_uri] });
  const page = await browserOf(tenant).visit(authorizationUrl(editor, { redirect_uri, prompt: 'none' }));
  assert.equal(answeredTo(page)['error'], 'login_required');
});

test('a client with a secret needs PKCE for a private-use scheme, and not for https (decision 47, RFC 8252 §8.1, H-322)', async () => {
  const tenant = openTenant();
  const redirect_uri = 'https://editor.example/cb';
  const editor = await tenant.register({
    ...EDITOR,
    redirect_uris: ['com.example.editor:/cb', redirect_uri],
    token_endpoint_auth_method: 'client_secret_basic',
  });
  const plain = { prompt: 'none', code_challenge: undefined, code_challenge_method: undefined };
  const errorAt = async (change: Fields): Promise<string> => {
    const { location } = await browserOf(tenant).visit(authorizationUrl(editor, { ...plain, ...change }));
    return /[?&]error=([a-z_]+)/.exec(location ?? '')?.[1] ?? assert.fail(location);
  };
  assert.equal(await errorAt({ redirect_uri: 'com.example.editor:/cb' }), 'invalid_request');
  assert.equal(await errorAt({ redirect_uri }), 'login_required');
});

test('the pages of a private-use scheme name the scheme, never what its registrant wrote where a host stands (RFC 8252 §8.6, H-323)', async () => {
  const tenant = openTenant();
  const redirect_uri = 'evil://accounts.bank.example/cb';
  const editor = await editorOf(tenant, { redirect_uris: [redirect_uri] });
  for (const prompt of [undefined, 'none']) {
    const { html } = await browserOf(tenant).open(authorizationUrl(editor, { redirect_uri, prompt }));
    assert.match(html, /<span class="host">evil:<\/span>/);
  }
});
