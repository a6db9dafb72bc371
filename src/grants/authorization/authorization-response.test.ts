import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { aRegisteredClient, ISSUER, NOW } from '../../testing/authorization-requests.ts';
import type { ResponseMode, ResponseTarget } from './authorization-request.ts';
import { type AuthorizationResponse, authorizationResponse } from './authorization-response.ts';

const client = aRegisteredClient();
const METADATA = JSON.parse(client.metadata) as ClientMetadata;

/** Signs nothing: shows what would be signed. */
const needs = {
  issuer: ISSUER,
  now: NOW,
  clientJwts: {
    keys: {
      canSign: () => true,
      beginToSign: async (claims: object, header: object) => ({
        jwt: Promise.resolve(JSON.stringify({ header, claims })),
      }),
    },
    encrypter: { encrypt: async () => assert.fail('nothing is encrypted here') },
    jwkSets: { verifyWith: async () => assert.fail(), find: async () => assert.fail() },
  },
};

async function response(
  response_mode: ResponseMode,
  redirect_uri: string,
  state?: string,
): Promise<AuthorizationResponse> {
  const { client_id, instance: client_instance } = client;
  const target: ResponseTarget = {
    client_id,
    client_instance,
    redirect_uri,
    response_mode,
    ...(state === undefined ? {} : { state }),
  };
  return await authorizationResponse(needs, target, METADATA, { code: 'a b', id_token: undefined });
}

const REDIRECTS: readonly (readonly [mode: ResponseMode, redirect_uri: string, location: string])[] = [
  [
    'query',
    'https://rp.example/cb',
    'https://rp.example/cb?code=a+b&state=Ss%26%23%0D%0A&iss=https%3A%2F%2Fop.example.com',
  ],
  [
    'query',
    'https://rp.example/cb?x=1',
    'https://rp.example/cb?x=1&code=a+b&state=Ss%26%23%0D%0A&iss=https%3A%2F%2Fop.example.com',
  ],
  [
    'query',
    'https://rp.example/cb?',
    'https://rp.example/cb?code=a+b&state=Ss%26%23%0D%0A&iss=https%3A%2F%2Fop.example.com',
  ],
  [
    'fragment',
    'https://rp.example/cb?x=1',
    'https://rp.example/cb?x=1#code=a+b&state=Ss%26%23%0D%0A&iss=https%3A%2F%2Fop.example.com',
  ],
  [
    'query',
    'com.example.app:/cb',
    'com.example.app:/cb?code=a+b&state=Ss%26%23%0D%0A&iss=https%3A%2F%2Fop.example.com',
  ],
];

for (const [mode, redirect_uri, location] of REDIRECTS) {
  // proves rfc6749-3.1.2-2, rfc9207-2-1
  test(`${mode} to ${redirect_uri}: encoded, with state and iss, the registered text intact (RFC 6749 §4.1.2, RFC 9207 §2)`, async () => {
    assert.deepEqual(await response(mode, redirect_uri, 'Ss&#\r\n'), { kind: 'redirect', location });
  });
}

test('form_post: the parameters are those of a form (OAuth 2.0 Form Post Response Mode §2)', async () => {
  assert.deepEqual(await response('form_post', 'https://rp.example/cb', 'aF0'), {
    kind: 'form-post',
    action: 'https://rp.example/cb',
    parameters: [
      ['code', 'a b'],
      ['state', 'aF0'],
      ['iss', ISSUER],
    ],
  });
});

for (const mode of ['query.jwt', 'fragment.jwt', 'form_post.jwt'] as const) {
  // proves jarm-2.1-1
  test(`${mode}: all of it is in one JWT for the client, which expires (JARM §2.1)`, async () => {
    const answered = await response(mode, 'https://rp.example/cb', 'aF0');
    const text =
      answered.kind === 'redirect'
        ? new URLSearchParams(answered.location.split(/[?#]/)[1]).get('response')
        : answered.parameters[0]?.[1];
    assert.deepEqual(JSON.parse(text ?? ''), {
      header: { alg: 'RS256', typ: 'JWT' },
      claims: { code: 'a b', state: 'aF0', iss: ISSUER, aud: client.client_id, exp: NOW + 600 },
    });
  });
}
