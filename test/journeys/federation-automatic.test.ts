import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { signedJwt, type TestKey, testKey } from '../../src/testing/jwt.ts';
import { type Authorities, type Entity, startAuthorities } from '../federation/authorities.ts';
import { developer } from '../program/developer.ts';
import { type PlainBrowser, plainBrowser, type Visit } from '../program/plain-browser.ts';
import { type Program, startProgram } from '../program/start.ts';

/** Signs in at a relying party that never registers: its entity identifier is its client_id (OpenID Federation 1.0 §12.1). */
const KEY: TestKey = testKey('ES256', 'rp-protocol-1');
const OTHER_KEY: TestKey = testKey('ES256', 'rp-protocol-1');
const CALLBACK = 'https://rp.example/cb';
const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
let authorities: Authorities;
let anchor: Entity;
let rp: Entity;
let program: Program;
let account: { readonly username: string; readonly password: string };
let made = 0;

before(async () => {
  authorities = await startAuthorities();
  anchor = authorities.entity('anchor');
  anchor.publish([]);
  program = await startProgram({
    mode: 'dev',
    environment: {
      CHANCERY_FEDERATION_ENABLED: 'true',
      CHANCERY_FEDERATION_TRUST_ANCHORS: JSON.stringify([
        { 'entity-id': anchor.id, jwks: { keys: [anchor.key.jwk] } },
      ]),
      CHANCERY_FEDERATION_STATEMENT_CACHE: '0',
      CHANCERY_FEDERATION_FAILURE_CACHE: '0',
      CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
      CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
    },
  });
  account = await developer(program);
});

after(async () => {
  await program.stop();
  await authorities.close();
});

/** Creates a relying party that the server does not know, for each test. */
beforeEach(() => {
  made += 1;
  rp = authorities.entity(`rp-${made}`);
  publish({});
  anchor.vouch(rp);
});

function publish(metadata: object): void {
  const openid_relying_party = {
    redirect_uris: [CALLBACK],
    client_registration_types: ['automatic'],
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [KEY.jwk] },
    ...metadata,
  };
  rp.publish([anchor], { metadata: { openid_relying_party } });
}

const now = (): number => Math.floor(Date.now() / 1000);
const jti = (): string => {
  made += 1;
  return `jti-${made}`;
};

const parametersOf = (): Record<string, string> => ({
  response_type: 'code',
  client_id: rp.id,
  redirect_uri: CALLBACK,
  scope: 'openid',
  state: 'state',
  nonce: 'nonce',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
});

function requestObject(claims: object = {}, key: TestKey = KEY): string {
  const own = { iss: rp.id, aud: program.issuer, exp: now() + 60, jti: jti(), ...parametersOf() };
  return signedJwt(key, { ...own, ...claims }, { typ: 'oauth-authz-req+jwt' });
}

const assertionOf = (key: TestKey = KEY): string =>
  signedJwt(key, { iss: rp.id, sub: rp.id, aud: program.issuer, exp: now() + 60, jti: jti() });

const authorizeUrl = (more: Readonly<Record<string, string>>): string =>
  `${program.issuer}/authorize?${new URLSearchParams({ client_id: rp.id, ...more }).toString()}`;

async function through(browser: PlainBrowser, url: string): Promise<Visit> {
  let page = await browser.open(url);
  if (page.html.includes('name="password"')) page = await browser.submit(page, 'sign-in', account);
  if (page.html.includes('value="allow"')) page = await browser.submit(page, 'allow');
  return page;
}

async function redeemed({ location = '' }: Visit): Promise<Response> {
  return await fetch(`${program.issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: new URL(location).searchParams.get('code') ?? '',
      redirect_uri: CALLBACK,
      code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      client_assertion_type: ASSERTION,
      client_assertion: assertionOf(),
    }),
  });
}

async function push(parameters: Readonly<Record<string, string>>, key: TestKey = KEY): Promise<Response> {
  const authentication = { client_assertion_type: ASSERTION, client_assertion: assertionOf(key) };
  const body = new URLSearchParams({ ...parameters, ...authentication });
  return await fetch(`${program.issuer}/par`, { method: 'POST', body });
}

/** Asserts that the end-user sees a page and is not redirected to an address outside the trust chain (§12.1). */
function assertStopped(page: Visit, status: number, words: RegExp): void {
  assert.equal(page.location, undefined);
  assert.equal(page.status, status, page.html);
  assert.match(page.html, words);
}

// proves openid-federation-12.1.1.1-1
test('openid-federation-automatic-client-registration-with-jar-and-get: the end-user signs in and the client gets tokens', async () => {
  const answered = await through(plainBrowser(program.issuer), authorizeUrl({ request: requestObject() }));
  const tokens = await redeemed(answered);
  assert.equal(tokens.status, 200, await tokens.clone().text());
  const { id_token } = (await tokens.json()) as { id_token: string };
  const claims = JSON.parse(Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString()) as {
    aud: unknown;
  };
  assert.deepEqual([claims.aud].flat(), [rp.id]);
});

// proves openid-federation-12.1.1.1-1
test('openid-federation-automatic-client-registration-with-jar-and-post: a POST to the authorisation endpoint gives a code', async () => {
  const browser = plainBrowser(program.issuer);
  const form = { client_id: rp.id, request: requestObject() };
  let page = await browser.open(`${program.issuer}/authorize`, form);
  page = await browser.submit(page, 'sign-in', account);
  if (page.html.includes('value="allow"')) page = await browser.submit(page, 'allow');
  assert.equal((await redeemed(page)).status, 200);
});

// proves openid-federation-12.1.1.2-1
test('openid-federation-automatic-client-registration-with-par: private_key_jwt at the PAR endpoint replaces the signature of the request', async () => {
  const pushed = await push(parametersOf());
  assert.equal(pushed.status, 201, await pushed.clone().text());
  const { request_uri } = (await pushed.json()) as { request_uri: string };
  const answered = await through(plainBrowser(program.issuer), authorizeUrl({ request_uri }));
  assert.equal((await redeemed(answered)).status, 200);
});

// proves openid-federation-12.1.1.1-1
test('a request that is neither signed nor pushed causes no fetch and is rejected, also for a registered client (§12.1.1)', async () => {
  const before = authorities.asked.length;
  assertStopped(await plainBrowser(program.issuer).open(authorizeUrl(parametersOf())), 400, /./);
  assert.equal(authorities.asked.length, before);
  await plainBrowser(program.issuer).open(authorizeUrl({ request: requestObject() }));
  const { location = '' } = await plainBrowser(program.issuer).open(authorizeUrl(parametersOf()));
  assert.equal(new URL(location).searchParams.get('error'), 'invalid_request');
});

const REFUSED: readonly (readonly [module: string, request: () => string])[] = [
  ['missing-request-object-aud', () => requestObject({ aud: undefined })],
  ['request-object-aud', () => requestObject({ aud: 'https://other.example' })],
  ['missing-request-object-exp', () => requestObject({ exp: undefined })],
  ['request-object-exp', () => requestObject({ exp: now() - 300 })],
  ['missing-request-object-iss', () => requestObject({ iss: undefined })],
  ['request-object-iss', () => requestObject({ iss: 'https://other.example' })],
  ['missing-request-object-jti', () => requestObject({ jti: undefined })],
  ['request-object-sub', () => requestObject({ sub: rp.id })],
  ['client-id-in-request-object', () => requestObject({ client_id: 'https://other.example' })],
  ['signature-on-request-object', () => `${requestObject().slice(0, -8)}AAAAAAAA`],
  ['signature-with-other-keys-on-request-object', () => requestObject({}, OTHER_KEY)],
];
for (const [module, request] of REFUSED) {
  // proves openid-federation-12.1.1.1-1
  test(`openid-federation-automatic-client-registration-invalid-${module}: the server rejects it without a sign-in page`, async () => {
    const page = await plainBrowser(program.issuer).open(authorizeUrl({ request: request() }));
    assert.doesNotMatch(page.html, /name="password"/);
    assert.equal(page.location === undefined || page.location.includes('error=invalid_request_object'), true);
  });
}

// proves openid-federation-12.1.1.1-1
test('aud of a request object: this server alone, as a string or in an array, and no other server (§12.1.1.1; decision 45)', async () => {
  const sent = async (aud: readonly string[]): Promise<Visit> =>
    await plainBrowser(program.issuer).open(authorizeUrl({ request: requestObject({ aud }) }));
  assert.match((await sent([program.issuer])).html, /name="password"/);
  assert.doesNotMatch((await sent([program.issuer, 'https://other.example'])).html, /name="password"/);
});

// proves openid-federation-12.1.1.1-1
test('openid-federation-automatic-client-registration-invalid-duplicate-request-object-jti: a request object is accepted once', async () => {
  const url = authorizeUrl({ request: requestObject() });
  assert.match((await plainBrowser(program.issuer).open(url)).html, /name="password"/);
  assert.doesNotMatch((await plainBrowser(program.issuer).open(url)).html, /name="password"/);
});

const UNTRUSTED: readonly (readonly [name: string, arrange: () => void, words: RegExp])[] = [
  [
    'unknown to every superior',
    () =>
      authorities.answer(`/anchor/fetch?sub=${encodeURIComponent(rp.id)}`, (response) =>
        response.writeHead(404).end(),
      ),
    /fetch_/,
  ],
  ['whose superior states other keys', () => anchor.vouch({ ...rp, key: OTHER_KEY }), /chain_signature/],
  [
    'that supports explicit registration only',
    () => publish({ client_registration_types: ['explicit'] }),
    /client_registration_types/,
  ],
  [
    'that asks for a secret',
    () => publish({ token_endpoint_auth_method: 'client_secret_basic' }),
    /metadata_not_allowed/,
  ],
  ['without keys', () => publish({ token_endpoint_auth_method: 'none' }), /metadata_not_allowed/],
  [
    'with a privilege that federated clients do not have',
    () => publish({ grant_types: ['client_credentials'] }),
    /metadata_not_allowed/,
  ],
];
for (const [name, arrange, words] of UNTRUSTED) {
  // proves openid-federation-12.1.2-1
  test(`an entity ${name} gets the reason without a redirection, also at the PAR endpoint (§12.1)`, async () => {
    arrange();
    assertStopped(
      await plainBrowser(program.issuer).open(authorizeUrl({ request: requestObject() })),
      400,
      /./,
    );
    const pushed = await push(parametersOf());
    const { error_description } = (await pushed.json()) as { error_description: string };
    assert.equal(pushed.status, 400);
    assert.match(error_description, words);
  });
}

test('twenty parallel first requests resolve the entity once', async () => {
  const before = authorities.asked.length;
  const requests = Array.from({ length: 20 }, async () => await push(parametersOf()));
  assert.deepEqual(new Set((await Promise.all(requests)).map(({ status }) => status)), new Set([201]));
  const asked = authorities.asked.slice(before).filter((path) => path.startsWith(`/${rp.name}/`));
  assert.equal(asked.length, 1);
});

// proves openid-federation-12.1.1.2-1
test('a request pushed with another key than the entity’s is rejected', async () => {
  assert.equal((await push(parametersOf(), OTHER_KEY)).status, 401);
  assert.equal((await push({ ...parametersOf(), client_id: 'https://nobody.example' })).status, 401);
});
