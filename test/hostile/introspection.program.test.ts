import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, HostileRequest } from './attacked-program.ts';
import { attackedProgram } from './attacked-program.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import type { Credentials } from './introspection-requests.ts';
import { basic, FORM_TYPE, formOf, introspect } from './introspection-requests.ts';
import { BAD_BASIC, BAD_FORMS, INACTIVE_FORMS, spoilt } from './introspection-rows.ts';
import { authorise, deleteClient, PLAIN, type RegisteredClient, register, SERVICE } from './registry.ts';

/** docs/contract/hostile/introspection.md for Basic, post and bearer authentication and identifier-based tokens. */
const attacked = attackedProgram({}, async (started) => {
  scope = `${started.program.issuer}/token/introspect`;
  caller = await register(started, { ...SERVICE, scope });
  live = await authorise(started, 'read write', { client_id: caller.client_id, sub: 'alice' });
});
const other = attackedProgram();
const INACTIVE = '{"active":false}';
const NOBODY = { client_id: 'unknown0unknown0unknown0', client_secret: 'x'.repeat(43) };
let caller: RegisteredClient;
let scope: string;
let live: string;

function assertRefused(answer: Answer, status: number, error: string): void {
  assert.equal(answer.status, status, `${answer.status} ${answer.body}`);
  assert.equal(answer.json['error'], error);
}

const inPost = ({ client_id, client_secret }: Credentials, token: string): HostileRequest =>
  formOf(String(new URLSearchParams({ token, client_id, client_secret })));

test('H-125 a client of a secret sends it by HTTP Basic or in the form, whichever it registered, and never in the query (decision 44)', async () => {
  for (const method of ['client_secret_basic', 'client_secret_post']) {
    const client = await register(attacked, { ...SERVICE, scope, token_endpoint_auth_method: method });
    for (const request of [introspect(client, live), inPost(client, live)])
      assert.equal((await attacked.send(request)).json['active'], true);
    const { client_id, client_secret } = client;
    const query = String(new URLSearchParams({ client_id, client_secret, token: live }));
    for (const form of [`token=${live}`, `token=${live}&client_id=${client_id}`]) {
      const inQuery = { ...formOf(form), path: `/token/introspect?${query}` };
      assertRefused(await attacked.send(inQuery), 401, 'invalid_client');
    }
  }
});

test('H-125 a public client does not authenticate at all', async () => {
  const { client_id } = await register(attacked, { ...PLAIN, scope, token_endpoint_auth_method: 'none' });
  for (const client_secret of ['', 'x', 'undefined', 'null', client_id]) {
    assertRefused(await attacked.send(introspect({ client_id, client_secret }, live)), 401, 'invalid_client');
    assertRefused(await attacked.send(inPost({ client_id, client_secret }, live)), 401, 'invalid_client');
  }
});

test('H-125 two methods at once: 400 (RFC 6749 §2.3)', async () => {
  const body = inPost(caller, live);
  assertRefused(await attacked.send({ ...body, authorization: basic(caller) }), 400, 'invalid_request');
  assertRefused(await attacked.send({ ...body, bearer: live }), 400, 'invalid_request');
  const twice = `Authorization: ${basic(caller)}\r\nAuthorization: Bearer ${live}\r\n`;
  const answer = await attacked.send({ ...formOf(`token=${live}`), headers: FORM_TYPE + twice });
  assertRefused(answer, 400, 'invalid_request');
});

test('H-126 without authentication: 401', async () => {
  assertRefused(await attacked.send(formOf(`token=${live}`)), 401, 'invalid_client');
});

for (const [what, make] of Object.entries(BAD_BASIC)) {
  test(`H-126 Basic: ${what}`, async () => {
    const answer = await attacked.send({ ...formOf(`token=${live}`), authorization: make(caller) });
    assertRefused(answer, 401, 'invalid_client');
    assert.match(answer.headers['www-authenticate'] ?? '', /^Basic realm=/);
  });
}

test('H-126 both halves of Basic are form-decoded once', async () => {
  const preferred_client_secret = 'a%3Ab+c d:e%2525f&=' + 'z'.repeat(20);
  const client = await register(attacked, {
    ...SERVICE,
    scope,
    preferred_client_secret,
    preferred_client_id: 'https://rs.example.com/a',
  });
  assert.equal((await attacked.send(introspect(client, live))).json['active'], true);
  const { client_id, client_secret } = client;
  const raw = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
  const twice = basic({ client_id, client_secret: encodeURIComponent(client_secret) });
  for (const authorization of [raw, twice]) {
    assertRefused(await attacked.send({ ...formOf('token=x'), authorization }), 401, 'invalid_client');
  }
});

test('H-127 unknown, wrong, deleted, unfit: the same bytes', async () => {
  const deleted = await register(attacked, { ...SERVICE, scope });
  await attacked.send(deleteClient(deleted.client_id, deleted.registration_access_token));
  const unfit = await register(attacked, { ...SERVICE, scope: 'a' });
  const other = await register(attacked, {
    ...SERVICE,
    scope,
    token_endpoint_auth_method: 'client_secret_jwt',
  });
  const rows = [
    NOBODY,
    { ...caller, client_secret: 'x'.repeat(43) },
    deleted,
    { ...unfit, client_secret: 'x'.repeat(43) },
    other,
    { client_id: '__proto__', client_secret: 'x' },
    { ...caller, client_id: caller.client_id.toLowerCase() },
  ];
  const answers = await Promise.all(rows.map((row) => attacked.send(introspect(row, live))));
  for (const { status, body, headers } of answers) {
    const [first] = answers;
    assert.equal(status, 401);
    assert.equal(body, first?.body);
    assert.deepEqual({ ...headers, date: '' }, { ...first?.headers, date: '' });
  }
});

// proves rfc7662-2.1-4
test('H-128 a client without exactly the introspection scope: 403, whatever the token', async () => {
  for (const near of [
    undefined,
    '',
    `${scope}/`,
    scope.replace('https', 'http'),
    scope.toUpperCase(),
    scope.slice(0, -1),
    `${scope}2`,
    attacked.program.issuer,
    '/token/introspect',
    `x${scope}`,
  ]) {
    const client = await register(attacked, near === undefined ? SERVICE : { ...SERVICE, scope: near });
    for (const token of [live, 'junk']) {
      assertRefused(await attacked.send(introspect(client, token)), 403, 'access_denied');
    }
  }
});

// proves rfc7662-2.1-4
test('H-129 a bearer token opens introspection if it carries the scope, and nothing else does', async () => {
  const { client_id, registration_access_token, client_secret } = caller;
  const right = await authorise(attacked, scope, { client_id });
  assert.equal((await attacked.send({ ...formOf(`token=${live}`), bearer: right })).json['active'], true);
  const initial = await authorise(attacked, 'client-reg');
  for (const bearer of [live, initial, await authorise(attacked, `${scope}/`, { client_id })]) {
    assertRefused(await attacked.send({ ...formOf(`token=${bearer}`), bearer }), 403, 'access_denied');
  }
  const foreign = await register(other, { ...SERVICE, scope });
  const strangers = [
    registration_access_token,
    client_secret,
    attacked.program.masterToken,
    'x',
    'x'.repeat(600),
    await authorise(other, scope, { client_id: foreign.client_id }),
  ];
  for (const bearer of strangers) {
    assertRefused(await attacked.send({ ...formOf(`token=${live}`), bearer }), 401, 'invalid_client');
  }
  const ended = await authorise(attacked, scope, { client_id, lifetime: 1 });
  await sleep(1_100);
  assertRefused(await attacked.send({ ...formOf(`token=${live}`), bearer: ended }), 401, 'invalid_client');
});

for (const [what, request] of Object.entries(BAD_FORMS)) {
  test(`H-130…H-134, H-148 ${what}`, async () => {
    const answer = await attacked.send({ ...formOf(request.body), ...request, authorization: basic(caller) });
    assertRefused(answer, request.status ?? 400, 'invalid_request');
  });
}

for (const [what, body] of Object.entries(INACTIVE_FORMS)) {
  test(`H-133 ${what}: a token that does not exist`, async () => {
    const answer = await attacked.send({ ...formOf(body), authorization: basic(caller) });
    assert.equal(answer.status, 200, answer.body);
    assert.equal(answer.body, INACTIVE);
  });
}

test('H-131 parameters in the query are not read', async () => {
  const path = `/token/introspect?token=${live}&token_type_hint=x&x=%zz`;
  const authorization = basic(caller);
  assertRefused(await attacked.send({ ...formOf(''), path, authorization }), 400, 'invalid_request');
  assert.equal((await attacked.send({ ...formOf('token=junk'), path, authorization })).body, INACTIVE);
});

test('H-135 GET: 405, and the token is not in the log', async () => {
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const answer = await attacked.send({
      method,
      path: `/token/introspect?token=${live}`,
      authorization: basic(caller),
    });
    assert.equal(answer.status, 405);
    assert.match(answer.headers['allow'] ?? '', /POST/);
  }
});

test('H-136 a hint changes nothing', async () => {
  const authorization = basic(caller);
  const plain = await attacked.send({ ...formOf(`token=${live}`), authorization });
  for (const hint of ['access_token', 'refresh_token', 'foo', '', 'x'.repeat(10_000), '__proto__']) {
    const answer = await attacked.send({ ...formOf(`token_type_hint=${hint}&token=${live}`), authorization });
    assert.equal(answer.body, plain.body);
    const inactive = await attacked.send({ ...formOf(`token=x&token_type_hint=${hint}`), authorization });
    assert.equal(inactive.body, INACTIVE);
  }
});

test('H-137 what is no access token is inactive; an initial access token is one', async () => {
  for (const token of [
    caller.registration_access_token,
    caller.client_secret,
    caller.client_id,
    attacked.program.masterToken,
    attacked.program.directToken,
  ]) {
    assert.equal((await attacked.send(introspect(caller, token))).body, INACTIVE);
  }
  const initial = await authorise(attacked, 'client-reg');
  assert.equal((await attacked.send(introspect(caller, initial))).json['scope'], 'client-reg');
});

// proves rfc7662-4-3
test('H-138 a live token that is changed anywhere is inactive', async () => {
  for (const token of spoilt(live)) {
    const answer = await attacked.send(introspect(caller, token));
    assert.equal(answer.body, INACTIVE, `${token.length} characters`);
  }
  assert.equal((await attacked.send(introspect(caller, live))).json['active'], true);
});

// proves rfc7662-4-2
test('H-144, H-145 a token is inactive from the moment its client is gone', async () => {
  for (let round = 0; round < 10; round += 1) {
    const client = await register(attacked);
    const token = await authorise(attacked, 'read', { client_id: client.client_id });
    const asked = Array.from({ length: 20 }, () => introspect(caller, token));
    for (const answer of await attacked.sendAtOnce(asked)) assert.equal(answer.json['active'], true);
    await attacked.send(deleteClient(client.client_id, attacked.program.masterToken));
    for (const answer of await attacked.sendAtOnce(asked)) assert.equal(answer.body, INACTIVE);
  }
});

test('H-145 the tokens of a deleted client stay dead when its identifier is registered again', async () => {
  const wanted = { ...PLAIN, preferred_client_id: 'registered-again' };
  const { client_id } = await register(attacked, wanted);
  const token = await authorise(attacked, 'read', { client_id });
  await attacked.send(deleteClient(client_id, attacked.program.masterToken));
  await register(attacked, wanted);
  assert.equal((await attacked.send(introspect(caller, token))).body, INACTIVE);
});

test('H-146 every inactive answer is the same, headers included', async () => {
  const expired = await authorise(attacked, 'read', { client_id: caller.client_id, lifetime: 1 });
  const client = await register(attacked);
  const orphan = await authorise(attacked, 'read', { client_id: client.client_id });
  await attacked.send(deleteClient(client.client_id, attacked.program.masterToken));
  const foreignClient = await register(other);
  const foreign = await authorise(other, 'read', { client_id: foreignClient.client_id });
  await sleep(1_100);
  const used = await authorise(attacked, 'client-reg');
  await attacked.send({
    method: 'POST',
    path: '/clients',
    bearer: used,
    headers: 'Content-Type: application/json\r\n',
    body: JSON.stringify(PLAIN),
  });
  const tokens = [expired, orphan, foreign, used, 'junk', `${live}x`];
  const answers = await Promise.all(tokens.map((token) => attacked.send(introspect(caller, token))));
  for (const { body, headers } of answers) {
    assert.equal(body, INACTIVE);
    assert.deepEqual({ ...headers, date: '' }, { ...answers[0]?.headers, date: '' });
  }
});

test('H-147 an active answer has the members of the interface in their types', async () => {
  const { client_id } = caller;
  const data = { a: [1, 'x'] };
  const token = await authorise(attacked, 'read', {
    client_id,
    audience: ['https://a.example'],
    data,
    lifetime: 60,
  });
  const { json, headers } = await attacked.send(introspect(caller, token));
  assert.equal(headers['content-type']?.toLowerCase(), 'application/json;charset=utf-8');
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(json['scope'], 'read');
  assert.equal(json['client_id'], client_id);
  assert.equal(json['token_type'], 'Bearer');
  assert.equal(json['iss'], attacked.program.issuer);
  assert.deepEqual(json['aud'], ['https://a.example']);
  assert.deepEqual(json['dat'], data);
  assert.ok(Number.isInteger(json['exp']) && Number(json['exp']) - Number(json['iat']) === 60);
  assert.equal(typeof json['sub'], 'string');
});

testInvariantsAtTheEnd(attacked);
