import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEvent, AuditFilter, AuditPlace, RecordedAuditEvent } from '../../ports/audit-log.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import { type MakeEngine, onEmptyStorage } from './engine.ts';
import { aClient, anEvent, aToken, HARD_TEXTS, LABEL, NOW, OPEN, times } from './stored-examples.ts';

const FIRST: AuditPlace = { at: 0, sequence: 0 };
const LAST: AuditPlace = { at: Number.MAX_SAFE_INTEGER, sequence: 0 };

export function auditSearchContract(make: MakeEngine): void {
  searches(make);
  heads(make);
}

const pick = <T>(values: readonly T[], index: number): T => values[index % values.length] as T;

/** Events whose members take turns with different periods, several in one second, and some with an earlier time than the one before. */
const EVENTS: readonly AuditEvent[] = times(90, (index) =>
  anEvent({
    at: NOW + Math.floor(index / 4) - pick([0, 0, 0, 5], index),
    action: pick(['client.create', 'client.update', 'session.create'] as const, index),
    actor: pick(['cli', 'master:ops', 'master:x', 'master'], index),
    outcome: pick(['done', 'done', 'done', 'done', 'refused'] as const, index),
    client_id: pick([null, 'c1', 'c2', pick(HARD_TEXTS, index)], index),
    request_id: `r${Math.floor(index / 3)}`,
    ...(index % 7 === 0 ? {} : { sub: pick(['ada', 'bob', 'Ada'], index) }),
    ...(index % 5 === 0 ? {} : { address: pick(['192.0.2.1', '2001:db8::1'], index) }),
  }),
);

const FILTERS: readonly AuditFilter[] = [
  {},
  { actions: ['client.create'] },
  { actions: ['client.create', 'session.create'] },
  { actions: [] },
  { actor: 'cli' },
  { actor: 'master' },
  { actorKind: 'master' },
  { client_id: 'c1' },
  { client_id: HARD_TEXTS[0] ?? '' },
  { sub: 'ada' },
  { sub: 'ada', outcome: 'refused' },
  { address: '192.0.2.1', actions: ['client.update'] },
  { outcome: 'refused' },
  { outcome: 'done', actor: 'cli' },
  { request_id: 'r4' },
  { request_id: 'r4', client_id: 'c2' },
  { sub: 'nobody-of-this-name' },
];

const matches =
  (filter: AuditFilter) =>
  (event: RecordedAuditEvent): boolean =>
    (filter.actions?.includes(event.action) ?? true) &&
    event.actor === (filter.actor ?? event.actor) &&
    (filter.actorKind === undefined || event.actor.startsWith(`${filter.actorKind}:`)) &&
    event.client_id === (filter.client_id ?? event.client_id) &&
    event.sub === (filter.sub ?? event.sub) &&
    event.address === (filter.address ?? event.address) &&
    event.outcome === (filter.outcome ?? event.outcome) &&
    event.request_id === (filter.request_id ?? event.request_id);

const byTime = (one: AuditPlace, other: AuditPlace): number =>
  one.at - other.at || one.sequence - other.sequence;

interface Search {
  readonly filter: AuditFilter;
  readonly order: 'newest-first' | 'oldest-first';
  readonly after?: AuditPlace;
  readonly before?: AuditPlace;
}

/** Goes through all pages of a search that looks at 7 events at a time, and returns at most 3. */
async function found(
  { audit }: TenantStorage,
  { filter, order, after = FIRST, before = LAST }: Search,
): Promise<readonly RecordedAuditEvent[]> {
  const all: RecordedAuditEvent[] = [];
  let [from, until] = [after, before];
  for (let calls = 0; calls < 100; calls += 1) {
    const page = await audit.search({ filter, order, after: from, before: until, limit: 3, examined: 7 });
    assert.ok(page.events.length <= 3);
    all.push(...page.events);
    if (page.next === undefined) return all;
    if (order === 'newest-first') until = page.next;
    else from = page.next;
  }
  return assert.fail('the search does not end');
}

function searches(make: MakeEngine): void {
  test(
    'a search finds each matching event once, in the order of times from either end, for every filter and time span, however little a call may look at',
    onEmptyStorage(make, async ({ tenant, other }) => {
      await Promise.all(EVENTS.flatMap((event) => [tenant, other].map(({ audit }) => audit.append(event))));
      const all = (await tenant.audit.page(0, 1000)).toSorted(byTime);
      const spans = [{}, { after: { at: NOW + 4, sequence: 0 }, before: { at: NOW + 17, sequence: 0 } }];
      for (const filter of FILTERS)
        for (const { after = FIRST, before = LAST } of spans as readonly Partial<Search>[]) {
          const expected = all.filter(
            (event) => matches(filter)(event) && byTime(event, after) > 0 && byTime(event, before) < 0,
          );
          const words = JSON.stringify({ filter, after, before });
          const ask = { filter, after, before };
          assert.deepEqual(await found(tenant, { ...ask, order: 'oldest-first' }), expected, words);
          const newest = await found(tenant, { ...ask, order: 'newest-first' });
          assert.deepEqual(newest, expected.toReversed(), words);
        }
    }),
  );

  test(
    'a search that looks at few events tells where it goes on although it found none, and ends after the last event',
    onEmptyStorage(make, async ({ tenant: { audit } }) => {
      for (const event of times(10, (index) => anEvent({ at: NOW + index }))) await audit.append(event);
      const [, , , fourth] = await audit.page(0, 10);
      const search = { filter: { actorKind: 'x' }, order: 'oldest-first', limit: 3, examined: 4 } as const;
      const page = await audit.search({ ...search, after: FIRST, before: LAST });
      assert.deepEqual(page, { events: [], next: { at: NOW + 3, sequence: fourth?.sequence } });
      const rest = await audit.search({ ...search, after: { at: NOW + 6, sequence: 99 }, before: LAST });
      assert.deepEqual(rest, { events: [], next: undefined });
    }),
  );
}

function heads(make: MakeEngine): void {
  test(
    'the head is the sequence of the newest event, 0 before the first one, and stays when all events are swept',
    onEmptyStorage(make, async ({ tenant: { audit }, other }) => {
      assert.equal(await audit.head(), 0);
      for (const event of times(3, () => anEvent())) await audit.append(event);
      const newest = (await audit.page(0, 10)).at(-1)?.sequence ?? 0;
      assert.equal(await audit.head(), newest);
      assert.equal(await other.audit.head(), 0);
      assert.equal(await audit.sweep(NOW + 1, 10), 3);
      assert.equal(await audit.head(), newest);
    }),
  );

  test(
    'sequences have no gaps, whatever writes happen, fail or find nothing to change: a gap means that events were swept',
    onEmptyStorage(make, async ({ tenant }) => {
      const { clients, accessTokens, audit } = tenant;
      const client = aClient();
      const token = aToken();
      await clients.create(client, { ...OPEN, event: anEvent() });
      await clients.create(client, { ...OPEN, event: anEvent() });
      await clients.replace({ ...client, version: 2 }, 1, anEvent());
      await clients.replace({ ...client, version: 2 }, 1, anEvent());
      await clients.delete({ ...client, version: 1 }, anEvent());
      const unstorable = anEvent({ request_id: null as unknown as string });
      await assert.rejects(clients.delete({ ...client, version: 2 }, unstorable));
      await clients.delete({ ...client, version: 2 }, anEvent());
      await clients.delete({ ...client, version: 2 }, anEvent());
      await accessTokens.issueInitial(token, LABEL, anEvent());
      await accessTokens.revokeInitial(token.key, anEvent());
      await accessTokens.revokeInitial(token.key, anEvent());
      await clients.create(aClient(), { ...OPEN, initialAccessToken: token.key, event: anEvent() });
      await Promise.all(times(20, () => clients.create(aClient(), { ...OPEN, event: anEvent() })));
      const sequences = (await audit.page(0, 100)).map(({ sequence }) => sequence);
      assert.deepEqual(
        sequences,
        times(sequences.length, (index) => index + 1),
      );
      assert.equal(sequences.length, 25);
    }),
  );
}
