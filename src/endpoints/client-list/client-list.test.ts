import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertBearerNeeded,
  assertBodiless,
  assertError,
  assertInvalidToken,
  assertMissingScopes,
  assertUncached,
  requestOf,
} from '../../testing/exchange.ts';
import { DEFAULTS, DIRECT, ISSUER, MASTER, SERVICE, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';
import { answer } from '../answer.ts';

test('200: GET /clients of an empty registry is [] (interface; decision 13)', async () => {
  const answered = await testTenant().send('client-list', { bearer: MASTER });
  assert.equal(answered.status, 200);
  assert.equal(answered.body, '[]');
  assert.equal(answered.headers['content-type'], 'application/json');
  assertUncached(answered);
});

test('200: GET /clients gives the very bytes that GET /clients/{id} gives of each (interface)', async () => {
  const tenant = testTenant();
  const clients = [
    await tenant.register({ ...WEB_CLIENT, preferred_client_id: 'b', data: { n: 1 }, 'client_name#de': 'Ü' }),
    await tenant.register({ ...SERVICE, preferred_client_id: 'a', scope: 'x' }),
    await tenant.register({ ...WEB_CLIENT, preferred_client_id: 'c', token_endpoint_auth_method: 'none' }),
  ];
  const answered = await tenant.send('client-list', { bearer: MASTER });
  const reads = await Promise.all(
    clients.map(async ({ client_id: id }) => await tenant.send('client-read', { bearer: MASTER, id })),
  );
  const [b, a, c] = reads.map(({ body }) => body);
  assert.equal(answered.body, `[${a},${b},${c}]`);
});

for (const count of [1, 4, 5, 20, 21, 22, 71, 250]) {
  test(`200: GET /clients of ${count} clients holds each once, in pieces of bounded length, never capped (decision 13)`, async () => {
    const tenant = testTenant();
    const registered = await Promise.all(
      Array.from({ length: count }, async () => await tenant.register(SERVICE)),
    );
    const list = await tenant.endpoint('client-list');
    const request = requestOf(list.contract, { bearer: MASTER });
    const response = await answer(list, request, () => assert.fail('no failure'));
    assert.ok(
      response.body !== undefined &&
        typeof response.body !== 'string' &&
        !(response.body instanceof Uint8Array),
    );
    const chunks: string[] = [];
    for await (const chunk of response.body) chunks.push(String(chunk));
    const listed = JSON.parse(chunks.join('')) as { client_id: string }[];
    assert.deepEqual(
      listed.map(({ client_id }) => client_id),
      registered.map(({ client_id }) => client_id).toSorted(),
    );
    assert.ok(chunks.every((chunk) => chunk.length < 65_536 + 2000));
    assert.equal(chunks.length > 1, count === 250);
  });
}

test('200: GET /clients holds few clients at a time where they are large, for a reader that stops reading (F18)', async () => {
  const tenant = testTenant();
  const pagesOf = async (clients: number, data: object): Promise<number> => {
    for (let count = 0; count < clients; count += 1) await tenant.register({ ...SERVICE, data });
    tenant.watch.calls.length = 0;
    await tenant.send('client-list', { bearer: MASTER });
    return tenant.watch.calls.filter((verb) => verb === 'clients.page').length;
  };
  assert.equal(await pagesOf(120, {}), 5, '1, 4, 16, 50, and what is left');
  // Another 12 of them come after or between: what counts is that no page holds 50 of these.
  const large = await pagesOf(24, { text: 'x'.repeat(50_000) });
  assert.ok(large >= 8, `${large} pages`);
});

test('200: deleted clients are not listed (interface, States)', async () => {
  const tenant = testTenant();
  const [gone, kept] = [await tenant.register(SERVICE), await tenant.register(SERVICE)];
  await tenant.send('client-delete', { bearer: MASTER, id: gone.client_id });
  const answered = await tenant.send('client-list', { bearer: MASTER });
  assert.deepEqual(JSON.parse(answered.body), [kept.members]);
});

test('200: an expired secret is listed as it is: listing renews nothing (interface: renewal is of GET /clients/{id})', async () => {
  const tenant = testTenant({ settings: { 'registration.client-secret-lifetime': 10 } });
  const client = await tenant.register(SERVICE);
  tenant.clock.advance(100);
  const answered = await tenant.send('client-list', { bearer: MASTER });
  assert.deepEqual(JSON.parse(answered.body), [client.members]);
});

for (const query of ['', 'limit=3']) {
  test(`200: with a record that cannot be opened, GET /clients?${query} lists the others, says how many are missing, and breaks (C-05, H-284)`, async () => {
    const tenant = testTenant();
    for (const preferred_client_id of ['a', 'b', 'c'])
      await tenant.register({ ...SERVICE, preferred_client_id });
    const [, stored] = await tenant.storage.clients.page(undefined, 3);
    assert.ok(stored !== undefined);
    const registration_token_sealed = 'x.y' as typeof stored.registration_token_sealed;
    await tenant.storage.clients.replace({ ...stored, registration_token_sealed }, stored.version);
    const list = await tenant.endpoint('client-list');
    const { status, body } = await list.handle(requestOf(list.contract, { bearer: MASTER, query }));
    assert.equal(status, 200);
    assert.ok(typeof body === 'object');
    let text = '';
    const read = async (): Promise<void> => {
      for await (const chunk of body) text += chunk;
    };
    await assert.rejects(read(), { name: 'ClientsOmitted' });
    const [entries, ...sentence] = text.split('\n');
    const listed = JSON.parse(`${entries}]`) as { client_id: string }[];
    assert.deepEqual(
      listed.map(({ client_id }) => client_id),
      ['a', 'c'],
    );
    assert.deepEqual(sentence, ['INCOMPLETE: 1 client cannot be read, the log has the reason', '']);
    const faults = tenant.log.filter(({ message }) => message.includes('cannot be read'));
    assert.deepEqual(
      faults.map(({ members }) => members['client_id']),
      ['b'],
    );
  });
}

test('200: GET /clients?limit= gives a page and names the next one; following the links gives every client once (decision 13; RFC 8288)', async () => {
  const tenant = testTenant();
  const ids = ['a', 'b', 'https://rp.example/', 'z', 'y'].toSorted();
  for (const preferred_client_id of ids) await tenant.register({ ...SERVICE, preferred_client_id });
  const seen: string[] = [];
  let query: string | undefined = 'limit=2';
  let pages = 0;
  while (query !== undefined) {
    const answered = await tenant.send('client-list', { bearer: MASTER, query });
    const page = JSON.parse(answered.body) as { client_id: string }[];
    assert.ok(page.length <= 2);
    seen.push(...page.map(({ client_id }) => client_id));
    const link = answered.headers['link'];
    const address = link === undefined ? undefined : /^<(.*)>; rel="next"$/.exec(link)?.[1];
    assert.equal(address?.startsWith(`${ISSUER}/clients?`) ?? true, true);
    query = address?.split('?')[1];
    pages += 1;
  }
  assert.deepEqual(seen, ids);
  assert.equal(pages, 3);
});

test('200: the last page has no link, a page after the end is empty (decision 13)', async () => {
  const tenant = testTenant();
  for (const preferred_client_id of ['a', 'b']) await tenant.register({ ...SERVICE, preferred_client_id });
  const whole = await tenant.send('client-list', { bearer: MASTER, query: 'limit=2' });
  assert.equal(whole.headers['link'], undefined);
  const cursor = Buffer.from('b').toString('base64url');
  assert.equal((await tenant.send('client-list', { bearer: MASTER, query: `cursor=${cursor}` })).body, '[]');
});

test('200: other query parameters mean nothing (interface: none are named)', async () => {
  const tenant = testTenant();
  await tenant.register(SERVICE);
  const plain = await tenant.send('client-list', { bearer: MASTER });
  assert.equal((await tenant.send('client-list', { bearer: MASTER, query: 'x=1&limit=' })).body, plain.body);
});

const QUERIES = [
  'limit=0',
  'limit=-1',
  'limit=1001',
  'limit=1e3',
  'limit=01',
  'limit=10 ',
  'limit=2&limit=2',
  'limit=%',
  'cursor=%2F',
  'cursor=a+b',
  `cursor=${'a'.repeat(1025)}`,
];

for (const query of QUERIES) {
  test(`GET /clients?${query.slice(0, 30)}: 400 invalid_request (decision 13)`, async () => {
    assertError(await testTenant().send('client-list', { bearer: MASTER, query }), 'invalid_request');
  });
}

test('credentials come before the query: 401 without credentials', async () => {
  assertBearerNeeded(await testTenant().send('client-list', { query: 'limit=0' }));
});

test('limit=1000 is the largest (decision 13)', async () => {
  const answered = await testTenant().send('client-list', { bearer: MASTER, query: 'limit=1000' });
  assert.equal(answered.body, '[]');
});

test('GET /clients without credentials: 401 with the bare challenge, open mode or not (decision 6)', async () => {
  for (const allowOpenRegistration of [true, false]) {
    assertBearerNeeded(
      await testTenant({ settings: { 'registration.allow-open-registration': allowOpenRegistration } }).send(
        'client-list',
      ),
    );
  }
});

for (const authorization of [
  'Bearer',
  'Bearer nobody',
  `Bearer ${DIRECT}`,
  `Bearer ${MASTER}x`,
  `Basic ${MASTER}`,
]) {
  test(`GET /clients with Authorization: ${authorization.slice(0, 30)}: 401 invalid_token (decision 6)`, async () => {
    assertInvalidToken(await testTenant().send('client-list', { authorization }));
  });
}

test('GET /clients with an expired access token: 401 invalid_token (decision 6)', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg');
  tenant.clock.advance(DEFAULTS['initial-access-token.lifetime']);
  assertInvalidToken(await tenant.send('client-list', { bearer }));
});

test('GET /clients with the registration token of a deleted client: 401 invalid_token (decision 6)', async () => {
  const tenant = testTenant();
  const { client_id: id, registration_access_token: bearer } = await tenant.register(WEB_CLIENT);
  await tenant.send('client-delete', { bearer, id });
  assertInvalidToken(await tenant.send('client-list', { bearer }));
});

test('GET /clients with a registration token: 403 insufficient_scope (decision 6)', async () => {
  const tenant = testTenant();
  const { registration_access_token: bearer } = await tenant.register(WEB_CLIENT);
  assertMissingScopes(await tenant.send('client-list', { bearer }), 'client-reg');
});

test('GET /clients with an access token, even of client-reg: 403 insufficient_scope (decision 6)', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register(WEB_CLIENT);
  for (const bearer of [
    await tenant.initialToken('client-reg'),
    await tenant.authorize({ client_id, scope: ['x'] }),
  ]) {
    assertMissingScopes(await tenant.send('client-list', { bearer }), 'client-reg');
  }
});

for (const bearer of [undefined, MASTER, 'nobody']) {
  test(`GET /clients where no master token is configured, with ${bearer ?? 'no token'}: 403 (decision 5)`, async () => {
    const tenant = testTenant({ settings: { 'registration.master-token-sha256': [] } });
    assertMissingScopes(
      await tenant.send('client-list', bearer === undefined ? {} : { bearer }),
      'client-reg',
    );
  });
}

test('GET /clients, the store fails at once: 500 without body, and only the report has the cause (interface, Errors)', async () => {
  const tenant = testTenant();
  const cause = new Error('disk /var/lib/registry is full');
  tenant.watch.fail(cause);
  assertBodiless(await tenant.send('client-list', { bearer: MASTER }), 500);
  assert.deepEqual(tenant.reports, [cause]);
});

test('GET /clients, the store fails while a token is looked up: 500, not 401', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg');
  tenant.watch.fail(new Error('gone'));
  assertBodiless(await tenant.send('client-list', { bearer }), 500);
});

test('500: GET /clients, the storage fails after a part was sent: the stream breaks, so a reader cannot take it for the whole list', async () => {
  const tenant = testTenant();
  await Promise.all(Array.from({ length: 200 }, async () => await tenant.register(SERVICE)));
  const cause = new Error('gone');
  let pages = 0;
  const countPages = async (): Promise<void> => {
    pages += 1;
    tenant.watch.before('clients.page', countPages);
    if (pages === 7) throw cause;
  };
  tenant.watch.before('clients.page', countPages);
  await assert.rejects(tenant.send('client-list', { bearer: MASTER }), cause);
});
