import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEvent } from '../../ports/audit-log.ts';
import type { Posted, PostedBody } from '../../ports/outbound-http.ts';
import type { StoredDelivery, StoredWebhook } from '../../ports/webhook-store.ts';
import type { WebhookId } from '../../spec/identifiers.ts';
import { systemRandom } from '../../system/random.ts';
import { START, type TestTenant, testTenant } from '../../testing/tenant.ts';
import { resealWebhooks, sealSecrets, type WebhookConfiguration } from './webhook.ts';

const ID = 'w1' as WebhookId;
const ACCEPTED: Posted = { status: 'answered', code: 204 };

interface Sent extends PostedBody {
  readonly url: string;
  readonly json: {
    readonly delivery: string;
    readonly missed: number;
    readonly events: readonly { readonly detail: string | null }[];
  };
}

interface Scene {
  readonly tenant: TestTenant;
  readonly sent: Sent[];
  /** The next answers of the receiver; it accepts when there are no more. */
  readonly answers: (Posted | Promise<Posted>)[];
  readonly deliver: () => Promise<void>;
  readonly webhook: () => Promise<StoredWebhook>;
  readonly deliveries: () => Promise<readonly StoredDelivery[]>;
}

async function aScene(configuration: Partial<WebhookConfiguration> = {}, settings = {}): Promise<Scene> {
  const sent: Sent[] = [];
  const answers: (Posted | Promise<Posted>)[] = [];
  const postBody = async (url: string, posted: PostedBody): Promise<Posted> => {
    sent.push({ ...posted, url, json: JSON.parse(posted.body) as Sent['json'] });
    return await (answers.shift() ?? ACCEPTED);
  };
  const tenant = testTenant({
    outbound: { postBody },
    settings: { 'webhooks.attempts-max': 3, ...settings },
    // No jitter.
    random: { bytes: (count) => (count === 2 ? new Uint8Array(2) : systemRandom.bytes(count)) },
  });
  const { webhookDelivery } = await tenant.opened();
  const sealer = tenant.platform.sealerFor('test' as never);
  const url = 'https://receiver.example/events';
  const whole = { url, has_query: true, description: '', actions: [], events_max: 3, ...configuration };
  const secrets = [
    { id: 's2', value: 'new', created_at: START, expires_at: null },
    { id: 's1', value: 'old', created_at: START, expires_at: START + 10 },
  ];
  const times = { created_at: START, updated_at: START, disabled_at: null, delivered_at: null };
  const sealed = sealSecrets(sealer, ID, { query: '?key=k', secrets });
  const position = await tenant.unwatched.audit.head();
  const counts = { position, delivered: 0, missed: 0 };
  await tenant.unwatched.webhooks.create(
    { id: ID, version: 1, configuration: JSON.stringify(whole), sealed, ...times, ...counts },
    9,
    anEvent('made'),
  );
  return {
    tenant,
    sent,
    answers,
    deliver: async () => await webhookDelivery.deliverDue(),
    webhook: async () => (await tenant.unwatched.webhooks.find(ID)) ?? assert.fail(),
    deliveries: async () => await tenant.unwatched.webhooks.deliveries(ID, -1, 100),
  };
}

function anEvent(detail: string, values: Partial<AuditEvent> = {}): AuditEvent {
  const rest = { outcome: 'done', actor: 'cli', client_id: null, request_id: 'r' } as const;
  return { at: START, action: 'client.create', ...rest, detail, ...values };
}

async function append({ tenant }: Scene, ...details: readonly string[]): Promise<void> {
  for (const detail of details) await tenant.unwatched.audit.append(anEvent(detail));
}

const detailsOf = ({ sent }: Scene): readonly (string | null)[] =>
  sent.flatMap(({ json }) => json.events.map(({ detail }) => detail));

test('events are delivered in commit order, in batches, each with its cursor, and then the webhook rests', async () => {
  const scene = await aScene();
  await append(scene, 'a', 'b', 'c', 'd');
  await scene.deliver();
  assert.deepEqual(detailsOf(scene), ['made', 'a', 'b', 'c', 'd']);
  assert.deepEqual(
    scene.sent.map(({ json }) => [json.delivery, json.missed]),
    [
      ['w1.0-3', 0],
      ['w1.3-5', 0],
    ],
  );
  assert.deepEqual(await scene.deliveries(), []);
  const { position, delivered, delivered_at } = await scene.webhook();
  assert.deepEqual([position, delivered, delivered_at], [5, 5, START]);
  await scene.deliver();
  assert.equal(scene.sent.length, 2);
});

test('a webhook passes over what its actions do not select, however much that is', async () => {
  const scene = await aScene({ actions: ['session', 'client.delete'] });
  const { audit } = scene.tenant.unwatched;
  await Promise.all(
    Array.from({ length: 2600 }, async (_, index) => await audit.append(anEvent(`${index}`))),
  );
  await audit.append(anEvent('x', { action: 'session.end' }));
  await scene.deliver();
  assert.deepEqual(detailsOf(scene), ['x']);
  assert.equal((await scene.webhook()).position, await audit.head());
});

test('an attempt that is not accepted is repeated as the same delivery after a growing delay, and then waits for an operator', async () => {
  const scene = await aScene();
  const { clock } = scene.tenant;
  const bad: Posted = { status: 'answered', code: 500 };
  scene.answers.push(bad, { status: 'failed', reason: 'timeout', detail: 'late' }, bad);
  await scene.deliver();
  await append(scene, 'next');
  const [first] = await scene.deliveries();
  assert.deepEqual([first?.problem, first?.due_at], ['status 500', START + 10]);
  clock.advance(9);
  await scene.deliver();
  assert.equal(scene.sent.length, 1, 'not before its time, and nothing overtakes it');
  clock.advance(1);
  await scene.deliver();
  const [second] = await scene.deliveries();
  assert.deepEqual([second?.problem, second?.due_at], ['timeout: late', START + 30]);
  clock.advance(20);
  await scene.deliver();
  assert.equal(new Set(scene.sent.slice(0, 3).map(({ json }) => json.delivery)).size, 1);
  const [failed, ...more] = await scene.deliveries();
  assert.deepEqual([failed?.state, failed?.attempts, more], ['failed', 3, []]);
  assert.deepEqual(detailsOf(scene), ['made', 'made', 'made', 'next']);
  await scene.tenant.unwatched.webhooks.redeliver(ID, undefined, clock.now(), anEvent('again'));
  await scene.deliver();
  assert.deepEqual(new Set(detailsOf(scene).slice(4)), new Set(['again', 'made']));
  assert.deepEqual(await scene.deliveries(), []);
});

test('a webhook with too many failed deliveries plans no more: its events wait in the audit', async () => {
  const scene = await aScene({ events_max: 1 }, { 'webhooks.attempts-max': 1, 'webhooks.failed-max': 2 });
  const bad: Posted = { status: 'answered', code: 302 };
  scene.answers.push(bad, bad, bad);
  await append(scene, 'a', 'b', 'c');
  await scene.deliver();
  assert.deepEqual(detailsOf(scene), ['made', 'a']);
  await scene.tenant.unwatched.webhooks.drop(ID, 0, anEvent('dropped'));
  scene.answers.length = 0;
  await scene.deliver();
  assert.deepEqual(detailsOf(scene).slice(2), ['b', 'c', 'dropped']);
});

test('events that the audit lost first are told as missed: to the receiver, in the log and in the metrics', async () => {
  const scene = await aScene();
  const { audit } = scene.tenant.unwatched;
  await append(scene, 'a', 'b');
  await audit.sweep(START + 1, 100);
  await audit.append(anEvent('kept', { at: START + 5 }));
  await scene.deliver();
  assert.deepEqual(
    scene.sent.map(({ json }) => [json.missed, json.events.map(({ detail }) => detail)]),
    [[3, ['kept']]],
  );
  assert.equal((await scene.webhook()).missed, 3);
  const { counted, lines } = scene.tenant.platform;
  assert.equal(counted.find(({ name }) => name === 'chancery_webhook_missed_events_total')?.by, 3);
  assert.ok(lines.some(({ members }) => members['missed'] === 3));
});

test('a receiver that does not answer keeps no other webhook of the tenant waiting', async () => {
  const scene = await aScene();
  const hanging = Promise.withResolvers<Posted>();
  scene.answers.push(hanging.promise);
  const first = scene.deliver();
  await until(() => scene.sent.length > 0);
  const webhook = await scene.webhook();
  const other = { ...webhook, id: 'w2' as WebhookId, position: 0 };
  const sealer = scene.tenant.platform.sealerFor('test' as never);
  const sealed = sealSecrets(sealer, other.id, { query: '', secrets: [] });
  await scene.tenant.unwatched.webhooks.create({ ...other, sealed }, 9, anEvent('second'));
  await scene.deliver();
  await until(() => scene.sent.length > 1);
  assert.match(scene.sent[1]?.json.delivery ?? '', /^w2\./u);
  hanging.resolve(ACCEPTED);
  await first;
});

test('the query of the address goes to the receiver only, and a former secret signs until it expires', async () => {
  const scene = await aScene();
  await scene.deliver();
  const [before] = scene.sent;
  assert.equal(before?.url, 'https://receiver.example/events?key=k');
  const inputs = before.headers['signature-input'] ?? '';
  assert.match(inputs, /^server=.*, secret1=.*;keyid="s2";.*, secret2=.*;keyid="s1";/u);
  scene.tenant.clock.advance(10);
  await append(scene, 'later');
  await scene.deliver();
  assert.doesNotMatch(scene.sent[1]?.headers['signature-input'] ?? '', /secret2/u);
  assert.doesNotMatch(JSON.stringify(scene.tenant.platform.lines), /key=k/u);
  const { webhooks } = scene.tenant.unwatched;
  assert.equal(await resealWebhooks(webhooks, scene.tenant.platform.sealerFor('test' as never)), 0);
});

async function until(isTrue: () => boolean): Promise<void> {
  for (let turns = 0; turns < 10_000 && !isTrue(); turns += 1)
    await new Promise((resolve) => setImmediate(resolve));
  assert.ok(isTrue());
}
