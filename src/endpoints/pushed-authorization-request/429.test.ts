import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formText } from '../../../test/program/code-request.ts';
import type { Answer } from '../../testing/exchange.ts';
import { authorizationUrl, RELYING_PARTY } from '../../testing/person.ts';
import { type ClientInformation, testTenant } from '../../testing/tenant.ts';

const tenant = testTenant({ settings: { 'interaction.rate-per-network': 1 } });
const publicClient = await tenant.register({ ...RELYING_PARTY, token_endpoint_auth_method: 'none' });
const confidential = await tenant.register(RELYING_PARTY);

async function push(client: ClientInformation, from: string): Promise<Answer> {
  const form = Object.fromEntries(new URL(authorizationUrl(client)).searchParams);
  const proof =
    client.client_secret === '' ? {} : { basic: [client.client_id, client.client_secret] as const };
  return await tenant.send('pushed-authorization-request', { ...proof, form: formText(form), from });
}

test('POST /par of a public client, more from a network than may wait: 429 as JSON with Retry-After (RFC 9126 §2.3)', async () => {
  assert.equal((await push(publicClient, '192.0.2.7')).status, 201);
  const refused = await push(publicClient, '192.0.2.7');
  assert.deepEqual([refused.status, refused.json['error']], [429, 'temporarily_unavailable']);
  assert.equal(refused.headers['retry-after'], '60');
  assert.equal((await push(publicClient, '192.0.2.8')).status, 201);
});

test('POST /par of a client that proves itself is not limited', async () => {
  for (let count = 0; count < 3; count += 1)
    assert.equal((await push(confidential, '192.0.2.9')).status, 201);
});
