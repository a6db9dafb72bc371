import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestOf } from '../../keys/digest.ts';
import type { AccessTokenKey, ClientId } from '../../spec/identifiers.ts';
import { publishedKeys } from '../../testing/server-keys.ts';
import { ISSUER, START, type TestTenant, testTenant } from '../../testing/tenant.ts';
import { LOCATOR_LENGTH, locatorAt } from '../../tokens/token-identifier.ts';

const TYPE = 'at+jwt';
const JTI = locatorAt(START * 1000) + 'j'.repeat(16);
const CLAIMS = {
  iss: ISSUER,
  sub: 'alice',
  aud: ISSUER,
  exp: START + 600,
  iat: START,
  jti: JTI,
  client_id: 'app',
  scope: 'read',
};

/** What the server says of a JWT that has the record of an access token: nothing but its signature is in question. */
async function isActive(tenant: TestTenant, jwt: string): Promise<unknown> {
  await tenant.storage.accessTokens.issue({
    key: (JTI.slice(0, LOCATOR_LENGTH) + digestOf(jwt)) as AccessTokenKey,
    expires_at: CLAIMS.exp,
    client_id: CLAIMS.client_id as ClientId,
    client_instance: null,
    grant_id: null,
    introspection: JSON.stringify({ active: true, ...CLAIMS }),
  });
  return (await tenant.introspect(jwt))['active'];
}

test('H-141 a JWT that the federation key signed is no access token, whatever it says and whatever is stored (decision 28)', async () => {
  const tenant = testTenant();
  const keys = await publishedKeys();
  assert.equal(await isActive(tenant, await keys.sign(CLAIMS, { alg: 'RS256', typ: TYPE })), true);
  assert.equal(await isActive(tenant, await keys.federation.sign(CLAIMS, { typ: TYPE })), false);
});
