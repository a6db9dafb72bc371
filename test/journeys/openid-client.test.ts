import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { calculateJwkThumbprint, createRemoteJWKSet, exportJWK, generateKeyPair } from 'jose';
import * as client from 'openid-client';
import { type Program, startProgram } from '../program/start.ts';
import { isRegistration, readUpdateDelete } from './client-management.ts';
import { initialAccessToken } from './initial-access-token.ts';

/** The whole story of a client as openid-client, version 6, tells it. The library refuses plain http unless told. */
const insecure = { execute: [client.allowInsecureRequests] };
const ALGORITHMS: Readonly<Record<string, string>> = {
  RSA: 'RS256',
  'P-256': 'ES256',
  'P-384': 'ES384',
  'P-521': 'ES512',
  Ed25519: 'EdDSA',
};
let program: Program;
let open: Program;
const programs: Program[] = [];

before(async () => {
  program = await startProgram({ mode: 'dev' });
  programs.push(program);
  open = await startProgram({
    mode: 'dev',
    issuerPath: '/c2',
    environment: { CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: 'true' },
  });
  programs.push(open);
});

after(async () => {
  for (const started of programs) await started.stop();
});

const KEYS = await generateKeyPair('PS256', { extractable: true });
const AUTHENTICATIONS: Readonly<Record<string, () => client.ClientAuth>> = {
  client_secret_basic: client.ClientSecretBasic,
  client_secret_post: client.ClientSecretPost,
  client_secret_jwt: client.ClientSecretJwt,
  private_key_jwt: () => client.PrivateKeyJwt(KEYS.privateKey),
};

for (const [method, authentication] of Object.entries(AUTHENTICATIONS)) {
  test(`openid-client, ${method}: discovers, registers, gets a token, introspects it, manages and deletes the client`, async () => {
    const scope = `${program.issuer}/token/introspect`;
    const metadata = {
      client_name: 'Journey',
      grant_types: ['client_credentials'],
      token_endpoint_auth_method: method,
      scope,
      ...(method === 'private_key_jwt' ? { jwks: { keys: [await exportJWK(KEYS.publicKey)] } } : {}),
    };
    const configuration = await client.dynamicClientRegistration(
      new URL(program.issuer),
      metadata,
      authentication(),
      { ...insecure, initialAccessToken: await initialAccessToken(program, ['client-reg']) },
    );
    const registered = configuration.clientMetadata();
    isRegistration(registered);
    assert.equal(registered['token_endpoint_auth_method'], method);

    const issued = await client.clientCredentialsGrant(configuration, { scope });
    assert.equal(issued.token_type, 'bearer', 'openid-client lowers the case of Bearer');
    assert.equal(issued.scope, scope);
    const introspected = await client.tokenIntrospection(configuration, issued.access_token);
    assert.equal(introspected.active, true);
    assert.equal(introspected.client_id, registered.client_id);
    assert.equal(introspected.scope, scope);
    assert.equal((await client.tokenIntrospection(configuration, `${issued.access_token}x`)).active, false);

    await readUpdateDelete(registered, metadata);
    await assert.rejects(client.clientCredentialsGrant(configuration, { scope }), { status: 401 }, 'deleted');
  });
}

// proves rfc7591-3-4, openid-registration-3-1
test('openid-client: an initial access token registers one client, the second time it is refused (RFC 6750 §3.1)', async () => {
  const token = await initialAccessToken(program, ['client-reg:grant:client']);
  const register = () =>
    client.dynamicClientRegistration(
      new URL(program.issuer),
      { grant_types: ['client_credentials'] },
      undefined,
      { ...insecure, initialAccessToken: token },
    );
  assert.ok((await register()).clientMetadata().client_id);
  await assert.rejects(register(), { status: 401 });
});

// proves rfc7591-3-3
test('openid-client, open registration under an issuer with a path: no token is needed for the code grant', async () => {
  const metadata = { redirect_uris: ['https://rp.example/cb'], client_name: 'Anyone' };
  const configuration = await client.dynamicClientRegistration(
    new URL(open.issuer),
    metadata,
    undefined,
    insecure,
  );
  const registered = configuration.clientMetadata();
  isRegistration(registered);
  assert.equal(registered.registration_client_uri, `${open.issuer}/clients/${registered.client_id}`);
  await readUpdateDelete(registered, metadata);
});

test('openid-client, open registration: a grant that needs a token is refused without one', async () => {
  await assert.rejects(
    client.dynamicClientRegistration(
      new URL(open.issuer),
      { grant_types: ['client_credentials'] },
      undefined,
      insecure,
    ),
    { status: 401 },
  );
});

test('openid-client: discovery under an issuer with a path, as OpenID Connect and as RFC 8414 §3 form it', async () => {
  for (const algorithm of ['oidc', 'oauth2'] as const) {
    const configuration = await client.discovery(new URL(open.issuer), 'any', undefined, client.None(), {
      ...insecure,
      algorithm,
    });
    assert.equal(configuration.serverMetadata().issuer, open.issuer);
    assert.equal(configuration.serverMetadata().jwks_uri, `${open.issuer}/jwks.json`);
  }
});

test("jose's remote key set reads the published one and finds each signing key by its kid, and no other", async () => {
  const remote = createRemoteJWKSet(new URL(`${open.issuer}/jwks.json`));
  await remote.reload();
  const signing = (remote.jwks()?.keys ?? []).filter(({ use }) => use === 'sig');
  assert.ok(signing.length >= 5, `found ${signing.length} signing keys`);
  for (const jwk of signing) {
    const { kid = '' } = jwk;
    const found = await exportJWK(await remote({ alg: ALGORITHMS[jwk.crv ?? jwk.kty ?? ''] ?? '', kid }));
    assert.equal(await calculateJwkThumbprint(found), kid, 'kid is the thumbprint of the key (RFC 7638)');
  }
  await assert.rejects(remote({ alg: 'ES256', kid: 'nobody' }), { code: 'ERR_JWKS_NO_MATCHING_KEY' });
});
