import assert from 'node:assert/strict';
import { createPublicKey, sign, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { after, before, test } from 'node:test';
import {
  createEntityConfiguration,
  createEntityStatement,
  type JsonWebKey,
  resolveTrustChains,
  type SignCallback,
  type VerifyCallback,
} from '@openid-federation/core';
import { decodeJwt, type JWTPayload, SignJWT } from 'jose';
import { type TestKey, testKey } from '../../src/testing/jwt.ts';
import { listeningPort } from '../../src/testing/listening-port.ts';
import { type Program, startProgram } from '../program/start.ts';

/** A trust anchor and a relying party made with @openid-federation/core, which was written independently of this server. */
const ANCHOR = testKey('ES256', 'anchor-1');
const RP = testKey('ES256', 'rp-1');
/** Signs requests. The relying party publishes it at `signed_jwks_uri`. */
const PROTOCOL = testKey('ES256', 'rp-protocol-1');
const HOUR = 3600;
let server: Server;
let base: string;
let program: Program;
/** Makes each statement unique. */
let made = 0;

const signing =
  ({ privateKey }: TestKey): SignCallback =>
  async ({ toBeSigned }) =>
    sign('sha256', toBeSigned, { key: privateKey, dsaEncoding: 'ieee-p1363' });

/** Signs and verifies for the library, which leaves this to its user: ES256 for the relying party, RS256 for the server. */
const verifying: VerifyCallback = async ({ data, signature, jwk }) => {
  const key = createPublicKey({ key: jwk as never, format: 'jwk' });
  return verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature);
};

const jwkOf = ({ jwk }: TestKey): JsonWebKey => jwk;
/** Times as numbers. The library turns a Date into text, which is not a NumericDate (RFC 7519 §2). */
function times(): { readonly iat: number; readonly exp: number } {
  const iat = Math.floor(Date.now() / 1000);
  made += 1;
  return { iat, exp: iat + HOUR + made };
}
const anchorId = (): string => `${base}/anchor`;
const rpId = (): string => `${base}/rp`;

async function anchorConfiguration(): Promise<string> {
  return await createEntityConfiguration({
    header: { alg: 'ES256', kid: ANCHOR.kid, typ: 'entity-statement+jwt' },
    claims: {
      iss: anchorId(),
      sub: anchorId(),
      ...times(),
      jwks: { keys: [jwkOf(ANCHOR)] },
      metadata: { federation_entity: { federation_fetch_endpoint: `${anchorId()}/fetch` } },
    },
    signJwtCallback: signing(ANCHOR),
  });
}

async function aboutSubordinate(sub: string): Promise<string> {
  const configuration =
    sub === rpId() ? undefined : await (await fetch(`${sub}/.well-known/openid-federation`)).text();
  const jwks =
    configuration === undefined
      ? { keys: [jwkOf(RP)] }
      : (decodeJwt(configuration)['jwks'] as { keys: JsonWebKey[] });
  return await createEntityStatement({
    header: { alg: 'ES256', kid: ANCHOR.kid, typ: 'entity-statement+jwt' },
    jwk: jwkOf(ANCHOR),
    claims: { iss: anchorId(), sub, ...times(), jwks },
    signJwtCallback: signing(ANCHOR),
  });
}

async function rpConfiguration(more: object = {}): Promise<string> {
  return await createEntityConfiguration({
    header: { alg: 'ES256', kid: RP.kid, typ: 'entity-statement+jwt' },
    claims: {
      iss: rpId(),
      sub: rpId(),
      ...times(),
      jwks: { keys: [jwkOf(RP)] },
      authority_hints: [anchorId()],
      metadata: {
        openid_relying_party: {
          redirect_uris: ['https://rp.example/cb'],
          client_registration_types: ['explicit', 'automatic'],
          token_endpoint_auth_method: 'private_key_jwt',
          signed_jwks_uri: `${rpId()}/jwks.jwt`,
        },
      },
      ...more,
    },
    signJwtCallback: signing(RP),
  });
}

/** A JWT of the relying party, made with jose. */
async function signedWith({ privateKey, kid }: TestKey, claims: JWTPayload, header: object): Promise<string> {
  return await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid, ...header }).sign(privateKey);
}

async function signedKeySet(): Promise<string> {
  const claims = { iss: rpId(), sub: rpId(), keys: [jwkOf(PROTOCOL)] };
  return await signedWith(RP, claims, { typ: 'jwk-set+jwt' });
}

before(async () => {
  server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', base);
    if (url.pathname === '/rp/jwks.jwt') {
      void signedKeySet().then((set) =>
        response.writeHead(200, { 'content-type': 'application/jwk-set+jwt' }).end(set),
      );
      return;
    }
    const statement =
      url.pathname === '/anchor/fetch'
        ? aboutSubordinate(url.searchParams.get('sub') ?? '')
        : url.pathname.startsWith('/anchor/')
          ? anchorConfiguration()
          : rpConfiguration();
    statement.then(
      (jwt) => response.writeHead(200, { 'content-type': 'application/entity-statement+jwt' }).end(jwt),
      (failure: unknown) => response.writeHead(500).end(String(failure)),
    );
  }).listen(0, '127.0.0.1');
  base = `http://127.0.0.1:${await listeningPort(server)}`;
  program = await startProgram({
    mode: 'dev',
    environment: {
      CHANCERY_FEDERATION_ENABLED: 'true',
      CHANCERY_FEDERATION_ORGANIZATION_NAME: 'Example',
      CHANCERY_FEDERATION_AUTHORITY_HINTS: anchorId(),
      CHANCERY_FEDERATION_TRUST_ANCHORS: JSON.stringify([
        { 'entity-id': anchorId(), jwks: { keys: [ANCHOR.jwk] } },
      ]),
      CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
      CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
    },
  });
});

after(async () => {
  await program.stop();
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});

for (const [contentType, more] of [
  ['application/jose', () => ({})],
  ['application/jose; charset=UTF-8', () => ({ aud: program.issuer })],
  ['application/entity-statement+jwt', () => ({ aud: program.issuer })],
] as const) {
  test(`a relying party made with @openid-federation/core registers as ${contentType}, under an anchor made with it`, async () => {
    const response = await fetch(`${program.url}/federation/clients`, {
      method: 'POST',
      headers: { 'content-type': contentType },
      body: await rpConfiguration(more()),
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    const { aud, iss, trust_anchor } = decodeJwt(text);
    assert.deepEqual([aud, iss, trust_anchor], [rpId(), program.issuer, anchorId()]);
  });
}

// proves openid-federation-12.1.1.2-2, openid-federation-5.2.1-2
test('a relying party made with @openid-federation/core pushes a request by a request object with its trust chain alone, with keys at signed_jwks_uri', async () => {
  const trust_chain = [await rpConfiguration(), await aboutSubordinate(rpId()), await anchorConfiguration()];
  const claims = {
    iss: rpId(),
    aud: program.issuer,
    client_id: rpId(),
    exp: times().iat + 60,
    jti: 'request-1',
    response_type: 'code',
    redirect_uri: 'https://rp.example/cb',
    scope: 'openid',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  };
  const request = await signedWith(PROTOCOL, claims, { typ: 'oauth-authz-req+jwt', trust_chain });
  const body = new URLSearchParams({ client_id: rpId(), request });
  const pushed = await fetch(`${program.url}/par`, { method: 'POST', body });
  assert.equal(pushed.status, 201, await pushed.text());
});

test('@openid-federation/core resolves the trust chain of this server and its provider metadata', async () => {
  const [chain] = await resolveTrustChains({
    entityId: program.issuer,
    trustAnchorEntityIds: [anchorId()],
    verifyJwtCallback: verifying,
  });
  const provider = chain?.resolvedLeafMetadata?.openid_provider as Record<string, unknown> | undefined;
  assert.equal(provider?.['issuer'], program.issuer);
  assert.equal(provider?.['federation_registration_endpoint'], `${program.issuer}/federation/clients`);
  assert.deepEqual(provider?.['client_registration_types_supported'], ['explicit', 'automatic']);
});
