import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answeredTo, aPerson, RELYING_PARTY } from '../../testing/person.ts';
import { testTenant } from '../../testing/tenant.ts';
import { FIELD_REQUESTS } from '../../testing/token-requests-in-the-field.ts';

const tenant = testTenant();
const person = await aPerson(tenant);

for (const { name, method, basic, asks, contentType, form } of FIELD_REQUESTS) {
  test(`200: the token request of ${name} gets an access token and an ID token (decision 44, ADR 108)`, async () => {
    const client = await tenant.register({ ...RELYING_PARTY, token_endpoint_auth_method: method });
    const { code = '' } = answeredTo(await person.grant(client, asks));
    const secret = basic === 'with the secret' ? client.client_secret : '';
    const answered = await tenant.send('token', {
      ...(basic === undefined ? {} : { basic: [client.client_id, secret] }),
      ...(contentType === undefined ? {} : { contentType }),
      form: form(client, code),
    });
    assert.equal(answered.status, 200, answered.body);
    for (const member of ['access_token', 'id_token']) assert.ok(member in answered.json, member);
  });
}
