import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joseJwtVerifier } from '../../jose/jwt-verifier.ts';
import { systemClock } from '../../system/clock.ts';
import { assertBodiless, assertFederationNotEnabled, received, requestOf } from '../../testing/exchange.ts';
import { publishedKeys } from '../../testing/server-keys.ts';
import { answer } from '../answer.ts';
import { contract } from './contract.ts';
import { signedJwkSet } from './endpoint.ts';

const ISSUER = 'https://op.example.com';

const keys = await publishedKeys();

// proves openid-federation-5.2.1-1
test('GET /jwks.jwt with a federation: 200, signed with the federation key, the keys of /jwks.json (interface, Signed server JWK set; H-156)', async () => {
  const document = { keys: keys.federation, clock: systemClock, keptFor: 300 };
  const endpoint = signedJwkSet({ issuer: ISSUER, keys, document, maxAge: 300 });
  assert.equal(endpoint.contract.advertisedAs, 'signed_jwks_uri');
  const response = await answer(endpoint, requestOf(contract, {}), () => assert.fail('no failure'));
  const { status, headers, body } = await received(contract, response);
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'application/jwk-set+jwt');
  const federation = await keys.federation.jwks();
  const verification = await joseJwtVerifier(systemClock).verify(body, federation.keys, {
    algorithms: ['RS256'],
    types: ['jwk-set+jwt'],
    requiredClaims: ['iss', 'sub', 'iat', 'keys'],
    issuer: ISSUER,
    audience: { kind: 'where-present', values: [] },
    lifetimeMax: undefined,
    ageMax: 60,
  });
  assert.ok(verification.verified);
  const { claims, header } = verification;
  assert.deepEqual(Object.keys(claims), ['iss', 'sub', 'iat', 'keys']);
  assert.equal(claims['sub'], ISSUER);
  assert.deepEqual(claims['keys'], JSON.parse(JSON.stringify((await keys.jwks()).keys)));
  assert.equal(header['kid'], federation.keys[0]?.['kid']);
});

test('GET /jwks.jwt without a federation: 404 federation_not_enabled, with a body that says so (interface; decision 37)', async () => {
  const response = await answer(signedJwkSet(undefined), requestOf(contract, {}), () => undefined);
  assertFederationNotEnabled(await received(contract, response), 404);
});

test('GET /jwks.jwt, a fault: 500 without body, and only the report has the cause (interface, Errors)', async () => {
  const cause = new Error('/var/lib/registry');
  const reports: unknown[] = [];
  const handle = (): never => {
    throw cause;
  };
  const faulty = { ...signedJwkSet(undefined), handle };
  const response = await answer(faulty, requestOf(contract, {}), (failure) => reports.push(failure));
  assertBodiless(await received(contract, response), 500);
  assert.deepEqual(reports, [cause]);
});
