import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { compactDecrypt, exportJWK, generateKeyPair } from 'jose';
import * as oauth from 'oauth4webapi';
import { type Program, startProgram } from '../program/start.ts';
import { isRegistration, readUpdateDelete } from './client-management.ts';
import { initialAccessToken } from './initial-access-token.ts';

/** The same story as oauth4webapi tells it, request by request. The library refuses plain http unless told. */
const insecure = { [oauth.allowInsecureRequests]: true } as const;
const KEYS = await oauth.generateKeyPair('ES256', { extractable: true });
const AUTHENTICATIONS: Readonly<Record<string, (secret: string) => oauth.ClientAuth>> = {
  client_secret_basic: oauth.ClientSecretBasic,
  client_secret_post: oauth.ClientSecretPost,
  client_secret_jwt: oauth.ClientSecretJwt,
  private_key_jwt: () => oauth.PrivateKeyJwt(KEYS.privateKey),
};
let managed: Program;
let open: Program;
const programs: Program[] = [];

before(async () => {
  managed = await startProgram({ mode: 'dev', issuerPath: '/c2' });
  programs.push(managed);
  open = await startProgram({
    mode: 'dev',
    environment: { CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: 'true' },
  });
  programs.push(open);
});

after(async () => {
  for (const program of programs) await program.stop();
});

async function discover(
  { issuer }: Program,
  algorithm: 'oidc' | 'oauth2',
): Promise<oauth.AuthorizationServer> {
  const answer = await oauth.discoveryRequest(new URL(issuer), { algorithm, ...insecure });
  return await oauth.processDiscoveryResponse(new URL(issuer), answer);
}

async function register(
  server: oauth.AuthorizationServer,
  metadata: Partial<oauth.Client>,
  token?: string,
): Promise<oauth.OmitSymbolProperties<oauth.Client>> {
  const answer = await oauth.dynamicClientRegistrationRequest(server, metadata, {
    ...insecure,
    ...(token === undefined ? {} : { initialAccessToken: token }),
  });
  return await oauth.processDynamicClientRegistrationResponse(answer);
}

for (const [method, authenticationWith] of Object.entries(AUTHENTICATIONS)) {
  test(`oauth4webapi, ${method}: discovers, registers, gets a token, introspects it, manages and deletes the client`, async () => {
    const server = await discover(managed, 'oauth2');
    const scope = `${managed.issuer}/token/introspect`;
    const keys = method === 'private_key_jwt' ? { jwks: { keys: [await exportJWK(KEYS.publicKey)] } } : {};
    const metadata = {
      grant_types: ['client_credentials'],
      token_endpoint_auth_method: method,
      scope,
      ...keys,
    };
    const token = await initialAccessToken(managed, ['client-reg:grant:client', 'client-reg:scope']);
    const client = await register(server, metadata, token);
    isRegistration(client);
    assert.deepEqual(client['response_types'], []);
    const authentication = authenticationWith(client.client_secret ?? '');

    const issued = await oauth.processClientCredentialsResponse(
      server,
      client,
      await oauth.clientCredentialsGrantRequest(server, client, authentication, { scope }, insecure),
    );
    const introspect = async (accessToken: string) =>
      await oauth.processIntrospectionResponse(
        server,
        client,
        await oauth.introspectionRequest(server, client, authentication, accessToken, insecure),
      );
    const active = await introspect(issued.access_token);
    assert.deepEqual(
      {
        active: active.active,
        client_id: active.client_id,
        scope: active.scope,
        token_type: active.token_type,
      },
      { active: true, client_id: client.client_id, scope, token_type: 'Bearer' },
    );
    assert.deepEqual(await introspect('junk'), { active: false });

    await readUpdateDelete(client, metadata);
    const refused = await oauth.introspectionRequest(server, client, authentication, 'junk', insecure);
    await assert.rejects(oauth.processIntrospectionResponse(server, client, refused), { status: 401 });
  });
}

for (const [alg, encryption] of [
  ['RS256', undefined],
  ['ES256', undefined],
  ['PS256', 'RSA-OAEP-256'],
  ['EdDSA', 'ECDH-ES'],
] as const) {
  // proves rfc9701-4-1, rfc9701-5-6, rfc9701-7-1
  test(`oauth4webapi, introspection as a JWT, ${alg}${encryption === undefined ? '' : ` inside ${encryption}`}: validated with the published keys (RFC 9701 §5)`, async () => {
    const server = await discover(managed, 'oauth2');
    assert.ok(server.introspection_signing_alg_values_supported?.includes(alg));
    const scope = `${managed.issuer}/token/introspect`;
    const token = await initialAccessToken(managed, ['client-reg:grant:client', 'client-reg:scope']);
    const receiving = encryption === undefined ? undefined : await generateKeyPair(encryption);
    const client = await register(
      server,
      {
        grant_types: ['client_credentials'],
        scope,
        introspection_signed_response_alg: alg,
        ...(receiving === undefined
          ? {}
          : {
              introspection_encrypted_response_alg: encryption ?? '',
              jwks: { keys: [{ ...(await exportJWK(receiving.publicKey)), use: 'enc', kid: 'e1' }] },
            }),
      },
      token,
    );
    isRegistration(client);
    const authentication = oauth.ClientSecretBasic(client.client_secret ?? '');
    const issued = await oauth.processClientCredentialsResponse(
      server,
      client,
      await oauth.clientCredentialsGrantRequest(server, client, authentication, { scope }, insecure),
    );
    const decrypt =
      receiving === undefined
        ? {}
        : {
            [oauth.jweDecrypt]: async (jwe: string) =>
              Buffer.from((await compactDecrypt(jwe, receiving.privateKey)).plaintext).toString(),
          };
    const introspect = async (accessToken: string) => {
      const options = { ...insecure, requestJwtResponse: true };
      const answer = await oauth.introspectionRequest(server, client, authentication, accessToken, options);
      assert.equal(answer.headers.get('content-type'), 'application/token-introspection+jwt');
      const read = await oauth.processIntrospectionResponse(server, client, answer, decrypt);
      await oauth.validateApplicationLevelSignature(server, answer, insecure);
      return read;
    };
    const active = await introspect(issued.access_token);
    assert.deepEqual([active.active, active.client_id, active.scope], [true, client.client_id, scope]);
    assert.deepEqual(await introspect('junk'), { active: false });
  });
}

// proves openid-registration-3-1
test('oauth4webapi: parallel registrations with one initial access token make one client', async () => {
  const server = await discover(managed, 'oidc');
  const token = await initialAccessToken(managed, ['client-reg']);
  const attempts = Array.from({ length: 8 }, () =>
    register(server, { grant_types: ['client_credentials'] }, token),
  );
  const outcomes = await Promise.allSettled(attempts);
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') assert.equal((outcome.reason as { status?: number }).status, 401);
  }
});

// proves openid-registration-3-2
test('oauth4webapi, open registration: anyone registers for the code grant, and manages the registration', async () => {
  const server = await discover(open, 'oidc');
  const metadata = { redirect_uris: ['https://rp.example/cb'] };
  const client = await register(server, metadata);
  isRegistration(client);
  assert.deepEqual(client['grant_types'], ['authorization_code']);
  await readUpdateDelete(client, metadata);
});

test('oauth4webapi, open registration: client_credentials needs a token, and a token opens it', async () => {
  const server = await discover(open, 'oauth2');
  const metadata = { grant_types: ['client_credentials'] };
  await assert.rejects(register(server, metadata), { status: 401 });
  const token = await initialAccessToken(open, ['client-reg:grant:client']);
  assert.ok((await register(server, metadata, token)).client_id);
});

test('discovery at all three addresses under an issuer with a path: the same metadata (RFC 8414 §3.1, OpenID Connect Discovery 1.0 §4)', async () => {
  const { origin } = new URL(managed.issuer);
  const addresses = [
    `${managed.issuer}/.well-known/openid-configuration`,
    `${managed.issuer}/.well-known/oauth-authorization-server`,
    `${origin}/.well-known/oauth-authorization-server/c2`,
  ];
  const documents = await Promise.all(
    addresses.map(async (address) => {
      const answer = await fetch(address);
      assert.equal(answer.status, 200, address);
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
      return (await answer.json()) as Record<string, unknown>;
    }),
  );
  for (const document of documents) {
    assert.equal(document['issuer'], managed.issuer);
    assert.equal(document['registration_endpoint'], `${managed.issuer}/register`);
    assert.deepEqual(document, documents[0]);
  }
  assert.equal((await fetch(`${origin}/.well-known/oauth-authorization-server`)).status, 404);
  assert.equal((await fetch(`${origin}/.well-known/openid-configuration`)).status, 404);
});
