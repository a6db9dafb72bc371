import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostileRequest } from './attacked-program.ts';
import { attackedProgram } from './attacked-program.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import { formOf, introspect } from './introspection-requests.ts';
import {
  assertAnswer,
  authorise,
  clientPath,
  deleteClient,
  getClient,
  JSON_TYPE,
  PLAIN,
  postClient,
  putClient,
  register,
  SERVICE,
} from './registry.ts';

/** docs/contract/hostile/management.md without its races: reading, changing and deleting a registration, and the effects. */
const attacked = attackedProgram();
const other = attackedProgram();
const master = (): string => attacked.program.masterToken;
const list = (bearer?: string): HostileRequest => ({
  method: 'GET',
  path: '/clients',
  ...(bearer === undefined ? {} : { bearer }),
});

test('C-02 GET /clients without clients: [] exactly', async () => {
  const answer = await attacked.send(list(master()));
  assert.equal(answer.status, 200);
  assert.equal(answer.body, '[]');
});

test('C-01 GET /clients takes the master token and nothing less', async () => {
  const client = await register(attacked);
  assertAnswer(await attacked.send(list()), 'invalid_token', true);
  assertAnswer(await attacked.send(list(client.registration_access_token)), 'insufficient_scope');
  assertAnswer(await attacked.send(list(await authorise(attacked, 'client-reg'))), 'insufficient_scope');
  for (const token of [other.program.masterToken, client.client_secret, attacked.program.directToken, 'x']) {
    assertAnswer(await attacked.send(list(token)), 'invalid_token');
  }
});

test('C-06, C-07, C-08, C-27 an unknown id: 404 without body for the master token, 401 for everybody else', async () => {
  const { registration_access_token } = await register(attacked);
  for (const id of [
    'unknown',
    'y'.repeat(512),
    'y'.repeat(3_000),
    'https://rp.example.com/',
    '',
    ' ',
    'é',
    '%',
  ]) {
    if (id === '') continue;
    for (const { method, path, headers, body } of [
      getClient(id, ''),
      deleteClient(id, ''),
      putClient(id, PLAIN, ''),
      putClient(id, '{', ''),
    ]) {
      const request = {
        method,
        path,
        ...(headers === undefined ? {} : { headers }),
        ...(body === undefined ? {} : { body }),
      };
      const found = await attacked.send({ ...request, bearer: master() });
      assert.equal(found.status, 404);
      assert.equal(found.body, '');
      assertAnswer(await attacked.send({ ...request, bearer: registration_access_token }), 'invalid_token');
      assertAnswer(await attacked.send(request), 'invalid_token', true);
    }
  }
});

test('C-09, C-20 the registration token of another client opens nothing, and no answer names a client', async () => {
  const [a, b] = [await register(attacked), await register(attacked)];
  for (const token of [b.registration_access_token, 'x'.repeat(43), a.client_secret]) {
    for (const request of [
      getClient(a.client_id, token),
      putClient(a.client_id, PLAIN, token),
      putClient(a.client_id, '{', token),
      deleteClient(a.client_id, token),
    ]) {
      const answer = await attacked.send(request);
      assertAnswer(answer, 'invalid_token');
      assert.ok(!answer.body.includes(a.client_id) && !answer.body.includes('client_id'));
    }
  }
  assertAnswer(await attacked.send(getClient(a.client_id, a.registration_access_token)), 'registered');
});

// proves rfc7592-2.3-2
test('C-11, C-24 a deleted client: token, secret, registration token and list entry are gone together', async () => {
  const scope = `${attacked.program.issuer}/token/introspect`;
  const gone = await register(attacked, { ...SERVICE, scope });
  const caller = await register(attacked, { ...SERVICE, scope });
  const token = await authorise(attacked, 'read', { client_id: gone.client_id });
  assert.equal((await attacked.send(introspect(caller, token))).json['active'], true);
  const ended = await attacked.send(deleteClient(gone.client_id, gone.registration_access_token));
  assert.equal(ended.status, 204);
  assert.equal(ended.body, '');
  assert.equal((await attacked.send(introspect(caller, token))).body, '{"active":false}');
  const refused = await attacked.send(introspect(gone, token));
  assert.equal(refused.status, 401);
  assert.equal(refused.json['error'], 'invalid_client');
  const { client_id, registration_access_token } = gone;
  for (const request of [
    getClient(client_id, registration_access_token),
    putClient(client_id, PLAIN, registration_access_token),
    deleteClient(client_id, registration_access_token),
  ]) {
    assertAnswer(await attacked.send(request), 'invalid_token');
    assert.equal((await attacked.send({ ...request, bearer: master() })).status, 404);
  }
  assert.ok(!(await attacked.send(list(master()))).body.includes(client_id));
});

test('C-12, C-13 after an update the old registration token and the old secret are dead', async () => {
  const scope = `${attacked.program.issuer}/token/introspect`;
  const before = await register(attacked, { ...SERVICE, scope });
  const { client_id, registration_access_token } = before;
  const updated = await attacked.send(putClient(client_id, { ...SERVICE, scope }, registration_access_token));
  assertAnswer(updated, 'registered');
  const after = { client_id, client_secret: String(updated.json['client_secret']) };
  assertAnswer(await attacked.send(getClient(client_id, registration_access_token)), 'invalid_token');
  assert.equal((await attacked.send(introspect(before, 'x'))).json['error'], 'invalid_client');
  assert.equal((await attacked.send(introspect(after, 'x'))).body, '{"active":false}');
});

// proves rfc7592-2.2-3
test('C-14 client_id in the body of an update: the addressed one or none', async () => {
  const [a, b] = [await register(attacked), await register(attacked)];
  for (const client_id of [
    b.client_id,
    a.client_id.toLowerCase(),
    `${a.client_id} `,
    'x',
    '',
    [a.client_id],
    { a: 1 },
    1,
    true,
  ]) {
    assertAnswer(
      await attacked.send(putClient(a.client_id, { ...PLAIN, client_id }, master())),
      'invalid_request',
    );
  }
  for (const body of [PLAIN, { ...PLAIN, client_id: a.client_id }, { ...PLAIN, client_id: null }]) {
    assertAnswer(await attacked.send(putClient(a.client_id, body, master())), 'registered');
  }
});

// proves rfc7592-2.2-4, rfc7592-2.2-5
test("C-15, C-16 the server's own members in an update are ignored (decision 9)", async () => {
  const client = await register(attacked);
  const ours = {
    client_secret: 'my-own-choice-of-a-secret-0123456789',
    registration_access_token: 'my-own-choice-of-a-token-0123456789',
    registration_client_uri: 'https://evil.example.com/',
    client_id_issued_at: 1,
    client_secret_expires_at: 1,
  };
  for (const body of [
    { ...PLAIN, ...ours },
    { ...PLAIN, ...client },
    { ...PLAIN, client_secret: 'x'.repeat(10_000) },
  ]) {
    const answer = await attacked.send(putClient(client.client_id, body, master()));
    assertAnswer(answer, 'registered');
    for (const [name, value] of Object.entries(ours)) assert.notEqual(answer.json[name], value, name);
    assert.notEqual(answer.json['client_secret'], client.client_secret);
  }
});

// proves rfc7592-2.2-2
test('C-17 an update replaces: what it leaves out is gone, and what must be there is missed', async () => {
  const full = { ...PLAIN, contacts: ['a@b'], tos_uri: 'https://a.example/', data: { a: 1 }, scope: 'a' };
  const { client_id } = await register(attacked, full);
  assertAnswer(await attacked.send(putClient(client_id, {}, master())), 'invalid_redirect_uri');
  const answer = await attacked.send(putClient(client_id, { redirect_uris: PLAIN.redirect_uris }, master()));
  assertAnswer(answer, 'registered');
  for (const name of ['client_name', 'contacts', 'tos_uri', 'data', 'scope'])
    assert.equal(answer.json[name], undefined);
});

test('C-18 the registration token of a simple client cannot widen it, and what the master took stays taken', async () => {
  const client = await register(attacked, { ...PLAIN, grant_types: ['authorization_code', 'refresh_token'] });
  for (const wider of [
    { grant_types: ['client_credentials'] },
    { grant_types: ['authorization_code', 'password'] },
    { scope: 'openid' },
    { data: {} },
    { preferred_client_id: client.client_id },
    { preferred_client_secret: 'x'.repeat(40) },
  ]) {
    const answer = await attacked.send(
      putClient(client.client_id, { ...PLAIN, ...wider }, client.registration_access_token),
    );
    assertAnswer(answer, 'insufficient_scope');
  }
  const narrowed = await attacked.send(putClient(client.client_id, PLAIN, master()));
  const again = { ...PLAIN, grant_types: ['authorization_code', 'refresh_token'] };
  const token = String(narrowed.json['registration_access_token']);
  assertAnswer(await attacked.send(putClient(client.client_id, again, token)), 'insufficient_scope');
});

test('C-19 three hundred updates: token and secret are new each time, and the table does not grow', async () => {
  const client = await register(attacked);
  const rows = await attacked.stored();
  const seen = new Set([client.registration_access_token, client.client_secret]);
  let token = client.registration_access_token;
  for (let round = 0; round < 300; round += 1) {
    const answer = await attacked.send(putClient(client.client_id, PLAIN, token));
    assertAnswer(answer, 'registered');
    token = String(answer.json['registration_access_token']);
    seen.add(token).add(String(answer.json['client_secret']));
  }
  assert.equal(seen.size, 602);
  assert.deepEqual(await attacked.stored(), { ...rows, versions: rows.versions + 300 });
});

test('C-25, C-28 what comes beside a request changes nothing', async () => {
  const { client_id } = await register(attacked);
  const plain = await attacked.send(getClient(client_id, master()));
  for (const headers of [
    'Accept: text/html\r\n',
    'Accept: */*;q=0\r\n',
    `Accept-Language: ${'a,'.repeat(4_000)}\r\n`,
    'If-None-Match: *\r\n',
    'Range: bytes=0-1\r\n',
  ]) {
    const answer = await attacked.send({ ...getClient(client_id, master()), headers });
    assert.equal(answer.status, 200);
    assert.equal(answer.body, plain.body);
    assert.equal(answer.headers['content-type'], 'application/json');
  }
  const request = {
    ...deleteClient(client_id, master()),
    body: '{"all":true}',
    headers: `${JSON_TYPE}If-Match: "x"\r\n`,
  };
  assert.equal((await attacked.send({ ...request, path: `${clientPath(client_id)}?force=1` })).status, 204);
});

test('C-26 DELETE /clients ends nothing', async () => {
  await register(attacked);
  for (const path of ['/clients', '/clients/', '/clients?id=all', '/clients/*', '/clients/%2A']) {
    const answer = await attacked.send({ method: 'DELETE', path, bearer: master() });
    assert.ok([404, 405].includes(answer.status), `${path} ${answer.status}`);
  }
});

test('C-33, C-34 a public client has no secret members, and a client that becomes one loses its secret', async () => {
  const SECRET = ['client_secret', 'client_secret_expires_at'];
  const open = { ...PLAIN, token_endpoint_auth_method: 'none' };
  const client = await register(attacked, open);
  const { client_id } = client;
  const listed = Object.values((await attacked.send(list(master()))).json) as { client_id: string }[];
  for (const information of [
    client,
    (await attacked.send(getClient(client_id, client.registration_access_token))).json,
    listed.find((each) => each.client_id === client_id) ?? assert.fail('not listed'),
  ]) {
    for (const name of SECRET) assert.ok(!Object.hasOwn(information, name), name);
  }
  const closed = await attacked.send(putClient(client_id, PLAIN, client.registration_access_token));
  const client_secret = String(closed.json['client_secret']);
  assert.equal(client_secret.length, 43);
  const opened = await attacked.send(
    putClient(client_id, open, String(closed.json['registration_access_token'])),
  );
  for (const name of SECRET) assert.ok(!Object.hasOwn(opened.json, name), name);
  assert.equal((await attacked.send(introspect({ client_id, client_secret }, 'x'))).status, 401);
});

test('C-35, C-36 a token opens only what it is for', async () => {
  const scope = `${attacked.program.issuer}/token/introspect`;
  const client = await register(attacked, { ...SERVICE, scope });
  const { client_id, registration_access_token } = client;
  assertAnswer(await attacked.send(postClient(PLAIN, registration_access_token)), 'invalid_token');
  const asPassword = await attacked.send(
    introspect({ client_id, client_secret: registration_access_token }, 'x'),
  );
  assert.equal(asPassword.status, 401);
  for (const bearer of [registration_access_token, master(), attacked.program.directToken]) {
    const answer = await attacked.send({ ...formOf('token=x'), bearer });
    assert.equal(answer.status, 401);
    assert.equal(answer.json['error'], 'invalid_client');
  }
  assertAnswer(await other.send(postClient(PLAIN, master())), 'invalid_token');
});

test('C-37 an identifier is compared character by character', async () => {
  await register(attacked, { ...PLAIN, preferred_client_id: 'Exact.Id' });
  for (const segment of [
    'exact.id',
    'EXACT.ID',
    'Exact.Id%20',
    '%20Exact.Id',
    'Exact.Id%00',
    'Exact%2eI%64%0a',
    'Exact.Id%E2%80%8B',
    'Exact%252EId',
    '%EF%BC%A5xact.Id',
    'Exact.%C4%B0d',
  ]) {
    const answer = await attacked.send({ method: 'GET', path: `/clients/${segment}`, bearer: master() });
    assert.equal(answer.status, 404, segment);
  }
  const same = await attacked.send({ method: 'GET', path: '/clients/Exact%2EId', bearer: master() });
  assert.equal(same.json['client_id'], 'Exact.Id');
});

// proves rfc7592-b-1
test('C-38 registration_client_uri does not come from the request', async () => {
  const headers = `${JSON_TYPE}X-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: javascript\r\nForwarded: host=evil.example\r\nX-Original-URL: /evil\r\n`;
  const answer = await attacked.send({ ...postClient(PLAIN, master()), headers });
  const uri = `https://op.example.com/clients/${String(answer.json['client_id'])}`;
  assert.equal(answer.json['registration_client_uri'], uri);
  const read = await attacked.sendParts(
    [
      `GET ${clientPath(String(answer.json['client_id']))} HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer ${master()}\r\n\r\n`,
    ],
    1,
  );
  assert.equal(read[0]?.json['registration_client_uri'], uri);
});

test('C-39 the headers of POST, GET and PUT', async () => {
  const made = await attacked.send(postClient(PLAIN, master()));
  const id = String(made.json['client_id']);
  const answers = [
    made,
    await attacked.send(getClient(id, master())),
    await attacked.send(putClient(id, PLAIN, master())),
  ];
  for (const { headers } of answers) {
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['pragma'], 'no-cache');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    for (const name of ['set-cookie', 'etag', 'server', 'x-powered-by'])
      assert.equal(headers[name], undefined, name);
  }
});

testInvariantsAtTheEnd(attacked);
