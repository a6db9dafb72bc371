import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt } from 'jose';
import { type Fields, VERIFIER } from '../../../test/program/code-request.ts';
import {
  ACCOUNTS,
  askToken,
  DETAIL_SETTINGS,
  DETAILED_CLIENT,
  PAYMENT,
  payment,
} from '../../testing/authorization-details.ts';
import { type Answer, assertError } from '../../testing/exchange.ts';

import { answeredTo, aPerson, type TestPerson } from '../../testing/person.ts';
import {
  ADMIN,
  CALLBACK,
  type ClientInformation,
  type TestTenant,
  testTenant,
} from '../../testing/tenant.ts';

const A = 'https://example.com/payments';
const B = 'https://other.example/accounts';
const accounts = (change: object = {}): object => ({ type: ACCOUNTS.type, actions: ['list'], ...change });
const text = (...details: readonly object[]): string => JSON.stringify(details);

interface World {
  readonly tenant: TestTenant;
  readonly client: ClientInformation;
  readonly ada: TestPerson;
}

async function world(metadata: object = {}): Promise<World> {
  const tenant = testTenant({ settings: DETAIL_SETTINGS });
  const client = await tenant.register({ ...DETAILED_CLIENT, ...metadata });
  return { tenant, client, ada: await aPerson(tenant) };
}

/** Signs in, agrees, and redeems the code. */
async function tokens({ tenant, client, ada }: World, change: Fields, form: object = {}): Promise<Answer> {
  const { code = '' } = answeredTo(await ada.grant(client, change));
  const request = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER };
  return await askToken(tenant, client, { ...request, ...form });
}

async function introspected({ tenant }: World, answer: Answer): Promise<unknown> {
  assert.equal(answer.status, 200, answer.body);
  return (await tenant.introspect(String(answer.json['access_token'])))['authorization_details'];
}

// proves rfc9396-7-1, rfc9396-9.2-1
test('tokens of a code have the details that the end-user agreed to, in the response and in the introspection (RFC 9396 §7, §9.2)', async () => {
  const here = await world();
  const details = [payment(), accounts()];
  const answer = await tokens(here, { authorization_details: text(...details) });
  assert.deepEqual(answer.json['authorization_details'], details, answer.body);
  assert.deepEqual(await introspected(here, answer), details);
});

// proves rfc9396-9.1-2
test('a self-contained token has the details as a claim (RFC 9396 §9.1)', async () => {
  const here = await world({ chancery_access_token_format: 'self-contained' });
  const answer = await tokens(here, { authorization_details: text(payment()) });
  assert.deepEqual(decodeJwt(String(answer.json['access_token']))['authorization_details'], [payment()]);
  assert.deepEqual(await introspected(here, answer), [payment()]);
});

// H-728
test('numbers keep their values on the way from a request to a self-contained token (RFC 9396 §9.1)', async () => {
  const here = await world({ chancery_access_token_format: 'self-contained' });
  const numbers = '[1.10,45.00,1E2,0.1,1.5e-7,9007199254740991]';
  const answer = await tokens(here, {
    authorization_details: `[{"type":"${ACCOUNTS.type}","note":${numbers}}]`,
  });
  const kept = [{ type: ACCOUNTS.type, note: JSON.parse(numbers) }];
  assert.deepEqual(answer.json['authorization_details'], kept, answer.body);
  assert.deepEqual(decodeJwt(String(answer.json['access_token']))['authorization_details'], kept);
  assert.deepEqual(await introspected(here, answer), kept);
});

test('tokens without details have no such member anywhere', async () => {
  const here = await world();
  const answer = await tokens(here, {});
  assert.equal('authorization_details' in answer.json, false, answer.body);
  assert.equal(await introspected(here, answer), undefined);
});

// proves rfc9396-6-1
test('a token request may name a part of the granted details; the grant keeps the whole for a refresh (RFC 9396 §6)', async () => {
  const here = await world();
  const status = payment({ actions: ['status'] });
  const asked = { authorization_details: text(payment(), accounts()) };
  const answer = await tokens(here, asked, { authorization_details: text(status) });
  assert.deepEqual(answer.json['authorization_details'], [status], answer.body);
  const refresh = async (form: object): Promise<Answer> =>
    await askToken(here.tenant, here.client, {
      grant_type: 'refresh_token',
      refresh_token: String(answer.json['refresh_token']),
      ...form,
    });
  const whole = await refresh({});
  assert.deepEqual(whole.json['authorization_details'], [payment(), accounts()], whole.body);
  const other = await refresh({ authorization_details: text(accounts()) });
  assert.deepEqual(await introspected(here, other), [accounts()]);
  assertError(
    await refresh({ authorization_details: text(payment({ creditorName: 'Mallory' })) }),
    'invalid_authorization_details',
    /^authorization_details\[0\] was not granted/,
  );
  assert.equal((await refresh({})).status, 200, 'a refused request uses nothing up');
  const listed = await here.tenant.send('admin-grant-list', { bearer: ADMIN });
  const [grant] = listed.json['items'] as readonly Readonly<Record<string, unknown>>[];
  assert.deepEqual(grant?.['authorization_details'], [payment(), accounts()]);
});

// proves rfc9396-6.1-2
test('a token request for more than was granted is 400 invalid_authorization_details, and the code stays good (RFC 9396 §6.1)', async () => {
  const here = await world();
  const { code = '' } = answeredTo(
    await here.ada.grant(here.client, { authorization_details: text(payment()) }),
  );
  const redeem = async (form: object): Promise<Answer> =>
    await askToken(here.tenant, here.client, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      code_verifier: VERIFIER,
      ...form,
    });
  for (const more of [
    [payment(), payment()],
    [accounts()],
    [payment({ instructedAmount: { currency: 'EUR', amount: '999.00' } })],
  ])
    assertError(await redeem({ authorization_details: text(...more) }), 'invalid_authorization_details');
  assert.deepEqual((await redeem({})).json['authorization_details'], [payment()]);
});

// proves rfc9396-9.1-1
test('a token for one resource has the details for it, and those without locations (RFC 9396 §9.1, RFC 8707 §2)', async () => {
  const here = await world();
  const other = payment({ locations: [B] });
  const asked = text(payment(), other, accounts());
  const one = await tokens(here, { authorization_details: asked, resource: A });
  assert.deepEqual(await introspected(here, one), [payment(), accounts()]);
  const two = await tokens(here, { authorization_details: asked }, { resource: B });
  assert.deepEqual(await introspected(here, two), [other, accounts()]);
});

// proves rfc9396-6-2
test('a client that acts for itself names its details at the token endpoint; without scope it gets no default scope (RFC 9396 §6)', async () => {
  const here = await world({ scope: 'read write' });
  const ask = async (form: object): Promise<Answer> =>
    await askToken(here.tenant, here.client, { grant_type: 'client_credentials', ...form });
  const alone = await ask({ authorization_details: text(accounts()) });
  assert.deepEqual([alone.json['scope'], await introspected(here, alone)], ['', [accounts()]]);
  const both = await ask({ authorization_details: text(accounts()), scope: 'read' });
  assert.deepEqual([both.json['scope'], await introspected(here, both)], ['read', [accounts()]]);
  assert.equal((await ask({})).json['scope'], 'read write');
});

/** Details that the token endpoint refuses, and the words for the client. */
const REFUSED: readonly (readonly [what: string, details: string, words: RegExp])[] = [
  ['an object', '{}', /must be a JSON array of objects/],
  ['no JSON', '[', /must be a JSON array/],
  ['a text', '"[]"', /must be a JSON array/],
  ['an empty list', '[]', /must have an object; leave the parameter out/],
  ['a text in the list', '["payment_initiation"]', /\[0\] must be a JSON object with a text as type/],
  ['a null', '[null]', /must be a JSON object/],
  ['a list in the list', '[[]]', /must be a JSON object/],
  ['no type', '[{}]', /a text as type/],
  ['a number as type', '[{"type":1}]', /a text as type/],
  [
    'an unknown type',
    '[{"type":"toString"}]',
    /\[0\] has type 'toString', which is unknown or not registered/,
  ],
  ['a member twice', '[{"type":"account_information","note":1,"note":2}]', /no member twice/],
  [
    'a deep value',
    `[{"type":"account_information","note":${'['.repeat(40)}${']'.repeat(40)}}]`,
    /nested at most/,
  ],
  [
    'a huge number',
    '[{"type":"account_information","note":12345678901234567890}]',
    /the number '12345678901234567890', which not every reader keeps; send it as a text/,
  ],
  [
    'a whole number that not every reader has',
    '[{"type":"account_information","note":9007199254740992}]',
    /a number that not every reader keeps/,
  ],
  ['a number without end', '[{"type":"account_information","note":[1e400]}]', /the number '1e400'/],
  [
    'an amount with more digits than a double has',
    '[{"type":"account_information","note":{"amount":9999999999999.999}}]',
    /the number '9999999999999.999', which not every reader keeps/,
  ],
  ['a text with U+0000', '[{"type":"account_information","note":"\\u0000"}]', /must be a JSON array/],
  ['too much', `[{"type":"account_information","note":"${'x'.repeat(8192)}"}]`, /at most 8192 characters/],
  ['too many', text(...Array.from({ length: 21 }, () => accounts())), /at most 20 objects/],
  [
    'an unknown member',
    text(payment({ color: 'red' })),
    /at '\/color': 'is a member that the type does not have'/,
  ],
  [
    'a member of another type',
    text(payment({ creditorName: 1 })),
    /breaks the schema of type 'payment_initiation' at '\/creditorName'/,
  ],
  [
    'an invalid value',
    text(payment({ instructedAmount: { currency: 'euro', amount: '1' } })),
    /at '\/instructedAmount\/currency'/,
  ],
  ['a missing member', '[{"type":"payment_initiation","actions":["status"]}]', /breaks the schema/],
  ['the second of two', text(accounts(), { type: 'x' }), /^authorization_details\[1\] /],
  ['a prototype', '[{"type":"account_information","__proto__":{"note":1}}]', /__proto__/],
];

for (const [what, authorization_details, words] of REFUSED) {
  // proves rfc9396-5-1, rfc9396-5-2, rfc9396-8-1
  test(`POST /token with ${what} as authorization_details: 400 invalid_authorization_details (RFC 9396 §5, §8)`, async () => {
    const { tenant, client } = await service();
    const form = { grant_type: 'client_credentials', authorization_details };
    assertError(await askToken(tenant, client, form), 'invalid_authorization_details', words);
  });
}

let known: Promise<Omit<World, 'ada'>> | undefined;
async function service(): Promise<Omit<World, 'ada'>> {
  known ??= world();
  return await known;
}

test('a type that the client is not registered for is refused like an unknown one (RFC 9396 §10)', async () => {
  const tenant = testTenant({ settings: DETAIL_SETTINGS });
  const client = await tenant.register({ ...DETAILED_CLIENT, authorization_details_types: [ACCOUNTS.type] });
  const form = { grant_type: 'client_credentials', authorization_details: text(payment()) };
  assertError(
    await askToken(tenant, client, form),
    'invalid_authorization_details',
    /has type 'payment_initiation', which is unknown or not registered for this client; registered: 'account_information'$/,
  );
});

test('a server without types refuses details, and does not pass over them: the token would permit more (RFC 9396 §5)', async () => {
  const tenant = testTenant();
  const client = await tenant.register({ ...DETAILED_CLIENT, authorization_details_types: [PAYMENT.type] });
  assert.equal('authorization_details_types' in client, false);
  const form = { grant_type: 'client_credentials', authorization_details: text(payment()) };
  assertError(await askToken(tenant, client, form), 'invalid_authorization_details', /registered: no type$/);
});

test('a grant that takes no details refuses them (RFC 9396 §5)', async () => {
  const tenant = testTenant({
    settings: { ...DETAIL_SETTINGS, 'authorization.grant-types': ['password', 'client_credentials'] },
  });
  const client = await tenant.register({ ...DETAILED_CLIENT, grant_types: ['password'], redirect_uris: [] });
  const form = {
    grant_type: 'password',
    username: 'ada',
    password: 'x',
    authorization_details: text(accounts()),
  };
  assertError(
    await askToken(tenant, client, form),
    'invalid_authorization_details',
    /^grant_type 'password' takes no authorization_details$/,
  );
});
