import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { test } from 'node:test';
import type { OutboundHttp } from '../../ports/outbound-http.ts';
import {
  bearer,
  grantClaims,
  grantJwt,
  grantTenant,
  IDP_KEY,
  JWT_BEARER,
  jwtIssuer,
  present,
} from '../../testing/assertion-grant.ts';
import {
  ACCEPTED_CLAIMS,
  ACCEPTED_HEADERS,
  REFUSED_CLAIMS,
  REFUSED_FORMS,
  REFUSED_HEADERS,
} from '../../testing/assertion-rows.ts';
import { type Answer, assertError } from '../../testing/exchange.ts';
import { macJwt, segment, signedJwt, testKey } from '../../testing/jwt.ts';
import { ISSUER, SERVICE, START, type TestTenant, testTenant } from '../../testing/tenant.ts';

/** The limits that the rows of assertions are made for. */
const AN_HOUR = { settings: { 'assertion-grants.lifetime-max': 3600 } };

const { 'an unknown sub': _, ...REFUSED } = REFUSED_CLAIMS;

const CLIENT_TYPE = /client-authentication/;
const GRANT_HEADERS = Object.entries(ACCEPTED_HEADERS).filter(
  ([, header]) => !CLIENT_TYPE.test(JSON.stringify(header)),
);

async function introspected(
  tenant: TestTenant,
  answered: Answer,
): Promise<Readonly<Record<string, unknown>>> {
  assert.equal(answered.status, 200, answered.body);
  return await tenant.introspect(String(answered.json['access_token']));
}

// proves rfc7521-4.1-4, rfc7523-2.1-1
test('a JWT of a trusted issuer is a token for its subject, by our name for it, and no refresh token (RFC 7523 §2.1; RFC 7521 §4.1)', async () => {
  const tenant = grantTenant();
  const client = await bearer(tenant);
  const answered = await present(tenant, client, grantJwt(), { scope: 'read' });
  assert.deepEqual(
    { ...answered.json, access_token: '' },
    { access_token: '', token_type: 'Bearer', expires_in: 600, scope: 'read' },
  );
  const token = await introspected(tenant, answered);
  assert.equal(token['sub'], 'idp:alice');
  assert.equal(token['client_id'], client.client_id);
  assert.equal(token['scope'], 'read');
});

for (const [what, claims] of Object.entries(ACCEPTED_CLAIMS)) {
  // proves rfc7523-3-1
  test(`grant, ${what}: 200 (RFC 7523 §3)`, async () => {
    const tenant = grantTenant(undefined, AN_HOUR);
    const answered = await present(tenant, await bearer(tenant), grantJwt(claims));
    assert.equal(answered.status, 200, answered.body);
  });
}

for (const [what, header] of [
  ...GRANT_HEADERS,
  ['the type of grants', { typ: 'application/authorization-grant+jwt' }] as const,
]) {
  test(`grant, ${what}: 200 (RFC 7523 §3; draft-ietf-oauth-rfc7523bis)`, async () => {
    const tenant = grantTenant();
    const answered = await present(tenant, await bearer(tenant), grantJwt({}, header));
    assert.equal(answered.status, 200, answered.body);
  });
}

for (const [what, claims] of Object.entries(REFUSED)) {
  // proves rfc7521-4.1.1-1, rfc7521-5.1-1, rfc7523-3-1, rfc7523-3.1-1
  test(`grant, ${what}: 400 invalid_grant (RFC 7523 §3, §3.1)`, async () => {
    const tenant = grantTenant(undefined, AN_HOUR);
    const client = await bearer(tenant);
    assertError(await present(tenant, client, grantJwt(claims)), 'invalid_grant', /^the assertion /);
    assert.equal(tenant.watch.calls.includes('accessTokens.issue'), false);
  });
}

for (const [what, header] of [
  ...Object.entries(REFUSED_HEADERS),
  ['the type of client assertions', { typ: 'client-authentication+jwt' }] as const,
]) {
  // proves rfc7523-3-1
  test(`grant, ${what}: 400 invalid_grant (RFC 7523 §3; RFC 8725 §3.11)`, async () => {
    const tenant = grantTenant();
    assertError(await present(tenant, await bearer(tenant), grantJwt({}, header)), 'invalid_grant');
  });
}

for (const [what, spoil] of Object.entries(REFUSED_FORMS)) {
  // proves rfc7523-3-1
  test(`grant, ${what}: 400 invalid_grant (RFC 7515 §7.1)`, async () => {
    const tenant = grantTenant();
    assertError(await present(tenant, await bearer(tenant), spoil(grantJwt())), 'invalid_grant');
  });
}

// proves rfc7521-4.1-1, rfc7523-2.1-1
test('no assertion: 400 invalid_request; one twice too (RFC 7521 §4.1; RFC 6749 §3.2)', async () => {
  const tenant = grantTenant();
  const client = await bearer(tenant);
  assertError(await present(tenant, client, ''), 'invalid_request', /^assertion is missing$/);
  const form = `grant_type=${encodeURIComponent(JWT_BEARER)}&assertion=x&assertion=y`;
  const basic = [client.client_id, client.client_secret] as const;
  assertError(await tenant.send('token', { basic, form }), 'invalid_request', /more than once/);
});

// proves rfc7521-4.1-1
test('the grant is offered where an issuer is configured: otherwise 400 unsupported_grant_type (RFC 6749 §5.2)', async () => {
  for (const tenant of [testTenant(), grantTenant([])]) {
    const client = await bearer(tenant);
    assertError(await present(tenant, client, grantJwt()), 'unsupported_grant_type');
  }
});

// proves rfc7521-4.1-3
test('a client that is not registered for the grant: 400 unauthorized_client; one that does not authenticate: 401 (RFC 6749 §5.2)', async () => {
  const tenant = grantTenant();
  const service = await tenant.register(SERVICE);
  assertError(await present(tenant, service, grantJwt()), 'unauthorized_client');
  const client = await bearer(tenant);
  assertError(await present(tenant, { ...client, client_secret: 'x' }, grantJwt()), 'invalid_client');
  const form = { grant_type: JWT_BEARER, assertion: grantJwt() };
  assertError(await tenant.send('token', { form }), 'invalid_client');
});

// proves rfc7521-4.1-3
test('an issuer may be trusted with some clients only: the others’ requests are 400 invalid_grant', async () => {
  const tenant = grantTenant([jwtIssuer({ clients: ['somebody'] })]);
  const client = await bearer(tenant);
  assertError(
    await present(tenant, client, grantJwt()),
    'invalid_grant',
    /may not be presented by this client/,
  );
  const somebody = await bearer(tenant, { preferred_client_id: 'somebody' });
  assert.equal((await present(tenant, somebody, grantJwt())).status, 200);
});

// proves rfc7521-4.1-2
test('scope: what is requested of what both the client and the issuer are allowed, all of it where nothing is, more is 400 invalid_scope (RFC 7521 §4.1)', async () => {
  const tenant = grantTenant();
  const client = await bearer(tenant, { scope: 'admin write' });
  const all = await present(tenant, client, grantJwt());
  assert.equal(all.json['scope'], 'write');
  for (const scope of ['admin', 'read', 'write admin', 'write\twrite', 'WRITE']) {
    assertError(await present(tenant, client, grantJwt(), { scope }), 'invalid_scope');
  }
  const stranger = await bearer(tenant, { scope: 'admin' });
  assertError(await present(tenant, stranger, grantJwt()), 'invalid_scope', /may grant no scope value/);
});

// proves rfc7521-5.2-1
test('an assertion is used once, for as long as it could be, by whichever client (RFC 7523 §3 rule 7)', async () => {
  const tenant = grantTenant();
  const [client, other] = [await bearer(tenant), await bearer(tenant)];
  const jwt = grantJwt();
  assert.equal((await present(tenant, client, jwt)).status, 200);
  assertError(await present(tenant, client, jwt), 'invalid_grant', /used before/);
  tenant.clock.advance(119);
  await tenant.storage.replays.sweepExpired(tenant.clock.now(), 100);
  assertError(await present(tenant, other, jwt), 'invalid_grant', /used before/);
});

// proves rfc7521-5.2-1
test('of fifty equal assertions at once exactly one is taken', async () => {
  const tenant = grantTenant();
  const client = await bearer(tenant);
  const jwt = grantJwt();
  const answers = await Promise.all(Array.from({ length: 50 }, () => present(tenant, client, jwt)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.equal(answers.filter(({ status }) => status === 400).length, 49);
});

// proves rfc7521-8.2-1
test('what is refused does not use an assertion up: not a scope too wide, not another’s signature, not another issuer’s jti', async () => {
  const other = testKey('ES256', 'other');
  const another = jwtIssuer({
    issuer: 'https://b.example',
    jwks: { keys: [other.jwk] },
    'subject-prefix': 'b:',
  });
  const tenant = grantTenant([jwtIssuer(), another]);
  const client = await bearer(tenant);
  const claims = grantClaims({ jti: 'the same' });
  const jwt = signedJwt(IDP_KEY, claims);
  assertError(await present(tenant, client, jwt, { scope: 'admin' }), 'invalid_scope');
  assertError(await present(tenant, client, signedJwt(other, claims, { kid: 'idp' })), 'invalid_grant');
  const theirs = signedJwt(other, { ...claims, iss: 'https://b.example' });
  assert.equal((await present(tenant, client, theirs)).status, 200);
  assert.equal((await present(tenant, client, jwt)).status, 200);
});

test('require-jti false: an assertion without jti is taken, one with is taken once (RFC 7523 §3 rule 7)', async () => {
  const tenant = grantTenant([jwtIssuer({ 'require-jti': false })]);
  const client = await bearer(tenant);
  const without = grantJwt({ jti: undefined });
  assert.equal((await present(tenant, client, without)).status, 200);
  assert.equal((await present(tenant, client, without)).status, 200);
  const jwt = grantJwt();
  assert.equal((await present(tenant, client, jwt)).status, 200);
  assertError(await present(tenant, client, jwt), 'invalid_grant');
});

// proves rfc7521-8.1-1
test('an issuer cannot speak for another: with another’s key, iss or subject it is 400 or its own prefix (RFC 7521 §8.1)', async () => {
  const other = testKey('ES256', 'idp');
  const another = jwtIssuer({
    issuer: 'https://b.example',
    jwks: { keys: [other.jwk] },
    'subject-prefix': 'b:',
  });
  const tenant = grantTenant([jwtIssuer(), another]);
  const client = await bearer(tenant);
  assertError(await present(tenant, client, signedJwt(other, grantClaims())), 'invalid_grant', /signature/);
  const answered = await present(
    tenant,
    client,
    signedJwt(other, grantClaims({ iss: 'https://b.example', sub: 'idp:alice' })),
  );
  assert.equal((await introspected(tenant, answered))['sub'], 'b:idp:alice');
});

test('subjects: an issuer with a list can name the subjects on the list only, compared exactly', async () => {
  const tenant = grantTenant([jwtIssuer({ 'subject-prefix': '', subjects: ['alice'] })]);
  const client = await bearer(tenant);
  assert.equal((await introspected(tenant, await present(tenant, client, grantJwt())))['sub'], 'alice');
  for (const sub of ['bob', 'Alice', 'alice ', 'alice\0', '']) {
    assertError(await present(tenant, client, grantJwt({ sub })), 'invalid_grant');
  }
});

test('subject-from: another claim names the subject; a claim that is no text names none', async () => {
  const tenant = grantTenant([jwtIssuer({ 'subject-from': 'email' })]);
  const client = await bearer(tenant);
  const answered = await present(tenant, client, grantJwt({ email: 'a@idp.example' }));
  assert.equal((await introspected(tenant, answered))['sub'], 'idp:a@idp.example');
  for (const email of [undefined, null, 1, ['a'], { a: 1 }, '', 'a'.repeat(256)]) {
    assertError(await present(tenant, client, grantJwt({ email })), 'invalid_grant', /subject/);
  }
});

// proves rfc7521-8.1-1
test('a subject that is the client_id of a client here is refused: its token would be mistaken for the client’s own (RFC 9700 §4.15)', async () => {
  const tenant = grantTenant([jwtIssuer({ 'subject-prefix': '' })]);
  const client = await bearer(tenant);
  const service = await tenant.register(SERVICE);
  for (const { client_id } of [client, service]) {
    assertError(
      await present(tenant, client, grantJwt({ sub: client_id })),
      'invalid_grant',
      /is the client_id of a client/,
    );
  }
});

// proves rfc7523-3-2
test('aud: other names that are configured are taken alone, and with legacy the token endpoint and lists too (decision 18)', async () => {
  const named = [jwtIssuer({ audiences: ['urn:our:name'] })];
  const strict = grantTenant(named);
  const client = await bearer(strict);
  assert.equal((await present(strict, client, grantJwt({ aud: 'urn:our:name' }))).status, 200);
  assert.equal(
    (await present(strict, client, grantJwt({ aud: ['urn:our:name'] }))).status,
    200,
    'decision 45',
  );
  assertError(await present(strict, client, grantJwt({ aud: ['urn:our:name', ISSUER] })), 'invalid_grant');
  const legacy = grantTenant(named, { settings: { 'client-authentication.assertion-audience': 'legacy' } });
  const old = await bearer(legacy);
  for (const aud of [ISSUER, `${ISSUER}/token`, [`${ISSUER}/token`, 'https://b.example'], 'urn:our:name']) {
    assert.equal((await present(legacy, old, grantJwt({ aud }))).status, 200);
  }
  for (const aud of [undefined, 'https://b.example', [], [1, ISSUER]]) {
    assertError(await present(legacy, old, grantJwt({ aud })), 'invalid_grant');
  }
});

test('clock-skew and lifetime-max are what is configured', async () => {
  const tenant = grantTenant(undefined, {
    settings: { 'assertion-grants.clock-skew': 0, 'assertion-grants.lifetime-max': 100 },
  });
  const client = await bearer(tenant);
  assertError(await present(tenant, client, grantJwt({ exp: START })), 'invalid_grant', /expired/);
  assertError(await present(tenant, client, grantJwt({ exp: START + 101 })), 'invalid_grant', /too long/);
  assertError(await present(tenant, client, grantJwt({ nbf: START + 1 })), 'invalid_grant', /not valid yet/);
  assert.equal((await present(tenant, client, grantJwt({ exp: START + 100 }))).status, 200);
});

// proves rfc7523-3-1
test('HMAC with any form of the issuer’s public key, other algorithms and keys that the JWT brings are refused (H-149)', async () => {
  const rsa = testKey('RS256', 'idp');
  const tenant = grantTenant([jwtIssuer({ jwks: { keys: [rsa.jwk] }, algorithms: ['RS256'] })]);
  const client = await bearer(tenant);
  const pem = createPublicKey(rsa.privateKey).export({ type: 'spki', format: 'pem' });
  for (const secret of [pem, JSON.stringify(rsa.jwk), String(rsa.jwk['n'])]) {
    assertError(
      await present(tenant, client, macJwt('HS256', secret, grantClaims(), { kid: 'idp' })),
      'invalid_grant',
    );
  }
  const own = testKey('RS256', 'own');
  for (const header of [
    { jwk: own.jwk },
    { jku: 'https://evil.example', kid: 'idp' },
    { x5c: ['x'], kid: undefined },
  ]) {
    assertError(await present(tenant, client, signedJwt(own, grantClaims(), header)), 'invalid_grant');
  }
  const none = `${segment('{"alg":"none"}')}.${segment(JSON.stringify(grantClaims()))}.`;
  assertError(await present(tenant, client, none), 'invalid_grant');
  assertError(
    await present(tenant, client, signedJwt(rsa, grantClaims(), { alg: 'RS512' })),
    'invalid_grant',
    /alg/,
  );
});

test('jwks-uri: the keys are fetched; when they cannot be had it is 400 invalid_grant, and the cause is in the report only (decision 41)', async () => {
  let reachable = true;
  const outbound: OutboundHttp = {
    urlProblem: () => undefined,
    get: async () =>
      reachable
        ? {
            status: 'ok',
            body: Buffer.from(JSON.stringify({ keys: [IDP_KEY.jwk] })),
            mediaType: 'application/json',
          }
        : { status: 'failed', reason: 'timeout', detail: 'inside.example did not answer' },
  };
  const issuer = jwtIssuer({ jwks: undefined, 'jwks-uri': 'https://idp.example/jwks' });
  const fetching = grantTenant([issuer], { outbound });
  assert.equal((await present(fetching, await bearer(fetching), grantJwt())).status, 200);
  reachable = false;
  const failing = grantTenant([issuer], { outbound });
  const answered = await present(failing, await bearer(failing), grantJwt());
  assertError(answered, 'invalid_grant', /the keys of its issuer are not available/);
  assert.equal(answered.body.includes('inside.example'), false);
  assert.match(String(Object(failing.reports.at(-1))['detail']), /inside\.example/);
});

test('where an assertion cannot be remembered no token is issued: 500 (RFC 7523 §3 rule 7)', async () => {
  const tenant = grantTenant();
  const client = await bearer(tenant);
  const jwt = grantJwt();
  tenant.watch.fail(new Error('disk full'), 'replays.rememberOnce');
  assert.equal((await present(tenant, client, jwt)).status, 500);
  assert.equal(tenant.watch.calls.includes('accessTokens.issue'), false);
  tenant.watch.recover();
  assert.equal((await present(tenant, client, jwt)).status, 200);
});
