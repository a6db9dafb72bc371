import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joseJwtInspector } from '../../jose/jwt-verifier.ts';
import type { RemovedServerKey } from '../../ports/server-key-store.ts';
import type { KeyId } from '../../spec/identifiers.ts';
import { assertBodiless, received, requestOf } from '../../testing/exchange.ts';
import { publishedKeys } from '../../testing/server-keys.ts';
import { answer } from '../answer.ts';
import { contract } from './contract.ts';
import { federationHistoricalKeys } from './endpoint.ts';

const NOW = 1_800_000_000;

const ISSUER = 'https://op.example.com';

const past = (kid: string, values: Partial<RemovedServerKey> = {}): RemovedServerKey => ({
  kid: kid as KeyId,
  use: 'federation',
  created_at: NOW - 1000,
  active_at: NOW - 900,
  retired_at: NOW - 500,
  succeeds: null,
  public_jwk: JSON.stringify({ kty: 'RSA', n: 'AQAB', e: 'AQAB', kid, use: 'sig', alg: 'RS256' }),
  removed_at: NOW - 100,
  reason: 'superseded',
  ...values,
});

// proves openid-federation-8.7-1
test('GET /federation/historical-keys: 200, the federation keys of the past with their end, signed with the one of today (OpenID Federation 1.0 §8.7.2)', async () => {
  const keys = (await publishedKeys()).federation;
  const removed = [
    past('old'),
    past('stolen', { retired_at: null, reason: 'compromised' }),
    past('no federation key', { use: 'sig' }),
  ];
  const endpoint = federationHistoricalKeys({
    issuer: ISSUER,
    removed: async () => removed,
    document: { keys, clock: { now: () => NOW }, keptFor: 300 },
    maxAge: 300,
  });
  const got = async () =>
    await received(contract, await answer(endpoint, requestOf(contract, {}), () => assert.fail()));
  const { status, headers, body } = await got();
  assert.deepEqual([status, headers['content-type']], [200, 'application/jwk-set+jwt']);
  const jwt = joseJwtInspector.inspect(body, 65_536);
  assert.ok('claims' in jwt);
  assert.equal(await joseJwtInspector.signatureProblem(jwt, (await keys.jwks()).keys, ['RS256']), undefined);
  assert.equal(jwt.header['typ'], 'jwk-set+jwt');
  const common = { kty: 'RSA', n: 'AQAB', e: 'AQAB', use: 'sig', alg: 'RS256', iat: NOW - 1000 };
  assert.deepEqual(
    { ...jwt.claims },
    {
      iss: ISSUER,
      iat: NOW,
      keys: [
        { ...common, kid: 'old', exp: NOW - 500 },
        {
          ...common,
          kid: 'stolen',
          exp: NOW - 100,
          revoked: { revoked_at: NOW - 100, reason: 'compromised' },
        },
      ],
    },
  );
  removed.push(past('another'));
  assert.notEqual((await got()).body, body, 'a key that ends is told at once');
});

test('GET /federation/historical-keys, the store fails: 500 without body (interface, Errors)', async () => {
  const cause = new Error('/var/lib/keys');
  const reports: unknown[] = [];
  const endpoint = federationHistoricalKeys({
    issuer: 'https://op.example.com',
    removed: async () => {
      throw cause;
    },
    document: {
      keys: { sign: async () => '', jwks: async () => ({ keys: [] }) },
      clock: { now: () => 1 },
      keptFor: 300,
    },
    maxAge: 300,
  });
  const response = await answer(endpoint, requestOf(contract, {}), (failure) => reports.push(failure));
  assertBodiless(await received(contract, response), 500);
  assert.deepEqual(reports, [cause]);
});
