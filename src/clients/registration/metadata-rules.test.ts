import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { AUTH_METHODS } from '../../spec/client-metadata.ts';
import { OAuthError } from '../../spec/errors.ts';
import { parseJsonObject } from '../../spec/json.ts';
import { RESPONSE_MODES, SIGNING_ALGORITHMS } from '../../spec/server-capabilities.ts';
import { validateMetadata } from './validate-metadata.ts';

const LIMITS = {
  redirectUris: 10,
  uriLength: 200,
  httpAllowed: false,
  certificateTrust: 'chains',
  frontChannelLogout: true,
  deliveryModes: ['poll', 'ping', 'push'],
  signingAlgorithms: ['RS256'],
  grantTypes: ['authorization_code', 'implicit', 'refresh_token'],
  privateSchemes: 'any',
  dpop: true,
  detailTypes: [],
  clientAlgorithms: SIGNING_ALGORITHMS,
  authMethods: AUTH_METHODS,
  boundTokens: false,
  signedRequests: false,
  responseModes: RESPONSE_MODES,
  httpForWeb: true,
} as const;
const key = { ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }) };
const JWKS = { jwks: { keys: [{ ...key, kid: 'a', use: 'enc' }] } };
const BASE = { redirect_uris: ['https://client.example/cb'] };

function verdict(metadata: object): string {
  try {
    const request = parseJsonObject(Buffer.from(JSON.stringify({ ...BASE, ...metadata })), {
      depth: 16,
      members: 100,
    });
    validateMetadata(request, LIMITS);
    return 'fine';
  } catch (failure) {
    assert.ok(failure instanceof OAuthError, String(failure));
    return `${failure.code}: ${failure.error_description}`;
  }
}

const BROKEN: readonly (readonly [metadata: object, words: RegExp])[] = [
  [{ ...JWKS, jwks_uri: 'https://client.example/jwks' }, /jwks and jwks_uri must not be used together/],
  [{ jwks: { keys: [{ ...key, d: 'x' }] } }, /jwks\.keys\[0\] holds a private or symmetric key/],
  [{ jwks: { keys: [{ kty: 'oct', k: 'x' }] } }, /jwks\.keys\[0\] holds a private or symmetric key/],
  [
    {
      jwks: {
        keys: [
          { ...key, kid: 'a' },
          { ...key, kid: 'a' },
        ],
      },
    },
    /the same kid and use/,
  ],
  [{ jwks: { keys: [] } }, /^invalid_client_metadata: jwks has no keys/],
  [{ jwks: [1] }, /^invalid_client_metadata: jwks must be a JWK set/],
  [{ jwks_uri: 'http://client.example/jwks' }, /^invalid_client_metadata: jwks_uri .* must be an https URL/],
  [{ jwks_uri: 'https://client.example/jwks#a' }, /^invalid_client_metadata: jwks_uri .* has a fragment/],
  [
    { ...JWKS, id_token_encrypted_response_enc: 'A128GCM' },
    /id_token_encrypted_response_enc requires id_token_encrypted_response_alg/,
  ],
  [
    { id_token_encrypted_response_alg: 'ECDH-ES' },
    /id_token_encrypted_response_alg requires jwks or jwks_uri/,
  ],
  [
    { ...JWKS, id_token_encrypted_response_alg: 'RSA1_5' },
    /id_token_encrypted_response_alg .* must be one of/,
  ],
  [{ ...JWKS, id_token_encrypted_response_alg: 'dir' }, /id_token_encrypted_response_alg .* must be one of/],
  [
    { tls_client_auth_subject_dn: 'CN=a' },
    /tls_client_auth_subject_dn requires token_endpoint_auth_method tls_client_auth, not client_secret_basic/,
  ],
  [{ 'client_name#de': 'A', 'client_name#DE': 'B' }, /client_name#DE is given twice/],
  [
    { ...JWKS, id_token_encrypted_response_alg: 'RSA-OAEP' },
    /_alg RSA-OAEP requires a key in jwks for RSA-OAEP/,
  ],
  [
    { jwks: { keys: [{ ...key, use: 'sig' }] }, userinfo_encrypted_response_alg: 'ECDH-ES' },
    /_alg ECDH-ES requires a key in jwks for ECDH-ES/,
  ],
  [
    { redirect_uris: ['https://client.example/cb', 'http://client.example/cb'] },
    /^invalid_redirect_uri: redirect_uris\[1\] 'http:\/\/client\.example\/cb' must use https; http is allowed for loopback hosts only$/,
  ],
  [
    { redirect_uris: ['https://user:secret@client.example/cb'] },
    /^invalid_redirect_uri: redirect_uris\[0\] 'https:\/\/\.\.\.@client\.example\/cb' must be a valid absolute URI, such as https:\/\/client\.example\/cb$/,
  ],
  [
    { token_endpoint_auth_method: 'tls_client_auth' },
    /tls_client_auth requires exactly one of: tls_client_auth_subject_dn, tls_client_auth_san_dns/,
  ],
  [{ sector_identifier_uri: 'http://client.example/s' }, /sector_identifier_uri .* must be an https URL/],
  [{ default_max_age: -1 }, /default_max_age .* must be a whole number/],
  [{ default_max_age: 1.5 }, /default_max_age/],
  [{ require_auth_time: 'true' }, /require_auth_time .* must be true or false/],
  [
    { frontchannel_logout_uri: 'https://other.example/l' },
    /frontchannel_logout_uri 'https:\/\/other.example\/l' must have the scheme, host and port of one of redirect_uris; allowed: https:\/\/client.example$/,
  ],
  [{ frontchannel_logout_uri: 'https://client.example:8443/l' }, /must have the scheme, host and port/],
  [
    { frontchannel_logout_uri: 'http://127.0.0.1:81/l', redirect_uris: ['http://127.0.0.1/cb'] },
    /must have the scheme, host and port of one of redirect_uris; allowed: http:\/\/127.0.0.1$/,
  ],
  [
    {
      frontchannel_logout_uri: 'https://client.example/l',
      application_type: 'native',
      redirect_uris: ['com.example.app:/cb'],
    },
    /must have the scheme, host and port of one of redirect_uris; there is none/,
  ],
  [
    { frontchannel_logout_uri: 'http://client.example/l' },
    /must be an https URL; http is allowed for loopback hosts only/,
  ],
  [{ frontchannel_logout_uri: 'javascript:alert(1)' }, /must be an https URL/],
  [{ frontchannel_logout_uri: 'https://client.example; script-src *' }, /must be an https URL/],
  [{ frontchannel_logout_uri: 'https://client.example/l#f' }, /must not have a fragment/],
  [{ frontchannel_logout_uri: 'https://client.example/l?a=b&s%69d=1' }, /query parameter sid/],
  [{ frontchannel_logout_uri: 'https://client.example/l?iss=x' }, /query parameter iss/],
  [
    { frontchannel_logout_session_required: 'yes' },
    /frontchannel_logout_session_required .* must be true or/,
  ],
  [{ initiate_login_uri: 'javascript:alert(1)' }, /initiate_login_uri .* must be an https URL/],
  [{ backchannel_logout_uri: 'http://client.example/l' }, /backchannel_logout_uri .* must be an https URL/],
  [
    { redirect_uris: Array.from({ length: 11 }, (_, index) => `https://client.example/${index}`) },
    /^invalid_redirect_uri: redirect_uris has more than 10/,
  ],
];

for (const [metadata, words] of BROKEN) {
  // proves openid-frontchannel-logout-2-1
  test(`${JSON.stringify(metadata).slice(0, 100)} is refused (OpenID Connect Dynamic Client Registration 1.0 §2, RFC 7591 §2)`, () => {
    assert.match(verdict(metadata), words);
  });
}

const SOUND: readonly object[] = [
  {},
  JWKS,
  { jwks_uri: 'https://client.example/jwks' },
  { ...JWKS, id_token_encrypted_response_alg: 'ECDH-ES', id_token_encrypted_response_enc: 'A256GCM' },
  { jwks: { keys: [key] }, userinfo_encrypted_response_alg: 'ECDH-ES+A128KW' },
  { 'client_name#de': 'A', 'client_name#de-CH': 'B', client_name: 'C' },
  { subject_type: 'pairwise' },
  { default_max_age: 0, require_auth_time: true },
  { frontchannel_logout_session_required: false },
  {
    frontchannel_logout_uri: 'https://CLIENT.example:443/l?logout=get',
    frontchannel_logout_session_required: true,
  },
  {
    frontchannel_logout_uri: 'http://localhost:8080/l',
    redirect_uris: ['https://client.example/cb', 'http://localhost:8080/cb'],
  },
  { request_uris: ['https://client.example/r#47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU'] },
  { dpop_bound_access_tokens: true },
  { backchannel_logout_uri: 'https://client.example/l', backchannel_logout_session_required: true },
];

for (const metadata of SOUND) {
  test(`${JSON.stringify(metadata).slice(0, 100)} is accepted (OpenID Connect Dynamic Client Registration 1.0 §2)`, () => {
    assert.equal(verdict(metadata), 'fine');
  });
}

// proves openid-registration-2-14
test('request_uris are kept, with the hash of their content (OpenID Connect Dynamic Client Registration 1.0 §2)', () => {
  const request_uris = ['https://client.example/r#47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU'];
  const request = parseJsonObject(Buffer.from(JSON.stringify({ ...BASE, request_uris })), {
    depth: 16,
    members: 100,
  });
  assert.deepEqual(validateMetadata(request, LIMITS).metadata['request_uris'], request_uris);
  assert.match(
    verdict({ request_uris: ['http://client.example/r'] }),
    /request_uris\[0\] .* must be an https URL/,
  );
});

test('an encrypted response without enc gets A128CBC-HS256 (OpenID Connect Dynamic Client Registration 1.0 §2)', () => {
  const sent = { ...BASE, ...JWKS, userinfo_encrypted_response_alg: 'ECDH-ES' };
  const request = parseJsonObject(Buffer.from(JSON.stringify(sent)), { depth: 16, members: 100 });
  const { metadata } = validateMetadata(request, LIMITS);
  assert.equal(metadata['userinfo_encrypted_response_enc'], 'A128CBC-HS256');
  assert.equal('id_token_encrypted_response_enc' in metadata, false);
});

test('an algorithm without a server key cannot be registered for responses; algorithms of client signatures can (decision 29)', () => {
  for (const use of ['id_token', 'userinfo', 'authorization', 'introspection']) {
    assert.match(
      verdict({ [`${use}_signed_response_alg`]: 'ES384' }),
      /signed_response_alg .* must be one of RS256$/,
    );
    assert.equal(verdict({ [`${use}_signed_response_alg`]: 'RS256' }), 'fine');
  }
  assert.equal(verdict({ request_object_signing_alg: 'ES384' }), 'fine');
});

const ALONE: readonly (readonly [metadata: object, words: RegExp])[] = [
  [{ post_logout_redirect_uris: ['https://client.example/*'] }, /^invalid_redirect_uri: .* wildcard/],
  [{ jwks: { keys: [{ kty: 'oct', k: 'x' }] } }, /holds a private or symmetric key/],
  [
    { token_endpoint_auth_method: 'client_secret_jwt', token_endpoint_auth_signing_alg: 'RS256' },
    /does not fit/,
  ],
  [{ frontchannel_logout_uri: 'https://client.example/out' }, /must have the scheme, host and port/],
  ...['id_token', 'userinfo', 'authorization', 'introspection'].map(
    (use) => [{ [`${use}_encrypted_response_alg`]: 'ECDH-ES' }, /requires jwks or jwks_uri/] as const,
  ),
  ...[
    'id_token_encrypted_response',
    'userinfo_encrypted_response',
    'authorization_encrypted_response',
    'introspection_encrypted_response',
    'request_object_encryption',
  ].map((what) => [{ [`${what}_enc`]: 'A128GCM' }, new RegExp(`requires ${what}_alg`)] as const),
];

for (const [metadata, words] of ALONE) {
  test(`the rule is asked where ${Object.keys(metadata).at(-1)} is the only member that it is about (RFC 7591 §2.1)`, () => {
    const others = { redirect_uris: [], grant_types: ['refresh_token'] };
    assert.equal(verdict(others), 'fine');
    assert.match(verdict({ ...others, ...metadata }), words);
  });
}
