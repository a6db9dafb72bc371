import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompactEncrypt, exportJWK, generateKeyPair } from 'jose';
import type { JsonWebKey } from '../../spec/jwk.ts';
import {
  aReceivingNeeds,
  aRegisteredClient,
  ISSUER,
  NOW,
  REDIRECT_URI,
  REQUEST,
} from '../../testing/authorization-requests.ts';
import { macJwt, segment, signedJwt, testKey } from '../../testing/jwt.ts';
import { AuthorizationError, type AuthorizationRequest } from './authorization-request.ts';
import { receiveAuthorizationRequest } from './receive-authorization-request.ts';

const key = testKey('ES256');
const keys = { jwks: { keys: [key.jwk] } };
const client = aRegisteredClient(keys);

const claims = (change: object = {}): object => ({
  iss: client.client_id,
  aud: ISSUER,
  exp: NOW + 60,
  ...REQUEST,
  client_id: client.client_id,
  ...change,
});

async function received(request: string, beside: object = {}): Promise<AuthorizationRequest> {
  const sent = {
    client_id: client.client_id,
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    ...beside,
    request,
  };
  return (await receiveAuthorizationRequest(aReceivingNeeds([client]), sent)).request;
}

const isRefused = (failure: unknown): boolean =>
  failure instanceof AuthorizationError && failure.code === 'invalid_request_object';

for (const typ of ['oauth-authz-req+jwt', 'JWT', undefined]) {
  // proves rfc9101-10.8-1
  test(`a request object with typ ${typ} is the request (RFC 9101 §6, OpenID Connect Core 1.0 §6.1)`, async () => {
    const request = await received(signedJwt(key, claims({ max_age: 60 }), { typ }));
    assert.equal(request.nonce, REQUEST.nonce);
    assert.equal(request.max_age, 60);
  });
}

// proves rfc9101-4-2
test('claims and resources stand in it as JSON (RFC 9101 §4)', async () => {
  const change = {
    claims: { id_token: { email: null } },
    resource: ['https://a.example', 'https://b.example'],
  };
  const request = await received(signedJwt(key, claims(change)));
  assert.deepEqual(request.claims, { userinfo: {}, id_token: { email: null } });
  assert.deepEqual(request.resource, ['https://a.example', 'https://b.example']);
});

// proves rfc9101-5-1, openid-core-6.1-1
test('what is sent beside it counts for nothing (RFC 9101 §6.3)', async () => {
  const request = await received(signedJwt(key, claims({ state: undefined })), {
    state: 'plain',
    prompt: 'none',
  });
  assert.equal(request.state, undefined);
  assert.deepEqual(request.prompt, []);
});

const stranger = testKey('ES256');
const publicText = JSON.stringify(key.jwk);

const REFUSED: Readonly<Record<string, string>> = {
  'of a stranger': signedJwt(stranger, claims()),
  unsigned: `${segment('{"alg":"none"}')}.${segment(JSON.stringify(claims()))}.`,
  'with the public key as the secret of a MAC': macJwt('HS256', publicText, claims()),
  'with a key of its own': signedJwt(stranger, claims(), { jwk: stranger.jwk }),
  'for another server': signedJwt(key, claims({ aud: 'https://other.example' })),
  'for no server': signedJwt(key, claims({ aud: undefined })),
  'of no issuer': signedJwt(key, claims({ iss: undefined })),
  'of another issuer': signedJwt(key, claims({ iss: 'https://rp.example.net' })),
  expired: signedJwt(key, claims({ exp: NOW - 3600 })),
  'not valid yet': signedJwt(key, claims({ nbf: NOW + 3600 })),
  'of another type': signedJwt(key, claims(), { typ: 'at+jwt' }),
  'of another client': signedJwt(key, claims({ client_id: 'another' })),
  'within which is a request object': signedJwt(key, claims({ request: 'a.b.c' })),
  'within which is a request_uri': signedJwt(key, claims({ request_uri: 'urn:x' })),
  'with a state that is no text': signedJwt(key, claims({ state: true })),
};

for (const [title, request] of Object.entries(REFUSED)) {
  // proves rfc9101-6.2-1, openid-core-6.1-1
  test(`a request object ${title}: invalid_request_object (RFC 9101 §6.2)`, async () => {
    await assert.rejects(received(request), isRefused);
  });
}

// proves rfc9101-6.2-1
test('only the registered algorithm signs (OpenID Connect Dynamic Client Registration 1.0 §2, request_object_signing_alg)', async () => {
  const rsa = testKey('RS256', 'r1');
  const both = aRegisteredClient({ jwks: { keys: [key.jwk, rsa.jwk] }, request_object_signing_alg: 'RS256' });
  const by = async (signer: typeof key): Promise<unknown> =>
    await receiveAuthorizationRequest(aReceivingNeeds([both]), {
      client_id: both.client_id,
      response_type: 'code',
      redirect_uri: REDIRECT_URI,
      request: signedJwt(signer, claims({ iss: both.client_id, client_id: both.client_id })),
    });
  await assert.rejects(by(key), isRefused);
  assert.ok(await by(rsa));
});

// proves rfc9101-6.1-1
test('an encrypted request object is decrypted with our key, and signed within (RFC 9101 §6.1)', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ECDH-ES', { extractable: true });
  const ours: JsonWebKey = { ...(await exportJWK(privateKey)), use: 'enc', kid: 'e1' };
  const encrypting = aRegisteredClient({ ...keys, request_object_encryption_alg: 'ECDH-ES' });
  const sealed = async (text: string): Promise<string> =>
    await new CompactEncrypt(Buffer.from(text))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A128GCM', cty: 'JWT', kid: 'e1' })
      .encrypt(publicKey);
  const send = async (request: string): Promise<AuthorizationRequest> => {
    const { client_id } = encrypting;
    const sent = { client_id, response_type: 'code', redirect_uri: REDIRECT_URI, request };
    return (await receiveAuthorizationRequest(aReceivingNeeds([encrypting], [ours]), sent)).request;
  };
  const own = { iss: encrypting.client_id, client_id: encrypting.client_id };
  assert.equal((await send(await sealed(signedJwt(key, claims(own))))).nonce, REQUEST.nonce);
  await assert.rejects(send(signedJwt(key, claims(own))), isRefused);
  await assert.rejects(send(await sealed(JSON.stringify(claims(own)))), isRefused);
  await assert.rejects(send(await sealed(signedJwt(stranger, claims(own)))), isRefused);
});
