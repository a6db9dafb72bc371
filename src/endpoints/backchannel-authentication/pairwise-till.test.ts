import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CIBA_GRANT, CIBA_ON, TILL } from '../../testing/backchannel.ts';
import { documentHost } from '../../testing/client-documents.ts';
import { type Answer, assertError } from '../../testing/exchange.ts';
import { MASTER, testTenant } from '../../testing/tenant.ts';

const KEYS = 'https://till.example/jwks.json';
const SECTOR = 'https://sector.example/uris.json';
const NOTIFIED = 'https://till.example/ciba';
const PROVEN = { ...TILL, subject_type: 'pairwise', token_endpoint_auth_method: 'private_key_jwt' };
const PUSHED = {
  ...TILL,
  grant_types: [CIBA_GRANT],
  subject_type: 'pairwise',
  backchannel_token_delivery_mode: 'push',
  backchannel_client_notification_endpoint: NOTIFIED,
};

/** The document of the sector lists these. */
async function register(json: object, listed: readonly string[] = []): Promise<Answer> {
  const { outbound } = documentHost({ [SECTOR]: listed });
  return await testTenant({ settings: CIBA_ON, outbound }).send('client-registration', {
    bearer: MASTER,
    json,
  });
}

const ACCEPTED: Readonly<Record<string, readonly [metadata: object, listed?: readonly string[]]>> = {
  'the host of jwks_uri is the sector of a client that polls': [{ ...PROVEN, jwks_uri: KEYS }],
  'redirect_uris and jwks_uri have one host': [
    { ...PROVEN, jwks_uri: KEYS, redirect_uris: ['https://till.example/cb'] },
  ],
  'sector_identifier_uri lists jwks_uri': [
    { ...PROVEN, jwks_uri: KEYS, sector_identifier_uri: SECTOR },
    [KEYS, 'https://other.example/cb'],
  ],
  'signed requests prove the keys': [
    {
      ...PROVEN,
      jwks_uri: KEYS,
      token_endpoint_auth_method: 'client_secret_basic',
      backchannel_authentication_request_signing_alg: 'ES256',
    },
  ],
  'the host that gets pushed tokens is the sector': [PUSHED],
  'sector_identifier_uri lists the address of push': [
    { ...PUSHED, sector_identifier_uri: SECTOR },
    [NOTIFIED],
  ],
};

for (const [what, [metadata, listed]] of Object.entries(ACCEPTED)) {
  // proves ciba-4-4, ciba-4-5
  test(`a pairwise client for CIBA: ${what} (OpenID Connect CIBA Core 1.0 §4)`, async () => {
    const { status, body } = await register(metadata, listed);
    assert.equal(status, 200, body);
  });
}

const VICTIM = { redirect_uris: ['https://victim.example/cb'] };
const REFUSED: Readonly<
  Record<string, readonly [metadata: object, words: RegExp, listed?: readonly string[]]>
> = {
  'redirection URIs of another client, and a secret': [
    { ...PROVEN, ...VICTIM, token_endpoint_auth_method: 'client_secret_basic' },
    /requires jwks_uri/,
  ],
  'redirection URIs of another client, and keys of its own': [
    { ...PROVEN, ...VICTIM, jwks_uri: KEYS },
    /requires redirect_uris and jwks_uri with one host, or sector_identifier_uri/,
  ],
  'jwks_uri of another client, and a secret': [
    {
      ...PROVEN,
      jwks_uri: 'https://victim.example/jwks.json',
      token_endpoint_auth_method: 'client_secret_basic',
    },
    /requires token_endpoint_auth_method private_key_jwt/,
  ],
  'a sector that does not list its jwks_uri': [
    { ...PROVEN, jwks_uri: KEYS, sector_identifier_uri: SECTOR },
    /sector_identifier_uri does not list jwks_uri/,
    ['https://victim.example/jwks.json'],
  ],
  'a sector that does not list where its tokens go': [
    { ...PUSHED, sector_identifier_uri: SECTOR },
    /sector_identifier_uri does not list backchannel_client_notification_endpoint/,
    ['https://victim.example/ciba'],
  ],
};

for (const [what, [metadata, words, listed]] of Object.entries(REFUSED)) {
  // proves ciba-4-4, ciba-4-5
  test(`H-726 a pairwise client for CIBA with ${what} is refused, and sees no subjects of that one (OpenID Connect CIBA Core 1.0 §4)`, async () => {
    const answer = await register(metadata, listed);
    assertError(answer, 'invalid_client_metadata');
    assert.match(answer.body, words);
  });
}
