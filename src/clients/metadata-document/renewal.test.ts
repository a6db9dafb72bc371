import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientId } from '../../spec/identifiers.ts';
import { asserted, claimsOf, KEY } from '../../testing/assertion.ts';
import {
  aDocument,
  CLIENT_URL,
  clientAt,
  codeFor,
  documentEvents,
  documentWorld,
  GONE,
  redeem,
  refresh,
  TIMEOUT,
} from '../../testing/client-documents.ts';
import { signedJwt, testKey } from '../../testing/jwt.ts';
import { answeredTo, browserOf, inFrontOf } from '../../testing/person.ts';
import { CALLBACK, ISSUER, MASTER, testTenant } from '../../testing/tenant.ts';

const client = clientAt();
const KEYED = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [KEY.jwk] } };

// proves client-id-metadata-document-8.3-1
test('after a document changes its redirect_uris, keys or name, the end-user is asked again, and the audit names the members (§8.3)', async () => {
  const { host, tenant, ada } = await documentWorld();
  const { json } = await redeem(tenant, await codeFor(ada));
  host.documents.set(CLIENT_URL, aDocument({ redirect_uris: [CALLBACK, 'https://evil.example/cb'] }));
  tenant.clock.advance(3601);
  const silent = await ada.ask(client, { prompt: 'none', redirect_uri: 'https://evil.example/cb' });
  assert.equal(answeredTo(silent)['error'], 'consent_required');
  assert.ok(await codeFor(ada));
  assert.ok(answeredTo(await ada.ask(client, { prompt: 'none' }))['code'], 'the new consent counts');
  assert.deepEqual((await documentEvents(tenant)).at(-1), ['client.update', 'document', 'redirect_uris']);
  assert.equal((await refresh(tenant, json['refresh_token'])).status, 200, 'refresh tokens go on');
});

test('a change of members that no consent depends on asks the end-user for none', async () => {
  const { host, tenant, ada } = await documentWorld();
  await codeFor(ada);
  host.documents.set(CLIENT_URL, aDocument({ policy_uri: 'https://client.example/policy' }));
  tenant.clock.advance(3601);
  assert.ok(answeredTo(await ada.ask(client, { prompt: 'none' }))['code']);
  assert.deepEqual((await documentEvents(tenant)).at(-1), ['client.update', 'document', 'policy_uri']);
});

// proves client-id-metadata-document-5.2-1
test('a stale document is asked for again with its entity tag, and 304 makes it fresh (RFC 9111 §4.3)', async () => {
  const { host, tenant, ada } = await documentWorld();
  host.caching = { etag: '"v1"', 'cache-control': 'max-age=600' };
  const { json } = await redeem(tenant, await codeFor(ada));
  tenant.clock.advance(599);
  const second = await refresh(tenant, json['refresh_token']);
  assert.equal(host.fetches.length, 1, 'fresh');
  tenant.clock.advance(1);
  const third = await refresh(tenant, second.json['refresh_token']);
  assert.deepEqual(host.fetches.at(-1), { url: CLIENT_URL, etag: '"v1"' });
  tenant.clock.advance(599);
  assert.equal((await refresh(tenant, third.json['refresh_token'])).status, 200);
  assert.equal(host.fetches.length, 2, 'fresh again');
  assert.deepEqual(await documentEvents(tenant), [['client.create', 'document', null]]);
});

test('a scope value that the settings allow later is in the client after its next renewal, although the document is unchanged', async () => {
  const { host, tenant, ada } = await documentWorld(aDocument({ scope: 'openid payments' }));
  host.caching = { etag: '"v1"' };
  await codeFor(ada);
  const settings = {
    'registration.client-id-metadata-documents': true,
    'registration.open-scope-values': ['openid', 'payments'],
  };
  const restarted = testTenant({ platform: tenant.platform, settings });
  tenant.clock.advance(3600);
  await inFrontOf(browserOf(restarted)).ask(client);
  const { json } = await restarted.send('client-read', { id: CLIENT_URL, bearer: MASTER });
  assert.equal(json['scope'], 'openid payments');
  assert.deepEqual(host.fetches.at(-1), { url: CLIENT_URL, etag: undefined });
});

test('a document whose server gives no answer counts until client-document.stale-max, and then 503 says so', async () => {
  const { host, tenant, ada } = await documentWorld(aDocument(), { 'client-document.stale-max': 1000 });
  const { json } = await redeem(tenant, await codeFor(ada));
  host.documents.set(CLIENT_URL, TIMEOUT);
  tenant.clock.advance(3600 + 999);
  const second = await refresh(tenant, json['refresh_token']);
  assert.equal(second.status, 200);
  assert.ok(tenant.log.some(({ message }) => message.includes('cannot be renewed')));
  tenant.clock.advance(1);
  const third = await refresh(tenant, second.json['refresh_token']);
  assert.deepEqual([third.status, third.json['error']], [503, 'temporarily_unavailable']);
  assert.equal(third.headers['retry-after'], '60');
  assert.equal((await ada.ask(client)).status, 503);
  host.documents.set(CLIENT_URL, aDocument());
  assert.equal((await refresh(tenant, second.json['refresh_token'])).status, 200, 'the grant has survived');
});

test('a document that is gone or invalid ends the use of its client at once, and the grants survive until it is back', async () => {
  for (const answer of [GONE, aDocument({ client_id: 'https://client.example/other' }), '<html>']) {
    const { host, tenant, ada } = await documentWorld();
    const { json } = await redeem(tenant, await codeFor(ada));
    host.documents.set(CLIENT_URL, answer);
    tenant.clock.advance(3600);
    const refused = await refresh(tenant, json['refresh_token']);
    assert.deepEqual([refused.status, refused.json['error']], [401, 'invalid_client']);
    assert.match(String(refused.json['error_description']), /metadata document/);
    assert.equal((await ada.ask(client)).status, 400);
    host.documents.set(CLIENT_URL, aDocument());
    tenant.clock.advance(60);
    assert.equal((await refresh(tenant, json['refresh_token'])).status, 200);
  }
});

// proves client-id-metadata-document-8.3-1
test('a code is refused if its document has lost the redirection URI or changed its keys before it is redeemed (H-409)', async () => {
  const other = testKey('ES256', 'other');
  const changes: readonly (readonly [object, object])[] = [
    [{}, { redirect_uris: ['https://client.example/other'] }],
    [KEYED, { ...KEYED, jwks: { keys: [other.jwk] } }],
    [KEYED, { token_endpoint_auth_method: 'none' }],
    [{}, KEYED],
  ];
  for (const [before, after] of changes) {
    const { host, tenant, ada } = await documentWorld(aDocument(before), {
      'client-document.lifetime-min': 0,
      'authorization-code.lifetime': 60,
    });
    host.caching = { 'cache-control': 'max-age=10' };
    const code = await codeFor(ada);
    host.documents.set(CLIENT_URL, aDocument(after));
    tenant.clock.advance(11);
    const key = after === KEYED ? KEY : other;
    const isKeyed = 'jwks' in after;
    const claims = claimsOf(CLIENT_URL, { exp: tenant.clock.now() + 60, iat: tenant.clock.now() });
    const refused = await redeem(tenant, code, isKeyed ? asserted(signedJwt(key, claims)) : {});
    assert.deepEqual([refused.status, refused.json['error']], [400, 'invalid_grant'], JSON.stringify(after));
    assert.ok(
      await codeFor(ada, after === changes[0]?.[1] ? { redirect_uri: 'https://client.example/other' } : {}),
    );
  }
});

test('a request that waits for its end-user ends with a page if the document changes its keys meanwhile (H-409)', async () => {
  const { host, tenant, ada } = await documentWorld(aDocument(), { 'client-document.lifetime-min': 0 });
  host.caching = { 'cache-control': 'no-cache' };
  await codeFor(ada);
  const waiting = await ada.ask(client, { prompt: 'consent' });
  assert.match(waiting.html, /value="allow"/);
  host.documents.set(CLIENT_URL, aDocument(KEYED));
  tenant.clock.advance(1);
  await ada.ask(client, { prompt: 'consent' });
  const refused = await ada.browser.submit(waiting, 'allow');
  assert.equal(refused.status, 400);
  assert.equal(refused.location, undefined);
});

// proves client-id-metadata-document-8.2-1
test('a client with private_key_jwt pushes its request, and a change of keys ends it (H-409)', async () => {
  const { host, tenant, ada } = await documentWorld(aDocument(KEYED), { 'client-document.lifetime-min': 0 });
  host.caching = { 'cache-control': 'no-cache' };
  const push = async () => {
    const now = tenant.clock.now();
    const form = asserted(signedJwt(KEY, claimsOf(CLIENT_URL, { exp: now + 60, iat: now })), {
      response_type: 'code',
      redirect_uri: CALLBACK,
      scope: 'openid',
      nonce: 'n',
    });
    const { json, status } = await tenant.send('pushed-authorization-request', { form });
    assert.equal(status, 201);
    return `${ISSUER}/authorize?${new URLSearchParams({ client_id: CLIENT_URL, request_uri: String(json['request_uri']) }).toString()}`;
  };
  const page = await ada.signIn(await ada.browser.open(await push()));
  assert.ok(answeredTo(await ada.browser.submit(page, 'allow'))['code']);
  const second = await push();
  host.documents.set(CLIENT_URL, aDocument({ ...KEYED, jwks: { keys: [testKey('ES256', 'new').jwk] } }));
  tenant.clock.advance(1);
  const refused = await ada.browser.open(second);
  assert.equal(refused.status, 400);
  assert.equal(refused.location, undefined);
});

test('a redirection URI or a key that was added to a fresh document is found, with one fetch a minute (H-416)', async () => {
  const added = 'https://client.example/added';
  const { host, tenant, ada } = await documentWorld(aDocument(KEYED));
  const [other, forged] = [testKey('ES256', 'added'), testKey('ES256', 'forged')];
  const assertedBy = (key: typeof other) => {
    const now = tenant.clock.now();
    return asserted(signedJwt(key, claimsOf(CLIENT_URL, { exp: now + 60, iat: now })));
  };
  await codeFor(ada);
  for (let time = 0; time < 3; time += 1)
    assert.equal((await ada.ask(client, { redirect_uri: added })).status, 400);
  assert.equal(host.fetches.length, 1, 'fetched a short while ago');
  host.documents.set(CLIENT_URL, aDocument({ ...KEYED, redirect_uris: [CALLBACK, added] }));
  tenant.clock.advance(60);
  assert.ok(await codeFor(ada, { redirect_uri: added }));
  assert.equal(host.fetches.length, 2);
  host.documents.set(CLIENT_URL, aDocument({ ...KEYED, jwks: { keys: [KEY.jwk, other.jwk] } }));
  tenant.clock.advance(60);
  assert.equal((await redeem(tenant, 'x', assertedBy(other))).json['error'], 'invalid_grant', 'proved');
  for (let time = 0; time < 3; time += 1)
    assert.equal((await redeem(tenant, 'x', assertedBy(forged))).json['error'], 'invalid_client');
  assert.equal(host.fetches.length, 3);
});

test('refresh fetches a fresh document too, and tells which members changed', async () => {
  const { host, tenant, ada } = await documentWorld();
  await codeFor(ada);
  const { documents } = await tenant.opened();
  const stored = async () => (await tenant.storage.clients.find(CLIENT_URL as ClientId)) ?? assert.fail();
  assert.deepEqual((await documents.refresh(await stored())).changed, []);
  host.documents.set(CLIENT_URL, aDocument({ client_name: 'Staples' }));
  assert.deepEqual((await documents.refresh(await stored())).changed, ['client_name']);
  host.documents.set(CLIENT_URL, GONE);
  await assert.rejects(documents.refresh(await stored()), { code: 'invalid_client' });
  assert.equal(JSON.parse((await stored()).metadata)['client_name'], 'Staples');
});
