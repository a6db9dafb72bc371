import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { joseJwtInspector } from '../../src/jose/jwt-verifier.ts';
import { signedJwt, type TestKey, testKey } from '../../src/testing/jwt.ts';
import { type Authorities, type Entity, startAuthorities } from '../federation/authorities.ts';
import { type Program, startProgram } from '../program/start.ts';
import { call } from './conformance-exchange.ts';

/** An unknown relying party, a trust anchor, an intermediate and the started program, over real sockets. */
let authorities: Authorities;
let anchor: Entity;
let org: Entity;
let rp: Entity;
let program: Program;
const KEY: TestKey = testKey('ES256', 'rp-protocol-1');
const REDIRECT_URI = 'https://rp.example/cb';
const LIFETIME = 4;
const PATIENCE_MS = 60_000;

before(async () => {
  authorities = await startAuthorities();
  [anchor, org, rp] = [authorities.entity('anchor'), authorities.entity('org'), authorities.entity('rp')];
  anchor.publish([]);
  anchor.vouch(org);
  org.publish([anchor]);
  org.vouch(rp);
  program = await startProgram({
    mode: 'dev',
    environment: {
      CHANCERY_FEDERATION_ENABLED: 'true',
      CHANCERY_FEDERATION_ORGANIZATION_NAME: 'Example',
      CHANCERY_FEDERATION_GRANT_TYPES: 'authorization_code,client_credentials',
      CHANCERY_FEDERATION_TRUST_ANCHORS: JSON.stringify([
        { 'entity-id': anchor.id, jwks: { keys: [anchor.key.jwk] } },
      ]),
      CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
      CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
      CHANCERY_STORAGE_SWEEP_INTERVAL: '1',
      CHANCERY_FEDERATION_EXPIRED_CLIENT_RETENTION: '0',
    },
  });
});

after(async () => {
  await program.stop();
  await authorities.close();
});

const now = (): number => Math.floor(Date.now() / 1000);
const request = (metadata: object, claims: object = {}): string =>
  rp.request(program.issuer, [org], {
    metadata: { openid_relying_party: { redirect_uris: [REDIRECT_URI], ...metadata } },
    ...claims,
  });

async function post(body: string, contentType = 'application/jose'): Promise<Response> {
  const headers = { 'content-type': contentType };
  return await fetch(`${program.url}/federation/clients`, { method: 'POST', headers, body });
}

type Members = Readonly<Record<string, unknown>>;

/** Verifies the response with the published federation keys of the server and returns the registered metadata. */
async function registration(
  response: Response,
): Promise<{ readonly claims: Members; readonly registered: Members }> {
  const text = await response.text();
  assert.equal(response.status, 200, text);
  const configuration = await (await fetch(`${program.url}/.well-known/openid-federation`)).text();
  const own = joseJwtInspector.inspect(configuration, 65_536);
  const jwt = joseJwtInspector.inspect(text, 65_536);
  assert.ok('claims' in own && 'claims' in jwt);
  const { keys } = own.claims['jwks'] as { keys: readonly TestKey['jwk'][] };
  assert.equal(await joseJwtInspector.signatureProblem(jwt, keys, ['RS256']), undefined);
  const { openid_relying_party } = jwt.claims['metadata'] as { openid_relying_party: Members };
  return { claims: jwt.claims, registered: openid_relying_party };
}

const credentials = {
  grant_types: ['client_credentials'],
  token_endpoint_auth_method: 'client_secret_basic',
};

async function token({ client_id, client_secret }: Members): Promise<Members & { readonly status: number }> {
  const basic = Buffer.from(`${String(client_id)}:${String(client_secret)}`).toString('base64');
  const response = await fetch(`${program.url}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return { ...((await response.json()) as Members), status: response.status };
}

async function introspect(access_token: unknown): Promise<Members> {
  const json = { grant_types: ['client_credentials'], scope: `${program.issuer}/token/introspect` };
  const made = await call(program, { method: 'POST', path: '/clients', bearer: program.masterToken, json });
  const { client_id, client_secret } = made.json;
  const basic = Buffer.from(`${String(client_id)}:${String(client_secret)}`).toString('base64');
  const response = await fetch(`${program.url}/token/introspect`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ token: String(access_token) }),
  });
  return (await response.json()) as Members;
}

// proves openid-federation-5.1.3-1
test('discovery and the entity configuration contain the registration endpoint, its types and the organisation (§5.1.3, §5.2.2)', async () => {
  const discovered = (await (
    await fetch(`${program.url}/.well-known/openid-configuration`)
  ).json()) as Members;
  assert.equal(discovered['federation_registration_endpoint'], `${program.issuer}/federation/clients`);
  assert.deepEqual([discovered['client_registration_types_supported']].flat()[0], 'explicit');
  assert.equal(discovered['organization_name'], 'Example');
  const own = await (await fetch(`${program.url}/.well-known/openid-federation`)).text();
  const jwt = joseJwtInspector.inspect(own, 65_536);
  assert.ok('claims' in jwt);
  const { openid_provider } = jwt.claims['metadata'] as { openid_provider: Members };
  assert.equal(openid_provider['federation_registration_endpoint'], `${program.issuer}/federation/clients`);
});

// proves openid-federation-12.2.2-1
test('an unknown relying party registers in the interface’s dialect and renews in the Final dialect, which ends its old secret and token (interface; §12.2)', async () => {
  const first = await registration(await post(request(credentials)));
  assert.deepEqual(first.claims['authority_hints'], [org.id]);
  const issued = await token(first.registered);
  assert.equal(issued.status, 200);
  assert.equal((await introspect(issued['access_token']))['active'], true);
  const response = await post(request(credentials), 'application/entity-statement+jwt');
  assert.equal(response.headers.get('content-type'), 'application/explicit-registration-response+jwt');
  const second = await registration(response);
  assert.notEqual(second.registered['client_id'], first.registered['client_id']);
  assert.deepEqual(await introspect(issued['access_token']), { active: false });
  assert.equal((await token(first.registered)).status, 401);
  assert.equal((await token(second.registered)).status, 200);
});

test('a relying party with keys authenticates by private_key_jwt and gets no secret (decision 35)', async () => {
  const grant_types = ['client_credentials'];
  const { registered } = await registration(await post(request({ jwks: { keys: [KEY.jwk] }, grant_types })));
  assert.equal('client_secret' in registered, false);
  const { client_id } = registered;
  const client_assertion = signedJwt(KEY, {
    iss: client_id,
    sub: client_id,
    aud: program.issuer,
    exp: now() + 60,
    jti: `jti-${now()}`,
  });
  const response = await fetch(`${program.url}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion,
    }),
  });
  assert.equal(response.status, 200, await response.text());
});

// proves openid-federation-12.3-1
test('an expired registration and its token are invalid, the sweep deletes them, and a new statement registers again (H-217)', async () => {
  const exp = now() + LIFETIME;
  const { claims, registered } = await registration(await post(request(credentials, { exp })));
  assert.equal(claims['exp'], exp);
  const issued = await token(registered);
  assert.ok(Number(issued['expires_in']) <= LIFETIME);
  const path = `/clients/${String(registered['client_id'])}`;
  const deadline = Date.now() + PATIENCE_MS;
  while ((await token(registered)).status === 200) {
    assert.ok(Date.now() < deadline);
    await sleep(100);
  }
  assert.deepEqual(await introspect(issued['access_token']), { active: false });
  const { status } = await call(program, { method: 'GET', path, bearer: program.masterToken });
  assert.equal(status, 404);
  while (!program.output().includes('client.expire')) {
    assert.ok(Date.now() < deadline, 'the client was not swept');
    await sleep(100);
  }
  await registration(await post(request(credentials)));
});

test('a statement that comes again gets the same client; a public one and an entity without a federation are rejected with the reason, and the registration stays (H-195, H-203)', async () => {
  const statement = request(credentials);
  const { registered } = await registration(await post(statement));
  assert.deepEqual((await registration(await post(statement))).registered, registered);
  const found = request(credentials, { aud: undefined });
  const { registered: last } = await registration(await post(found));
  const replayed = await post(found);
  assert.equal(replayed.status, 401);
  assert.match(
    ((await replayed.json()) as { error_description: string }).error_description,
    /statement_replayed/,
  );
  const stranger = authorities.entity('stranger');
  const claims = { iss: stranger.id, sub: stranger.id, jwks: { keys: [stranger.key.jwk] } };
  const own = JSON.parse(
    Buffer.from(request(credentials, claims).split('.')[1] ?? '', 'base64url').toString(),
  ) as object;
  const refused = await post(signedJwt(stranger.key, own));
  const { error, error_description } = (await refused.json()) as { error: string; error_description: string };
  assert.deepEqual([refused.status, error], [401, 'unauthorized_client']);
  assert.match(error_description, /^invalid_trust_chain: fetch_status: /);
  assert.equal((await token(last)).status, 200);
});
