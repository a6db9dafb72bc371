import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentHost } from '../../testing/client-documents.ts';
import { DEVICE_GRANT } from '../../testing/device.ts';
import { type Answer, assertError } from '../../testing/exchange.ts';
import { testKey } from '../../testing/jwt.ts';
import { MASTER, testTenant } from '../../testing/tenant.ts';

const KEYS = 'https://tv.example/jwks.json';
const SECTOR = 'https://victim.example/uris.json';
const VICTIM = 'https://victim.example/cb';

/** A device with pairwise subjects that proves its keys. */
const PROVEN = {
  grant_types: [DEVICE_GRANT],
  subject_type: 'pairwise',
  token_endpoint_auth_method: 'private_key_jwt',
  jwks_uri: KEYS,
};
const BROWSER_TOO = [DEVICE_GRANT, 'authorization_code'];

/** The document of the sector lists these. */
async function register(json: object, listed: readonly string[] = []): Promise<Answer> {
  const { outbound } = documentHost({ [SECTOR]: listed });
  return await testTenant({ outbound }).send('client-registration', { bearer: MASTER, json });
}

const ACCEPTED: Readonly<Record<string, readonly [metadata: object, listed?: readonly string[]]>> = {
  'the host of jwks_uri is the sector of a client without redirection URIs': [PROVEN],
  'redirect_uris and jwks_uri have one host': [
    { ...PROVEN, grant_types: BROWSER_TOO, redirect_uris: ['https://tv.example/cb'] },
  ],
  'sector_identifier_uri lists redirect_uris and jwks_uri': [
    { ...PROVEN, grant_types: BROWSER_TOO, redirect_uris: [VICTIM], sector_identifier_uri: SECTOR },
    [KEYS, VICTIM],
  ],
};

for (const [what, [metadata, listed]] of Object.entries(ACCEPTED))
  test(`a pairwise client for devices: ${what} (OpenID Connect Core 1.0 §8.1)`, async () => {
    const { status, body } = await register(metadata, listed);
    assert.equal(status, 200, body);
  });

const REFUSED: Readonly<
  Record<string, readonly [metadata: object, words: RegExp, listed?: readonly string[]]>
> = {
  'redirection URIs of another client, and a secret': [
    {
      ...PROVEN,
      grant_types: BROWSER_TOO,
      token_endpoint_auth_method: 'client_secret_basic',
      jwks_uri: undefined,
      redirect_uris: [VICTIM],
    },
    /requires jwks_uri for the grant type urn:ietf:params:oauth:grant-type:device_code/,
  ],
  'redirection URIs of another client, and no authentication': [
    {
      ...PROVEN,
      grant_types: BROWSER_TOO,
      token_endpoint_auth_method: 'none',
      jwks_uri: undefined,
      redirect_uris: [VICTIM],
    },
    /requires jwks_uri/,
  ],
  'redirection URIs of another client, and keys of its own': [
    { ...PROVEN, grant_types: BROWSER_TOO, redirect_uris: [VICTIM] },
    /requires redirect_uris and jwks_uri with one host, or sector_identifier_uri/,
  ],
  'keys of its own that no address shows': [
    {
      ...PROVEN,
      grant_types: BROWSER_TOO,
      redirect_uris: [VICTIM],
      jwks_uri: undefined,
      jwks: { keys: [testKey('ES256').jwk] },
    },
    /requires jwks_uri/,
  ],
  'jwks_uri of another client, and a secret': [
    {
      ...PROVEN,
      token_endpoint_auth_method: 'client_secret_basic',
      jwks_uri: 'https://victim.example/jwks.json',
    },
    /requires token_endpoint_auth_method private_key_jwt or self_signed_tls_client_auth for the grant type/,
  ],
  'the sector of another client, and no address of its own': [
    {
      ...PROVEN,
      token_endpoint_auth_method: 'client_secret_basic',
      jwks_uri: undefined,
      sector_identifier_uri: SECTOR,
    },
    /requires jwks_uri/,
    [VICTIM],
  ],
  'the sector of another client, and keys that it does not list': [
    { ...PROVEN, sector_identifier_uri: SECTOR },
    /sector_identifier_uri does not list jwks_uri/,
    [VICTIM],
  ],
};

for (const [what, [metadata, words, listed]] of Object.entries(REFUSED))
  test(`H-730 a pairwise client for devices with ${what} is refused, and sees no subjects of that one (OpenID Connect Core 1.0 §8.1)`, async () => {
    const answer = await register(metadata, listed);
    assertError(answer, 'invalid_client_metadata');
    assert.match(answer.body, words);
  });

test('H-730 a sector is refused for a client that has no address to be listed there (OpenID Connect Core 1.0 §8.1)', async () => {
  const service = { grant_types: ['password'], response_types: [], subject_type: 'pairwise' };
  const answer = await register({ ...service, sector_identifier_uri: SECTOR }, [VICTIM]);
  assertError(answer, 'invalid_client_metadata', /requires redirect_uris/);
});
