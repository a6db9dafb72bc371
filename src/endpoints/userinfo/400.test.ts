import { test } from 'node:test';
import { assertError } from '../../testing/exchange.ts';
import { aPerson, RELYING_PARTY } from '../../testing/person.ts';
import { testTenant } from '../../testing/tenant.ts';
import { tokensFor } from '../../testing/userinfo.ts';

const tenant = testTenant();
const client = await tenant.register(RELYING_PARTY);
const access_token = String((await tokensFor(tenant, await aPerson(tenant), client))['access_token']);

test('POST /userinfo with the token in header and form: 400 invalid_request (RFC 6750 §2)', async () => {
  assertError(
    await tenant.send('userinfo-post', { bearer: access_token, form: { access_token } }),
    'invalid_request',
  );
});

test('POST /userinfo with the token twice in the form: 400 invalid_request (RFC 6749 §3.1)', async () => {
  const form = `access_token=${access_token}&access_token=${access_token}`;
  assertError(await tenant.send('userinfo-post', { form }), 'invalid_request');
});
