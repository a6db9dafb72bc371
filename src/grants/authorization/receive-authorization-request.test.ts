import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredClient } from '../../ports/client-store.ts';
import { OAuthError } from '../../spec/errors.ts';
import type { Parameters } from '../../spec/parameters.ts';
import {
  aReceivingNeeds,
  aRegisteredClient,
  CHALLENGE,
  REDIRECT_URI,
  REQUEST,
} from '../../testing/authorization-requests.ts';
import { AuthorizationError, type AuthorizationRequest } from './authorization-request.ts';
import { pushRequest } from './pushed-request.ts';
import {
  type Receiving,
  receiveAuthorizationRequest,
  receivePushedRequest,
} from './receive-authorization-request.ts';

const client = aRegisteredClient();

async function received(
  change: Readonly<Record<string, string | undefined>> = {},
  of: StoredClient = client,
  needs: Receiving = aReceivingNeeds([of]),
): Promise<AuthorizationRequest> {
  return (await receiveAuthorizationRequest(needs, { ...REQUEST, ...change })).request;
}

const forPerson = (failure: unknown): boolean =>
  failure instanceof OAuthError && failure.code === 'invalid_request';

const forPersonOfUnknownClient = (failure: unknown): boolean =>
  failure instanceof OAuthError && failure.code === 'invalid_client';

const forClient =
  (code: string, mode = 'query') =>
  (failure: unknown): boolean => {
    assert.ok(failure instanceof AuthorizationError, String(failure));
    assert.equal(failure.code, code);
    assert.equal(failure.target.redirect_uri, REDIRECT_URI);
    assert.equal(failure.target.response_mode, mode);
    return true;
  };

test('a request for a code is read whole (OpenID Connect Core 1.0 §3.1.2.1)', async () => {
  const request = await received({
    prompt: 'login consent',
    max_age: '0',
    acr_values: 'silver bronze',
    ui_locales: 'de en',
    login_hint: 'ada',
    claims:
      '{"userinfo":{"email":{"essential":true},"name":null},"id_token":{"acr":{"values":["silver"]}},"x":1}',
    resource: 'https://api.example.com/a https://api.example.com/b',
  });
  assert.deepEqual(request, {
    client_id: client.client_id,
    client_instance: client.instance,
    redirect_uri: REDIRECT_URI,
    response_mode: 'query',
    response_type: ['code'],
    state: 'af0ifjsldkj',
    scope: ['openid', 'email'],
    nonce: 'n-0S6_WzA2Mj',
    code_challenge: CHALLENGE,
    prompt: ['login', 'consent'],
    max_age: 0,
    acr_values: ['silver', 'bronze'],
    ui_locales: 'de en',
    login_hint: 'ada',
    claims: {
      userinfo: { email: { essential: true }, name: null },
      id_token: { acr: { values: ['silver'] } },
    },
    resource: ['https://api.example.com/a', 'https://api.example.com/b'],
  });
});

const FOR_PERSON: readonly (readonly [
  title: string,
  change: Readonly<Record<string, string | undefined>>,
])[] = [
  ['no client_id', { client_id: undefined }],
  ['no redirect_uri', { redirect_uri: undefined }],
  ['another redirect_uri', { redirect_uri: 'https://evil.example/cb' }],
  ['redirect_uri with a slash more', { redirect_uri: `${REDIRECT_URI}/` }],
  ['redirect_uri with a query more', { redirect_uri: `${REDIRECT_URI}?foo=bar` }],
  ['redirect_uri in other letters', { redirect_uri: REDIRECT_URI.toUpperCase() }],
  ['redirect_uri with a fragment', { redirect_uri: `${REDIRECT_URI}#x` }],
  ['redirect_uri with a port', { redirect_uri: 'https://rp.example.com:443/cb' }],
];

for (const [title, change] of FOR_PERSON) {
  // proves mcp-security-4
  test(`${title}: an error for the person, without a redirection (RFC 6749 §4.1.2.1)`, async () => {
    await assert.rejects(received(change), forPerson);
  });
}

test('an unknown client: an error for the person, without a redirection, and with a code of its own (RFC 6749 §4.1.2.1)', async () => {
  await assert.rejects(received({ client_id: 'stranger' }), forPersonOfUnknownClient);
});

const FOR_CLIENT: readonly (readonly [
  title: string,
  change: Readonly<Record<string, string | undefined>>,
  code: string,
  mode?: string,
])[] = [
  ['no response_type', { response_type: undefined }, 'invalid_request'],
  ['an unknown response_type', { response_type: 'magic' }, 'unsupported_response_type'],
  ['response_type twice the same', { response_type: 'code code' }, 'unsupported_response_type'],
  [
    'a response_type that is not registered',
    { response_type: 'id_token' },
    'unauthorized_client',
    'fragment',
  ],
  ['an unknown response_mode', { response_mode: 'pigeon' }, 'invalid_request'],
  ['a malformed scope', { scope: 'openid "x"' }, 'invalid_scope'],
  ['scope without a registered value', { scope: 'admin' }, 'invalid_scope'],
  ['no scope where none is registered', { scope: undefined }, 'invalid_scope'],
  ['an unknown prompt', { prompt: 'login dance' }, 'invalid_request'],
  ['prompt none beside another', { prompt: 'none login' }, 'invalid_request'],
  ['a negative max_age', { max_age: '-1' }, 'invalid_request'],
  ['a max_age that is no number', { max_age: '1e3' }, 'invalid_request'],
  ['claims that are not JSON', { claims: '{' }, 'invalid_request'],
  ['claims that are a list', { claims: '[]' }, 'invalid_request'],
  ['claims with a list inside', { claims: '{"userinfo":[]}' }, 'invalid_request'],
  ['claims asked for with a string', { claims: '{"userinfo":{"email":"yes"}}' }, 'invalid_request'],
  ['essential that is no boolean', { claims: '{"id_token":{"acr":{"essential":1}}}' }, 'invalid_request'],
  [
    'claims 100 deep',
    { claims: `{"userinfo":${'{"a":'.repeat(100)}null${'}'.repeat(100)}}` },
    'invalid_request',
  ],
  ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['PKCE without a method', { code_challenge_method: undefined }, 'invalid_request'],
  ['a method without a challenge', { code_challenge: undefined }, 'invalid_request'],
  ['a challenge of another length', { code_challenge: 'abc' }, 'invalid_request'],
  ['a relative resource', { resource: '/api' }, 'invalid_target'],
  ['a resource with a fragment', { resource: 'https://api.example.com/#a' }, 'invalid_target'],
  ['registration in the request', { registration: '{}' }, 'registration_not_supported'],
  ['a request_uri of the client', { request_uri: 'https://rp.example.com/r' }, 'request_uri_not_supported'],
  [
    'an unknown pushed request',
    { request_uri: 'urn:ietf:params:oauth:request_uri:x' },
    'invalid_request_uri',
  ],
  ['request and request_uri', { request: 'a.b.c', request_uri: 'urn:x' }, 'invalid_request'],
  ['a request object that is none', { request: 'a.b.c' }, 'invalid_request_object'],
  ['an ID token hint that is none', { id_token_hint: 'a.b.c' }, 'invalid_request'],
  ['a state of 5,000 characters', { state: 's'.repeat(5000) }, 'invalid_request'],
  ['a nonce of 2,000 characters', { nonce: 'n'.repeat(2000) }, 'invalid_request'],
];

for (const [title, change, code, mode] of FOR_CLIENT) {
  // proves openid-core-3.1.2.2-1
  test(`${title}: ${code} for the client (RFC 6749 §4.1.2.1, OpenID Connect Core 1.0 §3.1.2.6)`, async () => {
    await assert.rejects(received(change), forClient(code, mode));
  });
}

test('scope values that the client may not ask for are left out (OpenID Connect Core 1.0 §3.1.2.1)', async () => {
  const { scope } = await received({ scope: 'openid admin email root' });
  assert.deepEqual(scope, ['openid', 'email']);
  const limited = aRegisteredClient({ scope: 'openid clips:read clips:write' });
  assert.deepEqual((await received({ scope: 'openid email clips:write' }, limited)).scope, [
    'openid',
    'clips:write',
  ]);
});

test('a request without scope asks for the default scope of the client, without offline_access (RFC 6749 §3.3; decision 43)', async () => {
  const asking = async (client: StoredClient): Promise<readonly string[]> =>
    (await received({ scope: undefined }, client)).scope;
  const registered = aRegisteredClient({
    scope: 'openid clips:read offline_access',
    grant_types: ['authorization_code', 'refresh_token'],
  });
  assert.deepEqual(await asking(registered), ['openid', 'clips:read']);
  const scope = ['clips:read', 'offline_access'];
  const open = { ...aRegisteredClient(), privileges: JSON.stringify({ scope }), registered_via: 'open' };
  assert.deepEqual(await asking(open), ['clips:read']);
  assert.deepEqual((await received({ scope: 'openid clips:read admin' }, open)).scope, [
    'openid',
    'clips:read',
  ]);
  for (const registered_via of ['master:a', 'cli']) {
    await assert.rejects(asking({ ...open, registered_via }), forClient('invalid_scope'));
  }
});

const HYBRID = aRegisteredClient({
  grant_types: ['authorization_code', 'implicit'],
  response_types: ['code', 'id_token', 'id_token token', 'code id_token'],
});

const MODES: readonly (readonly [response_type: string, response_mode: string | undefined, mode: string])[] =
  [
    ['code', undefined, 'query'],
    ['code', 'jwt', 'query.jwt'],
    ['code', 'form_post', 'form_post'],
    ['code', 'fragment', 'fragment'],
    ['id_token', undefined, 'fragment'],
    ['token id_token', undefined, 'fragment'],
    ['id_token code', 'jwt', 'fragment.jwt'],
    ['code id_token', 'form_post.jwt', 'form_post.jwt'],
  ];

for (const [response_type, response_mode, mode] of MODES) {
  // proves jarm-2.3-1, openid-response-types-2.1-1
  test(`${response_type} by ${response_mode}: ${mode} (OAuth 2.0 Multiple Response Type Encoding Practices §2.1, JARM §2.3)`, async () => {
    assert.equal((await received({ response_type, response_mode }, HYBRID)).response_mode, mode);
  });
}

for (const response_mode of ['query', 'query.jwt']) {
  // proves openid-response-types-2.1-1
  test(`tokens are not carried by ${response_mode} (OAuth 2.0 Multiple Response Type Encoding Practices §3.3)`, async () => {
    await assert.rejects(
      received({ response_type: 'code id_token', response_mode }, HYBRID),
      forClient('invalid_request', 'fragment'),
    );
  });
}

test('an ID token from the authorisation endpoint needs nonce and openid (OpenID Connect Core 1.0 §3.2.2.1)', async () => {
  const change = { response_type: 'code id_token' };
  await assert.rejects(
    received({ ...change, nonce: undefined }, HYBRID),
    forClient('invalid_request', 'fragment'),
  );
  await assert.rejects(
    received({ ...change, scope: 'email' }, HYBRID),
    forClient('invalid_scope', 'fragment'),
  );
  assert.equal((await received({ nonce: undefined }, HYBRID)).nonce, undefined);
});

// proves rfc7636-4.4.1-1
test('public clients, and those that registered for it, need PKCE (RFC 9700 §2.1.1)', async () => {
  const without = { code_challenge: undefined, code_challenge_method: undefined };
  const confidential = await received(without);
  assert.equal(confidential.code_challenge, undefined);
  for (const metadata of [{ token_endpoint_auth_method: 'none' }, { code_challenge_method: 'S256' }]) {
    await assert.rejects(received(without, aRegisteredClient(metadata)), forClient('invalid_request'));
  }
});

test('what the client registered for stands where the request says nothing (OpenID Connect Dynamic Client Registration 1.0 §2)', async () => {
  const settled = aRegisteredClient({ default_max_age: 3600, default_acr_values: ['silver'] });
  const { max_age, acr_values } = await received({}, settled);
  assert.deepEqual({ max_age, acr_values }, { max_age: 3600, acr_values: ['silver'] });
  assert.equal((await received({ max_age: '5' }, settled)).max_age, 5);
});

const LOOPBACK: readonly (readonly [requested: string, type: 'native' | 'web', proven: boolean])[] = [
  ['http://127.0.0.1:4711/cb', 'native', true],
  ['http://[::1]:4711/cb', 'native', true],
  ['http://127.0.0.1/cb', 'native', true],
  ['http://127.0.0.1:4711/cb2', 'native', false],
  ['http://127.0.0.1:4711@evil.example/cb', 'native', false],
  ['http://127.0.0.1.evil.example/cb', 'native', false],
  ['https://127.0.0.1:4711/cb', 'native', false],
  ['http://localhost:4711/cb', 'native', true],
  ['http://localhost.:4711/cb', 'native', false],
  ['http://localhost.evil.example:4711/cb', 'native', false],
  ['http://localhost:4711/cb', 'web', false],
  ['http://127.0.0.1:4711/cb', 'web', false],
  ['http://127.0.0.1:0/cb', 'native', false],
];

for (const [requested, application_type, proven] of LOOPBACK) {
  // proves rfc6749-3.1.2-1
  test(`${requested} of a ${application_type} client ${proven ? 'is' : 'is not'} registered (RFC 8252 §7.3)`, async () => {
    const native = aRegisteredClient({
      application_type,
      redirect_uris: [
        'http://127.0.0.1:80/cb',
        'http://[::1]/cb',
        'http://127.0.0.1:0/cb',
        'http://localhost/cb',
      ],
    });
    const receiving = received({ redirect_uri: requested }, native);
    if (proven) assert.equal((await receiving).redirect_uri, requested);
    else await assert.rejects(receiving, forPerson);
  });
}

const PUSHED: Parameters = { ...REQUEST };

// proves rfc9126-7.3-1
test('a pushed request is used once, by its own client (RFC 9126 §2.2, §7.3)', async () => {
  const other = aRegisteredClient();
  const needs = aReceivingNeeds([client, other]);
  const pushed = await receivePushedRequest(needs, client, PUSHED);
  const { request_uri } = await pushRequest(needs.pushed, client.client_id, pushed);
  const by = async (client_id: string): Promise<AuthorizationRequest> =>
    (
      await receiveAuthorizationRequest(needs, {
        client_id,
        request_uri,
        redirect_uri: REDIRECT_URI,
        response_type: 'code',
      })
    ).request;
  await assert.rejects(by(other.client_id), forClient('invalid_request_uri'));
  assert.equal((await by(client.client_id)).nonce, PUSHED['nonce']);
  await assert.rejects(by(client.client_id), forClient('invalid_request_uri'));
});

test('what a client sends beside a pushed request counts for nothing (RFC 9126 §4)', async () => {
  const needs = aReceivingNeeds([client]);
  const { request_uri } = await pushRequest(needs.pushed, client.client_id, {
    parameters: PUSHED,
    signed: false,
  });
  const sent = {
    client_id: client.client_id,
    request_uri,
    scope: 'openid phone',
    redirect_uri: 'https://evil.example',
  };
  const { request } = await receiveAuthorizationRequest(needs, sent);
  assert.deepEqual(request.scope, ['openid', 'email']);
  assert.equal(request.redirect_uri, REDIRECT_URI);
});

// proves rfc9126-2.1-1
test('a pushed request must be one that would hold; request_uri cannot be pushed (RFC 9126 §2.1)', async () => {
  const needs = aReceivingNeeds([client]);
  const change = async (parameters: Readonly<Record<string, string>>): Promise<unknown> =>
    await receivePushedRequest(needs, client, { ...PUSHED, ...parameters });
  await assert.rejects(change({ request_uri: 'urn:x' }), forPerson);
  await assert.rejects(change({ redirect_uri: 'https://evil.example' }), forPerson);
  await assert.rejects(change({ response_type: 'magic' }), forClient('unsupported_response_type'));
});

// proves rfc9101-10.5-1
test('a client that registered to push its requests, or to sign them, does (RFC 9126 §6, RFC 9101 §10.5)', async () => {
  const pushes = aRegisteredClient({ require_pushed_authorization_requests: true });
  const signs = aRegisteredClient({ require_signed_request_object: true });
  for (const strict of [pushes, signs])
    await assert.rejects(received({}, strict), forClient('invalid_request'));
  const needs = aReceivingNeeds([pushes]);
  const { request_uri } = await pushRequest(needs.pushed, pushes.client_id, {
    parameters: PUSHED,
    signed: false,
  });
  assert.ok(await receiveAuthorizationRequest(needs, { client_id: pushes.client_id, request_uri }));
});
