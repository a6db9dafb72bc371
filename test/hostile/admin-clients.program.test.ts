import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answered, twoNodes } from '../program/administration.ts';
import type { Program } from '../program/start.ts';

/** Lists, changes and bulk changes of clients over the administration API of two nodes (docs/contract/hostile/clients-in-the-administration.md). */
const nodes = twoNodes();

const ask = nodes.administer;

const SERVICE = { grant_types: ['client_credentials'] };

async function create(client_name: string, node = nodes.one): Promise<Answered> {
  const made = await ask('POST', '/clients', { node, body: { metadata: { ...SERVICE, client_name } } });
  assert.equal(made.status, 201, made.text);
  return made;
}

interface Listed {
  readonly client_id: string;
  readonly metadata: { readonly client_name?: string };
}

const itemsOf = ({ json }: Answered): readonly Listed[] => json['items'] as readonly Listed[];

/** Reads every page. */
async function listed(query: string, node = nodes.one): Promise<readonly Listed[]> {
  const items: Listed[] = [];
  let cursor: unknown = '';
  while (typeof cursor === 'string') {
    const page = await ask('GET', `/clients?${query}${cursor === '' ? '' : `&cursor=${cursor}`}`, { node });
    assert.equal(page.status, 200, page.text);
    items.push(...itemsOf(page));
    cursor = page.json['next'];
  }
  return items;
}

const NAMES = [
  '<script>alert(1)</script>',
  '🦊 pair',
  '100% _x_ *y* \\z',
  `"quoted' OR 1=1 --`,
  'x'.repeat(256),
];

test('H-510 a client of any name is listed as it was registered, and found by its name on each node', async () => {
  for (const name of NAMES) {
    const { client_id } = (await create(name)).json;
    const found = await listed(`name=${encodeURIComponent(name)}`, nodes.two);
    assert.ok(
      found.some((item) => item.client_id === client_id),
      name,
    );
    const { metadata } = (await ask('GET', `/clients/${String(client_id)}`, { node: nodes.two })).json;
    const shown = (metadata as Listed['metadata']).client_name ?? '';
    assert.equal(shown, name);
  }
  for (const client_name of ['nul \0 inside', 'lone \ud800 surrogate', '\u202eright to left']) {
    const made = await ask('POST', '/clients', { body: { metadata: { ...SERVICE, client_name } } });
    assert.equal(made.status, 400, made.text);
  }
});

test('H-511 a filter with wildcards, quotes, NUL or half a character finds what has these characters, and nothing else', async () => {
  const before = (await listed('name_contains=zzz-nothing')).length;
  assert.equal(before, 0);
  for (const [part, least] of [
    ['%25', 1],
    ['_', 1],
    ['*', 1],
    ['%5C', 1],
    ['%27+OR+1%3D1', 1],
    ['%25%25', 0],
    ['__', 0],
    ['.*', 0],
  ] as const) {
    const found = await listed(`name_contains=${part}`);
    assert.equal(found.length, least, part);
  }
  for (const query of [
    'name=%00',
    'name=%ED%A0%80',
    'name_contains=%F0%9F%A6',
    'registered_via=%00',
    'scope=%00',
    'redirect_host=%00',
    'entity_id=%00',
    'owner=%27',
  ]) {
    const answered = await ask('GET', `/clients?${query}`);
    assert.ok(answered.status === 200 || answered.status === 400, `${query}: ${answered.status}`);
    if (answered.status === 200 && !query.startsWith('name')) assert.deepEqual(itemsOf(answered), [], query);
  }
  assert.equal((await ask('GET', `/clients?name=${'x'.repeat(501)}`)).status, 400);
});

test('H-512 a cursor that was cut, changed, made up, or taken from another list is refused with 400', async () => {
  const first = await ask('GET', '/clients?sort=name&limit=1');
  const next = String(first.json['next']);
  const digest = next.slice(0, 8);
  const made = (value: unknown): string => digest + Buffer.from(JSON.stringify(value)).toString('base64url');
  for (const cursor of [
    next.slice(0, -5),
    `${next.startsWith('x') ? 'y' : 'x'}${next.slice(1)}`,
    'AAAA',
    made([]),
    made([1, 'a']),
    made(['a']),
    made(['a', 1]),
    made([null, null]),
    made({ key: 'a' }),
    `${digest}%00`,
  ])
    assert.equal((await ask('GET', `/clients?sort=name&limit=1&cursor=${cursor}`)).status, 400, cursor);
  assert.equal((await ask('GET', `/clients?sort=-name&limit=1&cursor=${next}`)).status, 400);
  // A place that no client has is a place all the same.
  for (const key of ['', '\0', '\u{10ffff}', "'", 'x'.repeat(3000)])
    assert.equal(
      (await ask('GET', `/clients?sort=name&limit=1&cursor=${made([key, key])}`)).status,
      200,
      JSON.stringify(key).slice(0, 20),
    );
});

test('H-513 a client id of any form in the path names a client or answers 404', async () => {
  for (const id of ['%00', '%', '%zz', '..%2F..', '%ED%A0%80', "'", 'x'.repeat(5000)])
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/secrets'],
      ['POST', '/reissue-registration-token'],
    ] as const) {
      const { status } = await ask(method, `/clients/${id}${path}`);
      assert.ok([404, 414].includes(status), `${method} ${id}: ${status}`);
    }
});

test('H-514 of updates at two nodes with one entity tag exactly one succeeds, and the others get 412', async () => {
  for (let round = 0; round < 3; round += 1) {
    const made = await create(`race ${round}`);
    const { client_id } = made.json;
    const answers = await Promise.all(
      Array.from({ length: 8 }, async (_, index) =>
        ask('PATCH', `/clients/${String(client_id)}`, {
          node: index % 2 === 0 ? nodes.one : nodes.two,
          match: made.etag,
          body: { metadata: { client_name: `racer ${index}` } },
        }),
      ),
    );
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    assert.deepEqual(statuses, [200, 412, 412, 412, 412, 412, 412, 412]);
    const winner = answers.find(({ status }) => status === 200);
    const now = await ask('GET', `/clients/${String(client_id)}`, { node: nodes.two });
    assert.equal(now.etag, winner?.etag);
  }
});

test('H-515 bulk deletions at two nodes and single ones beside them delete each client once', async () => {
  const ids: string[] = [];
  for (let index = 0; index < 30; index += 1) ids.push(String((await create('bulk race')).json['client_id']));
  const body = { action: 'delete', filter: { name: 'bulk race' } };
  const parts = async (node: Program): Promise<readonly Answered[]> => {
    const answers: Answered[] = [];
    let cursor: unknown;
    do {
      const part = await ask('POST', '/clients/bulk', { node, body: { ...body, cursor } });
      answers.push(part);
      cursor = part.json['next'];
    } while (cursor !== undefined);
    return answers;
  };
  const [left, right, ...single] = await Promise.all([
    parts(nodes.one),
    parts(nodes.two),
    ...ids.slice(0, 6).map(async (id) => ask('DELETE', `/clients/${id}`, { node: nodes.two })),
  ]);
  const done = [...left, ...right].flatMap(({ json }) => json['done'] as readonly string[]);
  const alone = single.filter(({ status }) => status === 204).length;
  assert.equal(new Set(done).size, done.length, 'no client was deleted twice');
  assert.equal(done.length + alone, ids.length);
  assert.deepEqual(await listed('name=bulk+race'), []);
});

test('H-516 a bulk request with ten thousand ids, or with no choice of clients, changes nothing', async () => {
  const { client_id } = (await create('stays')).json;
  const ids = Array.from({ length: 10_000 }, (_, index) => `${String(client_id).slice(0, 12)}${index}`);
  const many = await ask('POST', '/clients/bulk', { body: { action: 'delete', ids: [client_id, ...ids] } });
  assert.ok([400, 413].includes(many.status), String(many.status));
  for (const body of [
    { action: 'delete' },
    { action: 'delete', filter: {} },
    { action: 'delete', filter: null },
    { action: 'delete', ids: [], filter: {} },
    { action: 'delete', ids: [null] },
    { action: 'delete', filter: { name: '' } },
  ])
    assert.equal((await ask('POST', '/clients/bulk', { body })).status, 400, JSON.stringify(body));
  assert.equal((await ask('GET', `/clients/${String(client_id)}`)).status, 200);
});

test('H-517 pages that are read while clients come and go at the other node have each staying client once', async () => {
  const staying: string[] = [];
  for (let index = 0; index < 12; index += 1)
    staying.push(String((await create(`staying ${index}`)).json['client_id']));
  const reading = new AbortController();
  const passing = (async () => {
    while (!reading.signal.aborted) {
      const { client_id } = (await create('passing', nodes.two)).json;
      await ask('DELETE', `/clients/${String(client_id)}`, { node: nodes.two });
    }
  })();
  for (const sort of ['client_id', '-name', 'created_at', 'last_used_at']) {
    const ids = (await listed(`sort=${sort}&limit=3&type=confidential`)).map(({ client_id }) => client_id);
    assert.equal(new Set(ids).size, ids.length, sort);
    assert.deepEqual(
      staying.filter((id) => !ids.includes(id)),
      [],
      sort,
    );
  }
  reading.abort();
  await passing;
});

test('H-518 an initial access token that is revoked with cascade at two nodes, while it is used, leaves no client', async () => {
  for (let round = 0; round < 3; round += 1) {
    const made = await ask('POST', '/initial-access-tokens', { body: { label: 'race' } });
    const { id, access_token } = made.json;
    const revoke = async (node: Program) =>
      ask('POST', `/initial-access-tokens/${String(id)}/revoke`, { node, body: { cascade: true } });
    const register = fetch(`${nodes.one.url}/clients`, {
      method: 'POST',
      headers: { authorization: `Bearer ${String(access_token)}`, 'content-type': 'application/json' },
      body: JSON.stringify(SERVICE),
    });
    const [registered, ...revoked] = await Promise.all([register, revoke(nodes.one), revoke(nodes.two)]);
    await registered.body?.cancel();
    assert.ok([200, 401].includes(registered.status), String(registered.status));
    for (const { status } of revoked) assert.ok([200, 409].includes(status), String(status));
    // A registration that came last may still be there: then a revocation was refused, and the next one takes it.
    await revoke(nodes.one);
    const item = await ask('GET', `/initial-access-tokens/${String(id)}`, { node: nodes.two });
    const client = item.json['client'] as { readonly state: string } | null;
    assert.ok(client === null || client.state === 'deleted', item.text);
    assert.ok(!item.text.includes(String(access_token)));
  }
});

test('H-519 a bulk request that is repeated, or has a cursor that someone made, does nothing twice', async () => {
  const { client_id } = (await create('again')).json;
  const body = { action: 'add_scope', scope: ['extra'], ids: [client_id] };
  assert.deepEqual((await ask('POST', '/clients/bulk', { body })).json['done'], [client_id]);
  const again = await ask('POST', '/clients/bulk', { node: nodes.two, body });
  assert.deepEqual([again.json['done'], again.json['unchanged']], [[], [client_id]]);
  for (const cursor of ['', 'AAAA', '%', '\0', 'x'.repeat(3000)]) {
    const answered = await ask('POST', '/clients/bulk', { body: { ...body, cursor } });
    assert.ok([200, 400].includes(answered.status), answered.text);
    if (answered.status === 200) assert.deepEqual(answered.json['done'], []);
  }
});
