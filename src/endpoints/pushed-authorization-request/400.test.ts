import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Fields, formText } from '../../../test/program/code-request.ts';
import { assertError } from '../../testing/exchange.ts';
import { authorizationUrl, RELYING_PARTY } from '../../testing/person.ts';
import { testTenant } from '../../testing/tenant.ts';

const tenant = testTenant();
const client = await tenant.register(RELYING_PARTY);

const REFUSED: readonly (readonly [title: string, error: string, change: Fields])[] = [
  ['another redirect_uri', 'invalid_request', { redirect_uri: 'https://evil.example/' }],
  ['a request_uri in it (§2.1)', 'invalid_request', { request_uri: 'urn:ietf:params:oauth:request_uri:x' }],
  ['a request object that is none', 'invalid_request_object', { request: 'a.b.c' }],
  ['a response type it is not registered for', 'unauthorized_client', { response_type: 'id_token' }],
  ['code_challenge_method plain', 'invalid_request', { code_challenge_method: 'plain' }],
  ['a malformed scope', 'invalid_scope', { scope: 'a"b' }],
  ['prompt none with another', 'invalid_request', { prompt: 'none login' }],
];

for (const [title, error, change] of REFUSED) {
  // proves rfc9126-2.1-1, rfc9126-2.3-1
  test(`POST /par, ${title}: 400 ${error} as JSON, wherever answers would go (RFC 9126 §2.3)`, async () => {
    const form = Object.fromEntries(new URL(authorizationUrl(client, change)).searchParams);
    const answered = await tenant.send('pushed-authorization-request', {
      basic: [client.client_id, client.client_secret],
      form: formText(form),
    });
    if (error.startsWith('invalid_request_')) assert.equal(answered.json['error'], error);
    else assertError(answered, error);
    assert.equal(answered.status, 400);
    assert.equal(answered.headers['location'], undefined);
    assert.equal(tenant.watch.calls.includes('interactions.begin'), false);
  });
}
