import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEvent } from '../../../ports/audit-log.ts';
import { assertProblem, testAdminOperation } from '../../../testing/admin-operations.ts';
import { EventReader, endingStreams } from '../../../testing/event-reader.ts';
import type { Answer, TestRequest } from '../../../testing/exchange.ts';
import { ADMIN, START, type TestTenant, testTenant } from '../../../testing/tenant.ts';

function anEvent(values: Partial<AuditEvent> = {}): AuditEvent {
  const rest = { outcome: 'done', actor: 'cli', client_id: null, request_id: 'r', detail: null } as const;
  return { at: START, action: 'client.create', ...rest, ...values };
}

async function append({ unwatched: { audit } }: TestTenant, ...events: readonly AuditEvent[]): Promise<void> {
  for (const event of events) await audit.append(event);
}

const numbered = (count: number, values: Partial<AuditEvent> = {}): readonly AuditEvent[] =>
  Array.from({ length: count }, (_, index) => anEvent({ at: START + index, detail: `${index}`, ...values }));

const detailsOf = ({ json }: Answer): readonly unknown[] =>
  (json['items'] as readonly { readonly detail: unknown }[]).map(({ detail }) => detail);

const ask = async (tenant: TestTenant, name: string, request: TestRequest = {}): Promise<Answer> =>
  await tenant.send(name, { bearer: ADMIN, ...request });

testAdminOperation('admin-audit-list', () => ({}));
testAdminOperation('admin-audit-export', () => ({}));
testAdminOperation('admin-events', (tenant) => {
  endingStreams(tenant);
  return {};
});

test('200: GET /admin/v1/audit lists events newest first, oldest first with sort=at, with every member, in pages', async () => {
  const tenant = testTenant();
  await append(tenant, ...numbered(5));
  const seen: unknown[] = [];
  let query = 'limit=2';
  let cursor: unknown;
  do {
    const page = await ask(tenant, 'admin-audit-list', { query });
    seen.push(...detailsOf(page));
    cursor = page.json['next'];
    query = `limit=2&cursor=${String(cursor)}`;
  } while (cursor !== undefined);
  assert.deepEqual(seen, ['4', '3', '2', '1', '0']);
  const oldest = await ask(tenant, 'admin-audit-list', { query: 'sort=at&limit=1' });
  const [first] = oldest.json['items'] as readonly { readonly id: string }[];
  assert.match(first?.id ?? '', /^1-[\w-]{8}$/u);
  assert.deepEqual(
    { ...first, id: 'x' },
    {
      id: 'x',
      at: '2027-01-15T08:00:00Z',
      action: 'client.create',
      outcome: 'done',
      actor: 'cli',
      client_id: null,
      sub: null,
      address: null,
      user_agent: null,
      request_id: 'r',
      detail: '0',
      reason: null,
    },
  );
});

test('200: GET /admin/v1/audit selects by every parameter, and names each one that no event can match with 400', async () => {
  const tenant = testTenant();
  await append(
    tenant,
    anEvent({ detail: 'a', client_id: 'c', actor: 'master:ops' }),
    anEvent({ detail: 'b', sub: 's', action: 'session.create', address: '192.0.2.9', request_id: 'q' }),
    anEvent({ detail: 'c', outcome: 'refused', at: START - 7200 }),
  );
  const rows: readonly (readonly [query: string, details: readonly string[]])[] = [
    ['client_id=c', ['a']],
    ['actor=master', ['a']],
    ['action=session,client.delete', ['b']],
    ['sub=s&address=192.0.2.9&request_id=q', ['b']],
    ['outcome=refused', ['c']],
    ['until=1h', ['c']],
    ['since=1h&sort=at', ['a', 'b']],
    ['since=2027-01-15T08:00:00Z&sub=x', []],
  ];
  for (const [query, details] of rows)
    assert.deepEqual(detailsOf(await ask(tenant, 'admin-audit-list', { query })), details, query);
  const refused = await ask(tenant, 'admin-audit-list', { query: 'since=yesterday&action=clien&outcome=x' });
  assertProblem(refused, 400, 'invalid_parameter');
  const pointers = (refused.json['errors'] as readonly { readonly pointer: string }[]).map(
    ({ pointer }) => pointer,
  );
  assert.deepEqual(pointers, ['since', 'action', 'outcome']);
});

test('200: a search that finds little answers early with the place where it goes on, and finds the event in the end', async () => {
  const tenant = testTenant();
  const { audit } = tenant.unwatched;
  await append(tenant, anEvent({ detail: 'rare', actor: 'federation:x' }));
  await Promise.all(numbered(11_000).map(async (event) => await audit.append(event)));
  const query = 'actor=federation';
  const first = await ask(tenant, 'admin-audit-list', { query });
  assert.deepEqual(first.json['items'], []);
  const next = await ask(tenant, 'admin-audit-list', {
    query: `${query}&cursor=${String(first.json['next'])}`,
  });
  assert.deepEqual([detailsOf(next), next.json['next']], [['rare'], undefined]);
});

test('200: GET /admin/v1/audit/export has all events as JSON lines, or as CSV that no spreadsheet takes for formulas', async () => {
  const tenant = testTenant();
  const user_agent = '=cmd|"x"\r\nnext,line';
  await append(tenant, ...numbered(1200), anEvent({ at: START + 9000, detail: 'last', user_agent }));
  const lines = (await ask(tenant, 'admin-audit-export')).body.trimEnd().split('\n');
  assert.equal(lines.length, 1201);
  assert.deepEqual((JSON.parse(lines.at(-1) ?? '') as { user_agent: string }).user_agent, user_agent);
  const csv = await ask(tenant, 'admin-audit-export', {
    query: 'format=csv&sort=-at&since=2027-01-15T10:30:00Z',
  });
  assert.match(csv.headers['content-type'] ?? '', /^text\/csv/);
  const [head, row] = [
    csv.body.slice(0, csv.body.indexOf('\r\n')),
    csv.body.slice(csv.body.indexOf('\r\n') + 2),
  ];
  assert.equal(head, 'id,at,action,outcome,actor,client_id,sub,address,user_agent,request_id,detail,reason');
  assert.match(
    row,
    /^1201-[\w-]{8},2027-01-15T10:30:00Z,client\.create,done,cli,,,,"'=cmd\|""x""\r\nnext,line",r,last,\r\n$/u,
  );
});

test('an export whose token is revoked meanwhile does not end like a complete one', async () => {
  const tenant = testTenant();
  await append(tenant, ...numbered(600));
  const bearer = await tenant.adminToken('admin:audit:read');
  const reader = await EventReader.open(tenant, 'admin-audit-export', { bearer });
  assert.equal((await reader.chunk())?.length, 0);
  await reader.chunk();
  tenant.clock.advance(100_000);
  await assert.rejects(reader.chunk(), { code: 'invalid_token' });
});

test('200: GET /admin/v1/events sends each event once with its cursor, and Last-Event-ID resumes after it (WHATWG HTML §9.2)', async () => {
  const tenant = testTenant();
  await append(tenant, anEvent({ detail: 'before' }));
  const reader = await EventReader.open(tenant, 'admin-events', { bearer: ADMIN });
  assert.match((await reader.chunk()) ?? '', /^: .*\nretry: 3000\nid: 1-[\w-]{8}\n\n$/u);
  await append(
    tenant,
    anEvent({ detail: 'one' }),
    anEvent({ detail: 'two', user_agent: 'x\r\ndata: forged\n\nid: 9' }),
  );
  const [one, two] = await reader.events(2);
  assert.deepEqual([one?.data['detail'], two?.data['detail']], ['one', 'two']);
  assert.equal(two?.data['user_agent'], 'x\r\ndata: forged\n\nid: 9');
  await reader.leave();
  await append(tenant, anEvent({ detail: 'three' }));
  for (const request of [{ headers: { 'last-event-id': one?.id ?? '' } }, { query: `cursor=${one?.id}` }]) {
    const again = await EventReader.open(tenant, 'admin-events', { bearer: ADMIN, ...request });
    const details = (await again.events(2)).map(({ data }) => data['detail']);
    assert.deepEqual(details, ['two', 'three']);
    await again.leave();
  }
});

test('a stream passes over what is not selected, tells the place with its heartbeat, and says how many events were swept', async () => {
  const tenant = testTenant();
  await append(tenant, ...numbered(4), anEvent({ at: START + 50, detail: 'kept', sub: 's' }));
  await tenant.unwatched.audit.sweep(START + 10, 100);
  const reader = await EventReader.open(tenant, 'admin-events', { bearer: ADMIN, query: 'cursor=0&sub=s' });
  const [gap, kept] = await reader.events(2);
  assert.deepEqual([gap?.event, gap?.data], ['gap', { missed: 4 }]);
  assert.deepEqual([kept?.data['detail'], kept?.id.split('-')[0]], ['kept', '5']);
  await append(tenant, anEvent({ detail: 'other' }));
  const heartbeat = reader.chunk();
  for (let seconds = 0; seconds < 20; seconds += 1) await reader.pass(tenant, 1);
  assert.match((await heartbeat) ?? '', /^id: 6-[\w-]{8}\n\n$/u);
  await reader.leave();
});

test('a cursor of another tenant, of nothing, or ahead of the newest event is refused with 400', async () => {
  const tenant = testTenant();
  await append(tenant, anEvent());
  const [item] = (await ask(tenant, 'admin-audit-list')).json['items'] as readonly { readonly id: string }[];
  const tag = item?.id.slice(2) ?? '';
  for (const forged of [`2-${tag}`, `1-AAAAAAAA`, '1', `01-${tag}`, `-1-${tag}`, 'x', '', `1-${tag}\u0000`]) {
    const headers = { 'last-event-id': forged };
    assertProblem(
      await ask(tenant, 'admin-events', { headers }),
      400,
      'invalid_parameter',
      /^Last-Event-ID /,
    );
  }
  assertProblem(
    await ask(tenant, 'admin-events', { query: 'cursor=9' }),
    400,
    'invalid_parameter',
    /^cursor /,
  );
});

test('a stream ends when its token expires or is revoked, when the process stops, and when its reader is slow, and says so', async () => {
  const ended = async (act: (tenant: TestTenant) => unknown): Promise<unknown> => {
    const tenant = testTenant({ settings: { 'access-token.lifetime': 60 } });
    const bearer = await tenant.adminToken('admin:audit:read');
    const reader = await EventReader.open(tenant, 'admin-events', { bearer });
    await reader.chunk();
    await act(tenant);
    const [end] = await reader.events(1);
    assert.equal(end?.event, 'end');
    assert.equal(await reader.chunk(), undefined);
    return end?.data['reason'];
  };
  assert.equal(await ended((tenant) => tenant.clock.advance(60)), 'token-expired');
  assert.equal(
    await ended(async ({ unwatched: { clients } }) => {
      for (const client of await clients.page(undefined, 9)) await clients.delete(client, anEvent());
    }),
    'token-revoked',
  );
  assert.equal(await ended((tenant) => tenant.platform.streams.stop()), 'server-stops');
  assert.equal(await ended((tenant) => tenant.clock.advance(46)), 'slow-reader');
});

test('429: a caller has a bounded number of streams, and a place is free when its reader leaves', async () => {
  const tenant = testTenant();
  const open = async (): Promise<EventReader> =>
    await EventReader.open(tenant, 'admin-events', { bearer: ADMIN });
  const readers = [await open(), await open(), await open()];
  for (const name of ['admin-events', 'admin-audit-export']) {
    const refused = await ask(tenant, name);
    assertProblem(refused, 429, 'too_many_requests');
    assert.equal(refused.headers['retry-after'], '5');
  }
  const bearer = await tenant.adminToken('admin:audit:read');
  await (await EventReader.open(tenant, 'admin-events', { bearer })).leave();
  await readers[0]?.leave();
  await readers[0]?.leave();
  await (await open()).leave();
});
