import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aPerson } from '../../testing/person.ts';
import { testTenant } from '../../testing/tenant.ts';

// proves rfc6749-4.3.2-1
test('grant_type=password, guessed too often: 429 with Retry-After, for the right password too (RFC 6749 §4.3.2: "MUST protect the endpoint against brute force attacks")', async () => {
  const tenant = testTenant({ settings: { 'sign-in.attempts-per-account-and-network': 2 } });
  await aPerson(tenant);
  const { client_id, client_secret } = await tenant.register({ grant_types: ['password'] });
  const attempt = async (password: string) =>
    await tenant.send('token', {
      basic: [client_id, client_secret],
      form: { grant_type: 'password', username: 'Ada', password },
    });
  for (let count = 0; count < 2; count += 1) assert.equal((await attempt('guess')).status, 400);
  const refused = await attempt('correct horse');
  assert.equal(refused.status, 429);
  assert.match(refused.headers['retry-after'] ?? '', /^[1-9][0-9]*$/);
  assert.equal(refused.json['error'], 'temporarily_unavailable');
});
