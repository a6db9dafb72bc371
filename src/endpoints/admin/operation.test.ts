import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TIME } from '../../spec/admin-schemas/conventions.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { closed, TEXT } from '../../spec/json-schema.ts';
import { mergePatch } from '../../spec/merge-patch.ts';
import { notFound, Problem } from '../../spec/problems.ts';
import { timeText } from '../../spec/time-text.ts';
import { assertProblem } from '../../testing/admin-operations.ts';
import { type Answer, requestOf, type TestRequest } from '../../testing/exchange.ts';
import { ADMIN, START, testTenant } from '../../testing/tenant.ts';
import { answer } from '../answer.ts';
import type { Endpoint } from '../contract.ts';
import { changing, creating, type Item, removing, streaming } from './operation.ts';
import { operationContract } from './operation-contract.ts';
import { versionOf } from './version.ts';

const THING = closed({ name: { type: 'string', minLength: 1, maxLength: 5 }, made_at: TIME, note: TEXT }, [
  'name',
]);
const common = {
  scope: 'admin:clients:write',
  segments: { name: 'Its name.' },
  path: '/admin/v1/things/{name}',
} as const;

/** A resource in memory, with the three operations that write items. */
async function things(): Promise<{
  readonly store: Map<string, Item>;
  readonly send: (name: 'create' | 'patch' | 'put' | 'delete', request: TestRequest) => Promise<Answer>;
  /** The contents of the answers that are kept for a repetition. */
  readonly kept: () => Promise<readonly string[]>;
  readonly actors: () => Promise<readonly (readonly unknown[])[]>;
}> {
  const store = new Map<string, Item>();
  const tenant = testTenant();
  const issuing = (await tenant.opened()).issuing;
  const { adminTokens } = await tenant.opened();
  const settings = issuing.settings;
  const contents: string[] = [];
  const { interactions } = tenant.storage;
  const noting: typeof interactions = {
    ...interactions,
    find: async (key) => await interactions.find(key),
    begin: async (row) => {
      contents.push(row.content);
      await interactions.begin(row);
    },
  };
  const needs = {
    adminTokens: { own: adminTokens, superior: undefined },
    settings,
    json: { depth: 8, members: 20 },
    form: { parameters: 20 },
    clock: tenant.clock,
    log: tenant.platform.log,
    storage: { audit: tenant.storage.audit, replays: tenant.storage.replays, interactions: noting },
    sealer: tenant.platform.sealerFor('test' as TenantId),
  };
  const thing = (segments: Readonly<Record<string, string>>): Item =>
    store.get(segments['name'] ?? '') ?? assert.fail();
  const found = (segments: Readonly<Record<string, string>>): Item => {
    if (!store.has(segments['name'] ?? '')) throw notFound('thing');
    return thing(segments);
  };
  const keep = (item: Item): { readonly item: Item } => {
    store.set(String(item['name']), item);
    return { item };
  };
  const form = { action: 'client.update', item: THING, body: { ...THING, required: [] }, ...common } as const;
  const change = (method: 'PUT' | 'PATCH'): Endpoint =>
    changing(
      operationContract({ kind: 'change', method, name: 'thing-change', purpose: 'Changes it.', ...form }),
      async (_, call) => {
        const before = found(call.segments);
        call.ifMatch.require(versionOf(before));
        const after = (
          method === 'PUT' ? call.body : mergePatch(before as typeof call.body, call.body)
        ) as Item;
        const event = call.event({ detail: method });
        return {
          before,
          after,
          warnings: ['a warning'],
          commit: async () => {
            await needs.storage.audit.append(event);
            return keep(after);
          },
        };
      },
    )(needs);
  const endpoints = {
    create: creating(
      operationContract({
        ...form,
        kind: 'creation',
        name: 'thing-create',
        purpose: 'Makes it.',
        path: '/admin/v1/things',
        body: THING,
        segments: {},
      }),
      async (_, { body }) => {
        if (body['name'] === 'taken') throw new Problem('conflict', 'the name is taken');
        const after = { ...body, made_at: timeText(START) };
        return {
          before: null,
          after,
          commit: async () => ({ ...keep(after), location: '/things/a' }),
        };
      },
    )(needs),
    patch: change('PATCH'),
    put: change('PUT'),
    delete: removing(
      operationContract({
        kind: 'removal',
        name: 'thing-delete',
        action: 'client.delete',
        purpose: 'Deletes it.',
        ...common,
      }),
      async (_, call) => {
        const before = found(call.segments);
        call.ifMatch.require(versionOf(before));
        return { before, after: null, commit: async () => (store.delete(String(before['name'])), {}) };
      },
    )(needs),
  };
  return {
    store,
    async send(name, request) {
      const endpoint = endpoints[name];
      const sent = requestOf(endpoint.contract, { bearer: ADMIN, ...request });
      const response = await answer(endpoint, sent, () => undefined);
      const body = typeof response.body === 'string' ? response.body : '';
      const json = body === '' ? {} : (JSON.parse(body) as Answer['json']);
      return { status: response.status, headers: response.headers, body, cookies: [], json };
    },
    kept: async () => contents,
    actors: async () =>
      (await needs.storage.audit.page(0, 10)).map(({ action, actor, outcome, detail }) => [
        action,
        outcome,
        actor,
        detail,
      ]),
  };
}

const AT_A = { segments: { name: 'a' } };

test('a creation answers 201 with the item, its ETag, and a Location relative to the address of the request', async () => {
  const { send } = await things();
  const made = await send('create', { json: { name: 'a' } });
  assert.equal(made.status, 201);
  assert.deepEqual(made.json, { name: 'a', made_at: '2027-01-15T08:00:00Z' });
  assert.equal(made.headers['location'], 'things/a');
  assert.equal(made.headers['etag'], `"${versionOf(made.json)}"`);
});

test('a body is held to its schema, and every mistake is named by its pointer (RFC 9457 §3)', async () => {
  const { send, store } = await things();
  const refused = await send('create', { json: { name: 'abcdef', note: 1, 'un/known~': true } });
  assertProblem(refused, 400, 'invalid_body');
  assert.deepEqual(refused.json['errors'], [
    { pointer: '/name', detail: 'must have at most 5 characters' },
    { pointer: '/note', detail: 'must be a text' },
    { pointer: '/un~1known~0', detail: 'is not known; the members are name, made_at, note' },
  ]);
  assertProblem(await send('create', { json: {} }), 400, 'invalid_body', /^\/name is missing$/);
  for (const body of ['', '[]', '{"name":"a","name":"b"}', '{"name":"a"'])
    assertProblem(await send('create', { body }), 400, 'invalid_request');
  const form = await send('create', { body: 'name=a', contentType: 'application/x-www-form-urlencoded' });
  assertProblem(form, 400, 'invalid_request', /^Content-Type must be application\/json/);
  assert.equal(store.size, 0);
});

test('of two callers that have read one version, one changes the item and the other answers 412 (RFC 9110 §13.1.1)', async () => {
  const { send, store } = await things();
  const { headers } = await send('create', { json: { name: 'a' } });
  const match = { ...AT_A, headers: { 'if-match': headers['etag'] ?? '' } };
  const contentType = 'application/merge-patch+json';
  const patched = await send('patch', { ...match, contentType, json: { note: 'x', made_at: null } });
  assert.equal(patched.status, 200, patched.body);
  assert.deepEqual(patched.json, { name: 'a', note: 'x' });
  assertProblem(await send('put', { ...match, json: { name: 'a' } }), 412, 'precondition_failed');
  assertProblem(await send('delete', match), 412, 'precondition_failed');
  assert.deepEqual(store.get('a'), { name: 'a', note: 'x' });
  const next = { ...AT_A, headers: { 'if-match': `"other", ${patched.headers['etag'] ?? ''}` } };
  const removed = await send('delete', next);
  assert.deepEqual([removed.status, removed.body], [204, '']);
  assertProblem(await send('delete', next), 404, 'not_found');
});

test('a dry run has each difference by its pointer, the warnings and the result, and commits nothing', async () => {
  const { send, store, actors } = await things();
  await send('create', { json: { name: 'a' } });
  const request = { ...AT_A, headers: { 'if-match': '*' }, query: 'dry_run=true' };
  const preview = await send('patch', { ...request, json: { note: 'x', made_at: null } });
  assert.deepEqual(preview.json, {
    dry_run: true,
    changes: [
      { path: '/made_at', before: '2027-01-15T08:00:00Z' },
      { path: '/note', after: 'x' },
    ],
    warnings: ['a warning'],
    result: { name: 'a', note: 'x' },
  });
  assert.equal(preview.headers['etag'], undefined);
  assert.equal((await send('delete', request)).json['result'], null);
  assert.deepEqual(store.get('a'), { name: 'a', made_at: '2027-01-15T08:00:00Z' });
  assert.deepEqual(await actors(), []);
  assertProblem(await send('patch', { ...request, json: { note: 1 } }), 400, 'invalid_body');
});

test('the audit has a change with its actor, and a refused change with its code; a refused stranger is in the log only', async () => {
  const { send, actors } = await things();
  await send('create', { json: { name: 'a' } });
  await send('patch', { ...AT_A, headers: { 'if-match': '*' }, json: {} });
  await send('patch', { ...AT_A, headers: { 'if-match': '"x"' }, json: {} });
  await send('patch', { ...AT_A, bearer: 'wrong', json: {} });
  // The answer to a refusal does not wait for its record.
  await new Promise(setImmediate);
  assert.deepEqual(await actors(), [
    ['client.update', 'done', 'admin:break-glass:break', 'PATCH'],
    ['client.update', 'refused', 'admin:break-glass:break', 'precondition_failed'],
  ]);
});

test('an Audit-Reason of more than 200 characters is refused', async () => {
  const { send } = await things();
  const headers = { 'audit-reason': 'x'.repeat(201) };
  assertProblem(
    await send('create', { headers, json: { name: 'a' } }),
    400,
    'invalid_parameter',
    /^Audit-Reason /,
  );
});

test('a stream has the media type that its operation gives, and its caller can be asked whether the token is live', async () => {
  const tenant = testTenant();
  const { adminTokens, issuing } = await tenant.opened();
  const lives: (readonly [expires_at: number | undefined, isLive: boolean])[] = [];
  const endpoint = streaming(
    operationContract({
      kind: 'stream',
      name: 'thing-stream',
      path: '/admin/v1/things/stream',
      scope: 'admin:audit:read',
      purpose: 'Streams.',
      content: { 'text/event-stream': TEXT },
      words: 'Events.',
    }),
    async (_, { caller }) => {
      lives.push([caller.expires_at, await caller.isLive()]);
      tenant.clock.advance(issuing.settings['access-token.lifetime']);
      lives.push([caller.expires_at, await caller.isLive()]);
      return { headers: { 'content-type': 'text/event-stream' }, body: 'data: 1\n\n' };
    },
  )({
    adminTokens: { own: adminTokens, superior: undefined },
    settings: issuing.settings,
    json: { depth: 8, members: 20 },
    form: { parameters: 20 },
    clock: tenant.clock,
    log: tenant.platform.log,
    storage: tenant.storage,
    sealer: tenant.platform.sealerFor('test' as TenantId),
  });
  const bearer = await tenant.adminToken('admin:audit:read');
  const answered = await tenant.ask(endpoint, { bearer });
  assert.equal(answered.headers['content-type'], 'text/event-stream');
  const expires_at = START + issuing.settings['access-token.lifetime'];
  assert.deepEqual(lives, [
    [expires_at, true],
    [expires_at, false],
  ]);
});

test('of ten creations at once with one Idempotency-Key one happens, and its kept answer is sealed', async () => {
  const { send, store, kept } = await things();
  const headers = { 'idempotency-key': 'made-once', 'audit-reason': 'x' };
  const answers = await Promise.all(
    Array.from(
      { length: 10 },
      async () => await send('create', { headers, json: { name: 'a', note: 'hidden' } }),
    ),
  );
  const made = answers.filter(({ status }) => status === 201);
  assert.ok(made.length >= 1);
  for (const other of answers.filter(({ status }) => status !== 201))
    assertProblem(other, 409, 'idempotency_key_in_use');
  assert.equal(new Set(made.map(({ body }) => body)).size, 1);
  assert.deepEqual([...store.keys()], ['a']);
  const [row = ''] = await kept();
  assert.ok(row !== '' && !row.includes('hidden') && !row.includes('things'), row);
  const again = await send('create', { headers, json: { note: 'hidden', name: 'a' } });
  assertProblem(again, 422, 'idempotency_key_reused');
  const refused = await send('create', { headers: { 'idempotency-key': 'k' }, json: { name: 'taken' } });
  assertProblem(refused, 409, 'conflict');
  assert.deepEqual(
    await send('create', { headers: { 'idempotency-key': 'k' }, json: { name: 'taken' } }),
    refused,
  );
});
