import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { type Program, sha256, startProgram } from '../program/start.ts';
import { call, type Registration, register } from './conformance-exchange.ts';

/** Tokens as two client libraries ask for them, use them up and end them; a second server on the database watches. */
const insecure = { [oauth.allowInsecureRequests]: true } as const;
const RESOURCE = 'https://api.example/v1';
let first: Program;
let second: Program;
let server: oauth.AuthorizationServer;
let inspector: Registration;

before(async () => {
  first = await startProgram();
  const { masterToken, directToken } = first;
  const environment = {
    CHANCERY_REGISTRATION_MASTER_TOKEN_SHA256: sha256(masterToken),
    CHANCERY_DIRECT_AUTHORIZATION_TOKEN_SHA256: sha256(directToken),
  };
  const started = await startProgram({ folder: first.folder, environment });
  second = { ...started, masterToken, directToken };
  inspector = await register(first, {
    grant_types: ['client_credentials'],
    scope: `${first.issuer}/token/introspect`,
  });
  // The issuer of a production server is an https one: what is sent to it is sent to the program's port.
  const answer = await toProgram(`${first.issuer}/.well-known/oauth-authorization-server`);
  server = await oauth.processDiscoveryResponse(new URL(first.issuer), answer);
});

after(async () => {
  await second.stop();
  await first.stop();
});

async function toProgram(address: string, options?: RequestInit): Promise<Response> {
  return await fetch(address.replace(first.issuer, first.url), options);
}

const options = {
  ...insecure,
  [oauth.customFetch]: async (address: string, request: object) => await toProgram(address, request),
};

/** Returns a server's introspection of a token. */
async function introspected(program: Program, token: string): Promise<Readonly<Record<string, unknown>>> {
  const basic = [inspector.client_id, inspector.client_secret] as const;
  const asked = { method: 'POST', path: '/token/introspect', basic, form: { token } };
  return (await call(program, asked)).json;
}

async function assertEnded(...tokens: readonly string[]): Promise<void> {
  for (const token of tokens) {
    for (const program of [second, first])
      assert.deepEqual(await introspected(program, token), { active: false });
  }
}

async function assertLive(...tokens: readonly string[]): Promise<void> {
  for (const token of tokens) {
    for (const program of [second, first]) assert.equal((await introspected(program, token))['active'], true);
  }
}

for (const format of ['identifier', 'self-contained'] as const) {
  // proves rfc7009-2.1-4, rfc8707-2-3, rfc9068-2.1-2
  test(`oauth4webapi, ${format}: client credentials for a resource (RFC 8707), then revocation (RFC 7009), which both servers know in the very next request`, async () => {
    const { client_id, client_secret } = await register(first, {
      grant_types: ['client_credentials'],
      scope: 'read',
      chancery_access_token_format: format,
    });
    const client: oauth.Client = { client_id };
    const authentication = oauth.ClientSecretBasic(client_secret);
    const parameters = new URLSearchParams([
      ['resource', RESOURCE],
      ['resource', 'urn:other'],
    ]);
    const answer = await oauth.clientCredentialsGrantRequest(
      server,
      client,
      authentication,
      parameters,
      options,
    );
    const { access_token } = await oauth.processClientCredentialsResponse(server, client, answer);
    await assertLive(access_token);
    assert.deepEqual((await introspected(second, access_token))['aud'], [RESOURCE, 'urn:other']);

    if (format === 'self-contained') {
      const keys = createRemoteJWKSet(new URL(`${first.url}/jwks.json`));
      const audience = RESOURCE;
      const { payload } = await jwtVerify(access_token, keys, {
        issuer: first.issuer,
        audience,
        typ: 'at+jwt',
      });
      assert.equal(payload['client_id'], client_id);
      const claims = await oauth.validateJwtAccessToken(
        server,
        new Request(RESOURCE, { headers: { authorization: `Bearer ${access_token}` } }),
        RESOURCE,
        options,
      );
      assert.equal(claims.sub, client_id);
    }

    const revoked = await oauth.revocationRequest(server, client, authentication, access_token, options);
    await oauth.processRevocationResponse(revoked);
    await assertEnded(access_token);
  });
}

/** An authorisation by an administrator, without the client. */
async function granted(client_id: string, wishes = {}): Promise<{ access: string; refresh: string }> {
  const json = {
    client_id,
    sub: 'alice',
    scope: ['read', 'write'],
    refresh_token: { issue: true, ...wishes },
  };
  const bearer = first.directToken;
  const answer = await call(first, { method: 'POST', path: '/direct-authz/rest/v2', bearer, json });
  assert.equal(answer.status, 200, answer.text);
  return { access: String(answer.json['access_token']), refresh: String(answer.json['refresh_token']) };
}

const WEB = {
  grant_types: ['authorization_code', 'refresh_token'],
  redirect_uris: ['https://client.example/cb'],
};

test('oauth4webapi, a public client: refreshes, gets the next refresh token, and its use of the old one ends everything on both servers (RFC 6749 §6, RFC 9700 §4.14.2)', async () => {
  const { client_id } = await register(first, { ...WEB, token_endpoint_auth_method: 'none' });
  const client: oauth.Client = { client_id };
  const { access, refresh } = await granted(client_id);
  const use = async (token: string): Promise<oauth.TokenEndpointResponse> =>
    await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, oauth.None(), token, options),
    );
  const refreshed = await use(refresh);
  const left = Number(refreshed['refresh_token_expires_in']);
  assert.ok(left > 2_592_000 - 60 && left <= 2_592_000, 'a second may pass before the answer');
  await assertLive(access, refreshed.access_token);
  await assert.rejects(use(refresh), { error: 'invalid_grant' });
  await assertEnded(access, refreshed.access_token);
  await assert.rejects(use(refreshed.refresh_token ?? ''), { error: 'invalid_grant' });
});

// proves rfc7009-2.1-5
test('openid-client: refreshes with less scope, and revokes the refresh token: the access tokens end with it, on both servers (RFC 7009 §2.1)', async () => {
  const { client_id, client_secret } = await register(first, WEB);
  const configuration = new openid.Configuration(
    { ...server, issuer: first.issuer },
    client_id,
    undefined,
    openid.ClientSecretBasic(client_secret),
  );
  configuration[openid.customFetch] = async (address, request: object) => await toProgram(address, request);
  const { access, refresh } = await granted(client_id);
  const refreshed = await openid.refreshTokenGrant(configuration, refresh, { scope: 'read' });
  assert.equal(refreshed.scope, 'read');
  assert.equal(refreshed.refresh_token, refresh, 'a client that authenticates keeps its token');
  await assertLive(access, refreshed.access_token);
  await openid.tokenRevocation(configuration, refresh);
  await assertEnded(access, refreshed.access_token);
  await assert.rejects(openid.refreshTokenGrant(configuration, refresh), { error: 'invalid_grant' });
});

// proves rfc6749-6-3
test('of fifty uses of one rotated refresh token at once, on two servers, one is answered, and then all of the grant is ended', async () => {
  const { client_id } = await register(first, { ...WEB, token_endpoint_auth_method: 'none' });
  const { access, refresh } = await granted(client_id);
  const form = { grant_type: 'refresh_token', refresh_token: refresh, client_id };
  const answers = await Promise.all(
    Array.from(
      { length: 50 },
      async (_, index) =>
        await call(index % 2 === 0 ? first : second, { method: 'POST', path: '/token', form }),
    ),
  );
  const won = answers.filter(({ status }) => status === 200);
  assert.equal(won.length, 1);
  assert.ok(answers.every(({ status, json }) => status === 200 || json['error'] === 'invalid_grant'));
  await assertEnded(access, ...won.map(({ json }) => String(json['access_token'])));
});
