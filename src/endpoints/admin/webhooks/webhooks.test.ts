import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Posted, PostedBody } from '../../../ports/outbound-http.ts';
import {
  assertProblem,
  type OperationRequest,
  testAdminDryRun,
  testAdminOperation,
  testAdminPrecondition,
} from '../../../testing/admin-operations.ts';
import type { Answer, TestRequest } from '../../../testing/exchange.ts';
import { ADMIN, type TestTenant, testTenant } from '../../../testing/tenant.ts';

const URL_WITH_SECRET = 'https://receiver.example/events?key=s3cret';
const BODY = { url: URL_WITH_SECRET, actions: ['client'] };

const ask = async (tenant: TestTenant, name: string, request: TestRequest = {}): Promise<Answer> =>
  await tenant.send(name, { bearer: ADMIN, ...request });
const create = async (tenant: TestTenant, json: object = BODY): Promise<Answer> =>
  await ask(tenant, 'admin-webhook-create', { json });
const aWebhook: OperationRequest = async (tenant) => ({
  segments: { id: String((await create(tenant)).json['id']) },
});
const stored = async ({ unwatched }: TestTenant): Promise<unknown> =>
  await unwatched.webhooks.page(undefined, 9);

/** Makes a webhook with a failed delivery. */
const aFailure: OperationRequest = async (tenant) => {
  const { segments } = (await aWebhook(tenant)) as { segments: { id: string } };
  const { webhooks } = tenant.unwatched;
  const [webhook] = await webhooks.page(undefined, 9);
  const { id, position } = webhook ?? assert.fail();
  const delivery = { events: 1, missed: 0, created_at: 1 };
  await webhooks.plan(id, { from: position, to: position + 1, delivery });
  const [taken = assert.fail()] = await webhooks.take({ now: 1, until: 9, limit: 1 });
  await webhooks.settle(taken, { outcome: 'failed', problem: 'status 500' });
  return { segments: { ...segments, delivery: `${position}-${position + 1}` } };
};

const allFailures: OperationRequest = async (tenant) => {
  const { segments } = await aFailure(tenant);
  return { segments: { id: segments?.['id'] ?? '' } };
};

testAdminOperation('admin-webhook-list', () => ({}));
testAdminOperation('admin-webhook-create', () => ({ json: BODY }));
testAdminDryRun('admin-webhook-create', () => ({ json: BODY }), stored);
const aChange: OperationRequest = async (tenant) => ({
  ...(await aWebhook(tenant)),
  json: { description: 'x' },
  contentType: 'application/merge-patch+json',
});
const matched =
  (request: OperationRequest): OperationRequest =>
  async (tenant) => ({ ...(await request(tenant)), headers: { 'if-match': '*' } });
testAdminOperation('admin-webhook-change', matched(aChange));
testAdminPrecondition('admin-webhook-change', aChange);
testAdminDryRun('admin-webhook-change', aChange, stored);
testAdminOperation('admin-webhook-delete', matched(aWebhook));
testAdminPrecondition('admin-webhook-delete', aWebhook);
testAdminDryRun('admin-webhook-delete', aWebhook, stored);
for (const name of ['read', 'delivery-list']) testAdminOperation(`admin-webhook-${name}`, aWebhook);
for (const verb of ['enable', 'disable', 'rotate', 'test']) {
  testAdminOperation(`admin-webhook-${verb}`, aWebhook);
  testAdminDryRun(`admin-webhook-${verb}`, aWebhook, stored);
}
for (const verb of ['redeliver', 'drop']) {
  testAdminOperation(`admin-webhook-${verb}`, allFailures);
  testAdminDryRun(`admin-webhook-${verb}`, allFailures, stored);
  testAdminOperation(`admin-webhook-delivery-${verb}`, aFailure);
  testAdminDryRun(`admin-webhook-delivery-${verb}`, aFailure, stored);
}

test('201: a webhook shows its secret once, and the query of its address never', async () => {
  const tenant = testTenant();
  const made = await create(tenant);
  assert.equal(made.status, 201, made.body);
  const { id, secret, secret_id } = made.json as Record<string, string>;
  assert.match(secret ?? '', /^[A-Za-z0-9]{43}$/u);
  assert.equal(made.headers['location'], `webhooks/${id}`);
  const read = await ask(tenant, 'admin-webhook-read', { segments: { id: id ?? '' } });
  assert.deepEqual(
    [read.json['url'], read.json['has_query'], read.json['enabled'], read.json['actions']],
    ['https://receiver.example/events', true, true, ['client']],
  );
  const kept = await stored(tenant);
  const list = await ask(tenant, 'admin-webhook-list');
  const events = await tenant.unwatched.audit.page(0, 99);
  const everything = [read.body, list.body, JSON.stringify([kept, events, tenant.platform.lines])].join();
  assert.ok(!everything.includes('s3cret') && !everything.includes(secret ?? ''));
  assert.deepEqual(
    events.map(({ action, detail }) => [action, detail]),
    [['webhook.create', id]],
  );
  assert.deepEqual((read.json['secrets'] as readonly { id: string }[])[0]?.id, secret_id);
});

test('400: an address that the server may not call, and an unknown action, are named by their pointers', async () => {
  const outbound = {
    urlProblem: () => ({ reason: 'forbidden-address', detail: '10.0.0.1 is private' }) as const,
  };
  const tenant = testTenant({ outbound });
  const refused = await create(tenant, { url: 'https://10.0.0.1/', actions: ['client', 'clint'] });
  assertProblem(refused, 400, 'invalid_body');
  assert.deepEqual(
    (refused.json['errors'] as readonly { pointer: string }[]).map(({ pointer }) => pointer),
    ['/url', '/actions/1'],
  );
  assert.ok(!refused.body.includes('10.0.0.1 is private'));
  assertProblem(await create(testTenant(), { url: 'https://a.example/#x' }), 400, 'invalid_body', /fragment/);
  assertProblem(
    await create(testTenant(), { url: 'https://a.example/', events_max: 101 }),
    400,
    'invalid_body',
  );
});

test('409: there are at most webhooks.max webhooks', async () => {
  const tenant = testTenant({ settings: { 'webhooks.max': 1 } });
  assert.equal((await create(tenant)).status, 201);
  assertProblem(await create(tenant), 409, 'conflict', /webhooks\.max/);
});

test('200: a change keeps the query of the address unless it has an address, and null stands for the default', async () => {
  const tenant = testTenant();
  const { segments } = await aWebhook(tenant);
  const patch = async (json: object): Promise<Answer> =>
    await ask(tenant, 'admin-webhook-change', {
      segments: segments ?? {},
      json,
      contentType: 'application/merge-patch+json',
      headers: { 'if-match': '*' },
    });
  const described = await patch({ description: 'x', actions: null });
  assert.deepEqual(
    [described.json['description'], described.json['actions'], described.json['has_query']],
    ['x', [], true],
  );
  const moved = await patch({ url: 'https://other.example/' });
  assert.deepEqual([moved.json['url'], moved.json['has_query']], ['https://other.example/', false]);
});

test('200: enable with from=now passes over what was recorded meanwhile; without it the webhook goes on where it was', async () => {
  const tenant = testTenant();
  const request = await aWebhook(tenant);
  const cursorOf = ({ json }: Answer): string => String(json['cursor']).split('-')[0] ?? '';
  const disabled = await ask(tenant, 'admin-webhook-disable', request);
  assert.equal(disabled.json['enabled'], false);
  assert.equal(cursorOf(await ask(tenant, 'admin-webhook-enable', request)), '0');
  assert.equal(cursorOf(await ask(tenant, 'admin-webhook-enable', { ...request, query: 'from=now' })), '3');
});

test('200: a rotation makes a secret beside the former one, and no third one', async () => {
  const tenant = testTenant();
  const request = await aWebhook(tenant);
  const first = await ask(tenant, 'admin-webhook-rotate', request);
  const second = await ask(tenant, 'admin-webhook-rotate', request);
  assert.notEqual(first.json['secret'], second.json['secret']);
  const { json } = await ask(tenant, 'admin-webhook-read', request);
  const secrets = json['secrets'] as readonly { id: string; expires_at: string | null }[];
  assert.deepEqual(
    secrets.map(({ id, expires_at }) => [id, expires_at]),
    [
      [second.json['secret_id'], null],
      [first.json['secret_id'], '2027-01-16T08:00:00Z'],
    ],
  );
});

test('200: a test delivery is signed, has no events, and its outcome is told', async () => {
  const sent: PostedBody[] = [];
  const answers: Posted[] = [
    { status: 'answered', code: 204 },
    { status: 'answered', code: 503 },
  ];
  const postBody = async (_url: string, posted: PostedBody): Promise<Posted> => {
    sent.push(posted);
    return await Promise.resolve(answers.shift() ?? assert.fail());
  };
  const tenant = testTenant({ outbound: { postBody } });
  const request = await aWebhook(tenant);
  const outcomes = [
    (await ask(tenant, 'admin-webhook-test', request)).json,
    (await ask(tenant, 'admin-webhook-test', request)).json,
  ];
  assert.deepEqual(outcomes, [
    { accepted: true, problem: null },
    { accepted: false, problem: 'status 503' },
  ]);
  const { test: isTest, events } = JSON.parse(sent[0]?.body ?? '') as { test: boolean; events: unknown[] };
  assert.deepEqual([isTest, events], [true, []]);
  assert.match(sent[0]?.headers['signature'] ?? '', /^server=:.*:, secret1=:.*:$/u);
});

test('failed deliveries are listed with their problem, tried again or dropped; another name: 404', async () => {
  const tenant = testTenant();
  const request = await aFailure(tenant);
  const list = async (): Promise<readonly Record<string, unknown>[]> =>
    (await ask(tenant, 'admin-webhook-delivery-list', request)).json['items'] as never;
  const [failed] = await list();
  assert.deepEqual(
    [failed?.['state'], failed?.['problem'], failed?.['due_at']],
    ['failed', 'status 500', null],
  );
  const backlog = async (): Promise<readonly unknown[]> => {
    const { json } = await ask(tenant, 'admin-webhook-read', request);
    const listed = (await ask(tenant, 'admin-webhook-list')).json['items'];
    assert.deepEqual(listed, [json]);
    return [json['waiting'], json['failed']];
  };
  assert.deepEqual(await backlog(), [0, 1]);
  const again = await ask(tenant, 'admin-webhook-delivery-redeliver', request);
  assert.deepEqual(again.json, { deliveries: 1 });
  assert.equal((await list())[0]?.['state'], 'waiting');
  assert.deepEqual(await backlog(), [1, 0]);
  for (const delivery of [String(failed?.['id']), '7-8', 'x', '']) {
    const segments = { ...request.segments, delivery };
    assertProblem(await ask(tenant, 'admin-webhook-delivery-drop', { segments }), 404, 'not_found');
  }
  const all = { segments: { id: request.segments?.['id'] ?? '' } };
  assert.deepEqual((await ask(tenant, 'admin-webhook-drop', all)).json, { deliveries: 0 });
  for (const name of ['read', 'rotate', 'delivery-list'])
    assertProblem(await ask(tenant, `admin-webhook-${name}`, { segments: { id: 'none' } }), 404, 'not_found');
});

test('204: a deleted webhook is gone with its deliveries', async () => {
  const tenant = testTenant();
  const request = await aFailure(tenant);
  const headers = { 'if-match': '*' };
  assert.equal((await ask(tenant, 'admin-webhook-delete', { ...request, headers })).status, 204);
  assertProblem(await ask(tenant, 'admin-webhook-read', request), 404, 'not_found');
  const { waiting, failed } = await tenant.unwatched.webhooks.figures();
  assert.deepEqual([waiting, failed], [0, 0]);
});
