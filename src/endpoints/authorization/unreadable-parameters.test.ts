import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answeredTo, authorizationUrl, browserOf, RELYING_PARTY } from '../../testing/person.ts';
import { CALLBACK, ISSUER, testTenant } from '../../testing/tenant.ts';

const tenant = testTenant();
const client = await tenant.register(RELYING_PARTY);
const browser = browserOf(tenant);

const UNREADABLE: readonly (readonly [what: string, query: string, words: string, kept: boolean])[] = [
  ['scope twice', 'scope=openid', 'scope is given more than once', true],
  ['state twice', 'state=b', 'state is given more than once', false],
  ['response_type twice', 'response_type=id_token', 'response_type is given more than once', true],
  ['response_mode twice', 'response_mode=a&response_mode=b', 'response_mode is given more than once', true],
  ['a nonce that is not UTF-8', 'nonce=%ff', 'nonce is not correctly encoded', true],
  ['an unknown parameter that is not UTF-8', '%00=%ff', 'a parameter is not correctly encoded', true],
  ['a resource with a space', 'resource=urn:a%20urn:b', 'resource holds a space', true],
];

for (const [what, query, words, kept] of UNREADABLE) {
  // proves rfc6749-3.1-1, rfc6749-4.1.2.1-1
  test(`GET and POST /authorize, ${what}: 303 to the client with invalid_request (decision 53; RFC 6749 §4.1.2.1)`, async () => {
    const url = `${authorizationUrl(client)}&${query}`;
    const posted = await tenant.send('authorization-post', {
      contentType: 'application/x-www-form-urlencoded',
      body: url.slice(url.indexOf('?') + 1),
    });
    const expected = {
      error: 'invalid_request',
      error_description: words,
      ...(kept ? { state: 'af0ifjsldkj' } : {}),
      iss: ISSUER,
    };
    const visited = await browser.visit(url);
    for (const location of [visited.location ?? '', posted.headers['location'] ?? '']) {
      assert.ok(location.startsWith(`${CALLBACK}?`), location);
      assert.deepEqual(answeredTo({ ...visited, location }), expected);
    }
  });
}

test('GET /authorize, a request object that is none, and response_type in the object only: 303 to the client (decision 53)', async () => {
  const sent = await browser.visit(authorizationUrl(client, { request: 'a.b.c', response_type: undefined }));
  assert.equal(answeredTo(sent)['error'], 'invalid_request_object');
});
