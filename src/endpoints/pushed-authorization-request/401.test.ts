import { test } from 'node:test';
import { assertError } from '../../testing/exchange.ts';
import { authorizationUrl, RELYING_PARTY } from '../../testing/person.ts';
import { testTenant } from '../../testing/tenant.ts';

const tenant = testTenant();
const client = await tenant.register(RELYING_PARTY);
const form = Object.fromEntries(new URL(authorizationUrl(client)).searchParams);

// proves rfc9126-2-1
test('POST /par without authentication of a client that authenticates: 401 invalid_client (RFC 9126 §2.1)', async () => {
  assertError(await tenant.send('pushed-authorization-request', { form }), 'invalid_client');
});

// proves rfc9126-2-1
test('POST /par with a wrong secret: 401 invalid_client', async () => {
  const answered = await tenant.send('pushed-authorization-request', {
    basic: [client.client_id, 'wrong'],
    form,
  });
  assertError(answered, 'invalid_client');
});

// proves rfc9126-2-1
test('POST /par for another client than the one that authenticates: 401 invalid_client (RFC 9126 §2.1)', async () => {
  const other = await tenant.register(RELYING_PARTY);
  const answered = await tenant.send('pushed-authorization-request', {
    basic: [other.client_id, other.client_secret],
    form,
  });
  assertError(answered, 'invalid_client');
});
