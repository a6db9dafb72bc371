import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { after, before, test } from 'node:test';
import * as oauth from 'oauth4webapi';
import { signedJwt, testKey } from '../../src/testing/jwt.ts';
import { listeningPort } from '../../src/testing/listening-port.ts';
import { assertionXml, encoded, signedXml } from '../../src/testing/saml.ts';
import { type Program, startProgram } from '../program/start.ts';
import { certificateAuthority } from '../tls/certificate.ts';
import { initialAccessToken } from './initial-access-token.ts';

/** Two identity providers, one that publishes its keys and one with a certificate, and a client of oauth4webapi. */
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const SAML2_BEARER = 'urn:ietf:params:oauth:grant-type:saml2-bearer';
const insecure = { [oauth.allowInsecureRequests]: true } as const;
const JWT_KEY = testKey('ES256', 'published');
const samlKeys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const { cert } = certificateAuthority().issue({ keys: samlKeys });
let idp: Server;
let program: Program;

before(async () => {
  idp = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/jwk-set+json' });
    response.end(JSON.stringify({ keys: [JWT_KEY.jwk] }));
  }).listen(0, '127.0.0.1');
  const port = await listeningPort(idp);
  program = await startProgram({
    mode: 'dev',
    issuerPath: '/c2',
    environment: {
      CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
      CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
      CHANCERY_OUTBOUND_PORTS: 'any',
      CHANCERY_ASSERTION_GRANTS_ISSUERS: JSON.stringify([
        {
          issuer: 'https://people.example',
          kind: 'jwt',
          'jwks-uri': `http://127.0.0.1:${port}/jwks`,
          'subject-prefix': 'people:',
          scope: ['read'],
        },
        {
          issuer: 'https://staff.example/saml',
          kind: 'saml',
          certificates: [cert],
          algorithms: ['RS256'],
          'subject-prefix': 'staff:',
          scope: ['read', 'write'],
        },
      ]),
    },
  });
});

after(async () => {
  await program.stop();
  idp.close();
});

const now = (): number => Math.floor(Date.now() / 1000);

function jwtAssertion(): string {
  return signedJwt(JWT_KEY, {
    iss: 'https://people.example',
    sub: 'alice',
    aud: program.issuer,
    iat: now(),
    exp: now() + 60,
    jti: randomBytes(16).toString('hex'),
  });
}

function samlAssertion(): string {
  const { issuer } = program;
  const site = {
    issuer: 'https://staff.example/saml',
    audience: issuer,
    recipient: `${issuer}/token`,
    now: now(),
  };
  const id = `_${randomBytes(16).toString('hex')}`;
  return encoded(signedXml({ algorithm: 'RS256', ...samlKeys }, assertionXml(site, { id })));
}

const ROWS = [
  [JWT_BEARER, 'client-reg:grant:jwt', jwtAssertion, 'people:alice', 'read'],
  [SAML2_BEARER, 'client-reg:grant:saml', samlAssertion, 'staff:alice', 'read write'],
] as const;

for (const [grant, privilege, assertion, sub, scope] of ROWS) {
  // proves rfc7521-4.1-2, rfc7522-2.1-1, rfc7523-2.1-1
  test(`oauth4webapi, ${grant}: registers with ${privilege}, trades an assertion for a token once, introspects it`, async () => {
    const found = await oauth.discoveryRequest(new URL(program.issuer), { algorithm: 'oauth2', ...insecure });
    const server = await oauth.processDiscoveryResponse(new URL(program.issuer), found);
    assert.ok(server.grant_types_supported?.includes(grant));
    const introspectionScope = `${program.issuer}/token/introspect`;
    const client = await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(
        server,
        { grant_types: [grant], scope: `read write ${introspectionScope}` },
        {
          initialAccessToken: await initialAccessToken(program, [privilege, 'client-reg:scope']),
          ...insecure,
        },
      ),
    );
    const { client_secret } = client;
    assert.ok(typeof client_secret === 'string');
    const authentication = oauth.ClientSecretBasic(client_secret);
    const trade = async (parameters: Readonly<Record<string, string>>) =>
      await oauth.processGenericTokenEndpointResponse(
        server,
        client,
        await oauth.genericTokenEndpointRequest(server, client, authentication, grant, parameters, insecure),
      );
    const parameters = { assertion: assertion() };
    const issued = await trade(parameters);
    assert.equal(issued.token_type, 'bearer');
    assert.equal(issued.scope, scope);
    assert.equal(issued.refresh_token, undefined);
    const introspected = await oauth.processIntrospectionResponse(
      server,
      client,
      await oauth.introspectionRequest(server, client, authentication, issued.access_token, insecure),
    );
    assert.deepEqual(
      {
        active: introspected.active,
        sub: introspected.sub,
        scope: introspected.scope,
        client: introspected.client_id,
      },
      { active: true, sub, scope, client: client.client_id },
    );
    await assert.rejects(trade(parameters), { error: 'invalid_grant' });
    await assert.rejects(trade({ assertion: assertion(), scope: introspectionScope }), {
      error: 'invalid_scope',
    });
    assert.equal((await trade({ assertion: assertion(), scope: 'read' })).scope, 'read');
  });
}

test('a grant without a configured issuer is not named in discovery, and is 400 unsupported_grant_type (RFC 8414 §2)', async () => {
  const plain = await startProgram();
  try {
    const answer = await fetch(`${plain.url}/.well-known/oauth-authorization-server`);
    const { grant_types_supported } = (await answer.json()) as { grant_types_supported: readonly string[] };
    for (const [grant] of ROWS) assert.equal(grant_types_supported.includes(grant), false);
  } finally {
    await plain.stop();
  }
});
