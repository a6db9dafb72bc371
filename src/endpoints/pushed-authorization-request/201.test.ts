import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Fields, formText } from '../../../test/program/code-request.ts';
import { type Answer, assertUncached } from '../../testing/exchange.ts';
import { answeredTo, aPerson, authorizationUrl, RELYING_PARTY } from '../../testing/person.ts';
import { type ClientInformation, ISSUER, testTenant } from '../../testing/tenant.ts';

const tenant = testTenant();
const client = await tenant.register({ ...RELYING_PARTY, require_pushed_authorization_requests: true });
const ada = await aPerson(tenant);

async function push(as: ClientInformation, change: Fields = {}): Promise<Answer> {
  const form = Object.fromEntries(new URL(authorizationUrl(as, change)).searchParams);
  const basic = as.client_secret === '' ? {} : { basic: [as.client_id, as.client_secret] as const };
  return await tenant.send('pushed-authorization-request', { ...basic, form: formText(form) });
}

const addressOf = (as: ClientInformation, { json }: Answer): string =>
  `${ISSUER}/authorize?${formText({ client_id: as.client_id, request_uri: String(json['request_uri']) })}`;

// proves rfc9126-2.2-1, rfc9126-7.3-1
test('a pushed request: 201 with a reference that is good once, for its client (RFC 9126 §2.2)', async () => {
  const pushed = await push(client, { state: 'pushed' });
  assert.equal(pushed.status, 201, pushed.body);
  assert.match(String(pushed.json['request_uri']), /^urn:ietf:params:oauth:request_uri:[A-Za-z0-9]{43}$/);
  assert.equal(pushed.json['expires_in'], 60);
  assertUncached(pushed);
  await ada.grant(await tenant.register(RELYING_PARTY));
  const answered = await ada.browser.open(addressOf(client, pushed));
  assert.equal(answeredTo(answered)['state'], 'pushed');
  assert.equal((await ada.browser.open(addressOf(client, pushed))).status, 400, 'used');
});

// proves rfc9126-2.2-1
test('a request_uri of another client: refused, and still good for its own (RFC 9126 §2.2)', async () => {
  const other = await tenant.register(RELYING_PARTY);
  const pushed = await push(client);
  assert.equal((await ada.browser.visit(addressOf(other, pushed))).status, 400);
  assert.ok(answeredTo(await ada.browser.open(addressOf(client, pushed)))['code']);
});

// proves rfc9126-4-1
test('what is in the address beside the reference does not count (RFC 9126 §4)', async () => {
  const pushed = await push(client, { state: 'pushed' });
  const answered = await ada.browser.open(`${addressOf(client, pushed)}&state=other&scope=email`);
  assert.equal(answeredTo(answered)['state'], 'pushed');
});

// proves rfc9126-6-1
test('a client that registered to push its requests cannot ask otherwise, by GET or POST (RFC 9126 §6)', async () => {
  assert.equal(answeredTo(await ada.browser.visit(authorizationUrl(client)))['error'], 'invalid_request');
  const form = Object.fromEntries(new URL(authorizationUrl(client)).searchParams);
  const posted = await ada.browser.visit(`${ISSUER}/authorize`, form);
  assert.equal(answeredTo(posted)['error'], 'invalid_request');
});

// proves rfc9126-2-1
test('a public client pushes by saying who it is (RFC 9126 §2.1)', async () => {
  const spa = await tenant.register({ ...RELYING_PARTY, token_endpoint_auth_method: 'none' });
  assert.equal((await push(spa)).status, 201);
});

// proves rfc9126-2.2-1
test('a reference that has expired: refused', async () => {
  const pushed = await push(client);
  tenant.clock.advance(60);
  assert.equal((await ada.browser.visit(addressOf(client, pushed))).status, 400);
});
