import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formOf } from '../../../test/program/plain-browser.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { KEY } from '../../testing/assertion.ts';
import {
  aDocument,
  CLIENT_URL,
  clientAt,
  codeFor,
  documentEvents,
  documentHost,
  documentTenant,
  documentWorld,
  GONE,
  redeem,
  refresh,
} from '../../testing/client-documents.ts';
import { answeredTo, aPerson, browserOf, inFrontOf } from '../../testing/person.ts';
import { CALLBACK, MASTER, testTenant } from '../../testing/tenant.ts';

const client = clientAt();
const KEYED = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [KEY.jwk] } };

// proves client-id-metadata-document-5-1, client-id-metadata-document-4-1
test('a URL as client_id: its document is fetched, and the client signs its end-user in, refreshes and is introspected (§5)', async () => {
  const { host, tenant, ada } = await documentWorld();
  const { json, status } = await redeem(tenant, await codeFor(ada));
  assert.equal(status, 200);
  assert.equal((await tenant.introspect(String(json['access_token'])))['client_id'], CLIENT_URL);
  assert.equal((await refresh(tenant, json['refresh_token'])).status, 200);
  assert.deepEqual(host.fetches, [{ url: CLIENT_URL, etag: undefined }], 'one fetch serves all of it');
});

test('a client of a document is listed with its source, and the audit has its creation; it has no registration token', async () => {
  const { tenant, ada } = await documentWorld();
  await codeFor(ada);
  const listed = await tenant.send('client-list', { bearer: MASTER });
  const [one] = JSON.parse(listed.body) as Readonly<Record<string, unknown>>[];
  assert.equal(one?.['client_id'], CLIENT_URL);
  const now = tenant.clock.now();
  assert.deepEqual(one?.['chancery_metadata_document'], { fetched_at: now, fresh_until: now + 3600 });
  assert.equal('registration_access_token' in (one ?? {}), false);
  assert.equal((await tenant.storage.clients.find(CLIENT_URL as ClientId))?.registered_via, 'document');
  assert.deepEqual(await documentEvents(tenant), [['client.create', 'document', null]]);
});

test('switched off, which is the default, a URL is an unknown client and nothing is fetched', async () => {
  const host = documentHost({ [CLIENT_URL]: aDocument() });
  const tenant = documentTenant(host, { 'registration.client-id-metadata-documents': false });
  const page = await (await aPerson(tenant)).ask(client);
  assert.equal(page.status, 400);
  assert.equal(host.fetches.length, 0);
  const { json } = await tenant.send('openid-configuration');
  assert.equal('client_id_metadata_document_supported' in json, false);
});

// proves client-id-metadata-document-6-1
test('discovery says that documents are supported (§6)', async () => {
  const { tenant } = await documentWorld();
  for (const name of ['openid-configuration', 'oauth-authorization-server'])
    assert.equal((await tenant.send(name)).json['client_id_metadata_document_supported'], true, name);
});

// proves client-id-metadata-document-8.4-1
test('the consent page shows the host of the client_id and of the redirection URI, and is never skipped for a new client (§8.4)', async () => {
  const { ada } = await documentWorld(aDocument({ redirect_uris: ['https://elsewhere.example/cb'] }), {
    'sign-in.consent': 'third-party',
  });
  const page = await ada.signIn(await ada.ask(client, { redirect_uri: 'https://elsewhere.example/cb' }));
  assert.match(page.html, /<strong class="host">client\.example<\/strong>/);
  assert.match(page.html, /belongs to client\.example/);
  assert.match(page.html, /<span class="host">elsewhere\.example<\/span>/);
  assert.doesNotMatch(page.html, /Any program on this computer/);
  assert.match(page.html, /value="allow"/);
});

test('a public client that returns to the own machine is warned about and asked about each time (RFC 8252 §8.6; H-414)', async () => {
  const redirect_uri = 'http://127.0.0.1:33418/cb';
  const { ada } = await documentWorld(aDocument({ redirect_uris: ['http://127.0.0.1/cb'] }));
  const page = await ada.signIn(await ada.ask(client, { redirect_uri }));
  assert.match(page.html, /Any program on this computer/);
  assert.match(page.html, /127\.0\.0\.1:33418/);
  assert.ok(answeredTo(await ada.browser.submit(page, 'allow'))['code']);
  assert.match((await ada.ask(client, { redirect_uri })).html, /value="allow"/, 'asked again');
  const silent = await ada.ask(client, { redirect_uri, prompt: 'none' });
  assert.equal(answeredTo(silent)['error'], 'consent_required');
});

test('a document as Claude Code has it: no application_type, loopback URIs without a port, and any port in the request', async () => {
  const redirect_uris = ['http://localhost/callback', 'http://127.0.0.1/callback'];
  const { tenant, ada } = await documentWorld(aDocument({ redirect_uris, response_types: ['code'] }));
  for (const redirect_uri of ['http://localhost:58135/callback', 'http://127.0.0.1:3118/callback']) {
    const code = await codeFor(ada, { redirect_uri });
    assert.equal((await redeem(tenant, code, { redirect_uri })).status, 200, redirect_uri);
  }
});

test('a public client with an https redirection URI is asked about once', async () => {
  const { ada } = await documentWorld();
  await codeFor(ada);
  assert.ok(answeredTo(await ada.ask(client, { prompt: 'none' }))['code']);
});

// proves client-id-metadata-document-4-2, client-id-metadata-document-4.1-1
test('a document with another client_id, a secret, a private key or a secret method is refused, and the log says why (H-402)', async () => {
  const { d, ...publicKey } = KEY.privateKey.export({ format: 'jwk' });
  const rows: readonly (readonly [object | string, RegExp])[] = [
    [aDocument({ client_id: `${CLIENT_URL}/` }), /letter by letter/],
    [aDocument({ client_id: 'https://CLIENT.example/oauth/metadata.json' }), /letter by letter/],
    [aDocument({ client_id: undefined }), /missing/],
    [aDocument({ client_id: [CLIENT_URL] }), /missing/],
    [aDocument({ client_secret: 'x' }), /client_secret must not/],
    [aDocument({ client_secret_expires_at: 0 }), /client_secret_expires_at must not/],
    [aDocument({ token_endpoint_auth_method: 'client_secret_basic' }), /shared secret/],
    [aDocument({ token_endpoint_auth_method: 'client_secret_jwt' }), /shared secret/],
    [aDocument({ ...KEYED, jwks: { keys: [{ ...publicKey, d }] } }), /jwks/],
    [aDocument({ token_endpoint_auth_method: 'private_key_jwt' }), /requires jwks/],
    [aDocument({ redirect_uris: ['javascript:alert(1)//x.y'] }), /redirect_uris/],
    [aDocument({ redirect_uris: [] }), /redirect_uris/],
    [aDocument({ grant_types: ['client_credentials'] }), /grant_types/],
    [`{"client_id":"${CLIENT_URL}","client_id":"${CLIENT_URL}"}`, /./],
    ['[]', /JSON object/],
    ['<html>', /JSON/],
  ];
  for (const [document, reason] of rows) {
    const host = documentHost({ [CLIENT_URL]: document });
    const tenant = documentTenant(host);
    const page = await (await aPerson(tenant)).ask(client);
    assert.equal(page.status, 400, JSON.stringify(document));
    assert.match(JSON.stringify(tenant.reports), reason);
    assert.equal(host.fetches.length, 1);
  }
});

test('a document keeps what open registration gives: other grants, scope values and unknown members are dropped', async () => {
  const { tenant, ada } = await documentWorld(
    aDocument({
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials', 'password'],
      scope: 'openid email payments',
      data: { a: 1 },
      preferred_client_secret: 'x'.repeat(50),
      software_id: 'clips',
    }),
    { 'registration.open-scope-values': ['openid', 'email'] },
  );
  await codeFor(ada);
  const { json } = await tenant.send('client-read', { id: CLIENT_URL, bearer: MASTER });
  assert.deepEqual(json['grant_types'], ['authorization_code', 'refresh_token']);
  assert.equal(json['scope'], 'openid email');
  assert.equal('data' in json, false);
  assert.equal(json['software_id'], 'clips');
});

test('a document of whose scope only offline_access is left may ask for what a document without scope may', async () => {
  const { tenant, ada } = await documentWorld(
    aDocument({ scope: 'openid offline_access', grant_types: ['authorization_code', 'refresh_token'] }),
    { 'authorization.offline-access': 'when-asked' },
  );
  const answered = await redeem(tenant, await codeFor(ada, { scope: 'openid offline_access' }));
  assert.equal(answered.json['scope'], 'openid offline_access');
});

test('a document without token_endpoint_auth_method: none, or private_key_jwt where it has keys', async () => {
  for (const [changes, method] of [
    [{}, 'none'],
    [{ jwks: { keys: [KEY.jwk] } }, 'private_key_jwt'],
  ] as const) {
    const { tenant, ada } = await documentWorld(
      aDocument({ token_endpoint_auth_method: undefined, ...changes }),
    );
    await codeFor(ada);
    const { json } = await tenant.send('client-read', { id: CLIENT_URL, bearer: MASTER });
    assert.equal(json['token_endpoint_auth_method'], method);
  }
});

test('hosts: only those allowed, and never those denied; a host that is denied later loses its clients at once (H-405)', async () => {
  const allowed = { 'client-document.allowed-hosts': ['client.example', '*.apps.example'] };
  const denied = { 'client-document.denied-hosts': ['client.example'] };
  const { host, tenant, ada } = await documentWorld(aDocument(), allowed);
  const { json } = await redeem(tenant, await codeFor(ada));
  for (const url of ['https://other.example/c', 'https://apps.example/c', 'https://evilapps.example/c']) {
    host.documents.set(url, aDocument({}, url));
    assert.equal((await ada.ask(clientAt(url))).status, 400, url);
  }
  assert.equal(host.fetches.length, 1, 'a refused host is not asked');
  const url = 'https://a.apps.example/c';
  host.documents.set(url, aDocument({}, url));
  assert.equal((await ada.ask(clientAt(url))).status, 200);
  const { platform } = tenant;
  const settings = { 'registration.client-id-metadata-documents': true, ...allowed, ...denied };
  const restarted = testTenant({ platform, settings });
  assert.equal((await inFrontOf(browserOf(restarted)).ask(client)).status, 400);
  const refused = await refresh(restarted, json['refresh_token']);
  assert.deepEqual([refused.status, refused.json['error']], [401, 'invalid_client']);
});

test('a client that no end-user consents to is not stored, and leaves nothing when its time is over (H-411)', async () => {
  const { host, tenant, ada } = await documentWorld();
  const page = await ada.signIn(await ada.ask(client));
  assert.equal(answeredTo(await ada.browser.submit(page, 'deny'))['error'], 'access_denied');
  assert.deepEqual(await tenant.storage.clients.page(undefined, 10), []);
  await ada.ask(client);
  assert.equal(host.fetches.length, 1, 'kept while it may be needed');
  tenant.clock.advance(4000);
  assert.equal(await tenant.storage.interactions.sweepExpired(tenant.clock.now(), 100), 2);
  assert.deepEqual(await documentEvents(tenant), []);
  await ada.ask(client);
  assert.equal(host.fetches.length, 2);
});

test('ten parallel requests of a new client share one fetch', async () => {
  const { host, tenant } = await documentWorld();
  const asking = Array.from({ length: 10 }, async () => await inFrontOf(browserOf(tenant)).ask(client));
  const pages = await Promise.all(asking);
  assert.deepEqual(new Set(pages.map(({ status }) => status)), new Set([200]));
  assert.equal(host.fetches.length, 1);
});

test('two end-users who consent at once share the client', async () => {
  const { tenant, ada } = await documentWorld();
  const eve = await aPerson(tenant, { username: 'Eve', password: 'battery staple', claims: {} });
  const [one, other] = [await ada.signIn(await ada.ask(client)), await eve.signIn(await eve.ask(client))];
  const answers = await Promise.all([ada.browser.submit(one, 'allow'), eve.browser.submit(other, 'allow')]);
  for (const answer of answers) {
    const { status } = await redeem(tenant, answeredTo(answer)['code'] ?? '');
    assert.equal(status, 200);
  }
  assert.equal((await tenant.storage.clients.page(undefined, 10)).length, 1);
});

test('made-up URLs are fetched at a bounded rate for each network, and known clients do not notice (H-410)', async () => {
  const { host, tenant, ada } = await documentWorld(aDocument(), { 'client-document.rate-per-network': 5 });
  const { json } = await redeem(tenant, await codeFor(ada));
  const statuses: number[] = [];
  for (let time = 0; time < 10; time += 1)
    statuses.push((await ada.ask(clientAt(`https://client.example/${time}`))).status);
  assert.deepEqual(statuses, [400, 400, 400, 400, 429, 429, 429, 429, 429, 429]);
  assert.equal(host.fetches.length, 5);
  assert.ok(answeredTo(await ada.ask(client, { prompt: 'none' }))['code']);
  assert.equal((await refresh(tenant, json['refresh_token'])).status, 200);
});

test('a document that broke a rule is not fetched again for outbound.negative-cache, and is then judged anew', async () => {
  const { host, tenant, ada } = await documentWorld(aDocument({ client_id: 'https://client.example/' }));
  for (let time = 0; time < 3; time += 1) assert.equal((await ada.ask(client)).status, 400);
  assert.equal(host.fetches.length, 1);
  host.documents.set(CLIENT_URL, aDocument());
  tenant.clock.advance(60);
  assert.equal((await ada.ask(client)).status, 200);
});

test('PUT /clients/{id} of a client of a document is 400 (H-415); DELETE ends its tokens, and it comes back as another instance', async () => {
  const { tenant, ada } = await documentWorld();
  const { json } = await redeem(tenant, await codeFor(ada));
  const put = await tenant.send('client-update', { id: CLIENT_URL, bearer: MASTER, json: aDocument() });
  assert.deepEqual([put.status, put.json['error']], [400, 'invalid_request']);
  assert.equal((await tenant.send('client-delete', { id: CLIENT_URL, bearer: MASTER })).status, 204);
  assert.equal((await refresh(tenant, json['refresh_token'])).status, 401, 'no such client now');
  assert.ok(await codeFor(ada), 'asked for consent, and back');
  assert.equal((await refresh(tenant, json['refresh_token'])).json['error'], 'invalid_grant');
});

// proves client-id-metadata-document-7.2-1
test('a URL that the operator registered as preferred_client_id needs no document (§7.2)', async () => {
  const { host, tenant, ada } = await documentWorld();
  host.documents.set(CLIENT_URL, GONE);
  await tenant.register({
    preferred_client_id: CLIENT_URL,
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: 'none',
  });
  assert.ok(await codeFor(ada));
  assert.equal(host.fetches.length, 0);
});

test('a form of a page that belongs to a client without consent holds no trace of its document', async () => {
  const { ada } = await documentWorld();
  const { hidden } = formOf((await ada.ask(client)).html);
  assert.deepEqual(Object.keys(hidden), ['form_token']);
});
