import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordedAuditEvent } from '../ports/audit-log.ts';
import { type AuditReads, followedEvents, selectedEvents, selectionOf } from './audit-selection.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z') / 1000;

type Filters = Parameters<typeof selectionOf>[0];

const ALL: Filters = {
  since: undefined,
  action: undefined,
  actor: undefined,
  client: undefined,
  sub: undefined,
  outcome: undefined,
};

const selection = (filters: Partial<Filters>): ReturnType<typeof selectionOf> =>
  selectionOf({ ...ALL, ...filters }, NOW);

function anEvent(sequence: number, members: Partial<RecordedAuditEvent> = {}): RecordedAuditEvent {
  const rest = { actor: 'cli', client_id: null, request_id: 'r', detail: null } as const;
  return { sequence, at: NOW, action: 'client.create', outcome: 'done', ...rest, ...members };
}

/** An audit of these events that counts what is read of it. */
function auditOf(events: readonly RecordedAuditEvent[]): AuditReads & { readonly read: () => number } {
  let read = 0;
  const counted = (page: readonly RecordedAuditEvent[]): readonly RecordedAuditEvent[] => {
    read += page.length;
    return page;
  };
  return {
    read: () => read,
    page: async (after, limit) =>
      await Promise.resolve(counted(events.filter(({ sequence }) => sequence > after).slice(0, limit))),
    pageBefore: async (before, limit) =>
      await Promise.resolve(
        counted(
          events
            .filter(({ sequence }) => sequence < before)
            .slice(-limit)
            .toReversed(),
        ),
      ),
    span: async (since, until) => {
      const meant = events.filter(({ at }) => at >= since && at < until);
      const [first] = meant;
      const [last] = meant.slice(-1);
      return await Promise.resolve(first && last && { first: first.sequence, last: last.sequence });
    },
  };
}

async function sequencesOf(pages: AsyncIterable<readonly RecordedAuditEvent[]>): Promise<readonly number[]> {
  const all: number[] = [];
  for await (const page of pages) all.push(...page.map(({ sequence }) => sequence));
  return all;
}

test('--since and --until take a duration before now or a time of RFC 3339 §5.6, and nothing else', () => {
  const rows: readonly (readonly [text: string, seconds: number])[] = [
    ['1h', NOW - 3600],
    ['1d12h', NOW - 129_600],
    ['1500ms', NOW - 1],
    ['2026-11-21T09:59:00Z', NOW - 60],
    ['2026-11-21t09:59:00.25z', NOW - 59],
    ['2026-11-21T11:59:00+02:00', NOW - 60],
  ];
  for (const [text, seconds] of rows) assert.equal(selection({ since: text }).since, seconds, text);
  for (const text of [
    '',
    '1',
    '2026-11-21',
    '2026-02-30T00:00:00Z',
    'yesterday',
    '2026-11-21T10:00:60Z',
    '1 h',
  ])
    assert.throws(
      () => selection({ until: text }),
      { exitCode: 2, message: /--until must be a duration/ },
      text,
    );
  assert.throws(() => selection({ since: '1h', until: '2h' }), {
    message: '--until must be later than --since',
  });
});

test('an event must match every filter: its action or the noun of it, its actor with or without label, client, sub, outcome, time', () => {
  const event = anEvent(1, { actor: 'master:ops', client_id: 'c', sub: 's', at: NOW - 60 });
  const matching: readonly Partial<Filters>[] = [
    {},
    { action: ['client.create'] },
    { action: ['session', 'client'] },
    { actor: 'master' },
    { actor: 'master:ops' },
    { client: 'c', sub: 's', outcome: 'done' },
    { since: '1m' },
    { until: '59s' },
  ];
  for (const filters of matching) assert.ok(selection(filters).matches(event), JSON.stringify(filters));
  const others: readonly Partial<Filters>[] = [
    { action: ['client.delete'] },
    { actor: 'mast' },
    { actor: 'master:' },
    { client: 'C' },
    { sub: 'x' },
    { outcome: 'refused' },
    { since: '59s' },
    { until: '1m' },
    { client: 'c', sub: 'x' },
  ];
  for (const filters of others) assert.ok(!selection(filters).matches(event), JSON.stringify(filters));
});

test('--action refuses an unknown action with the nearest one, and one that only the log has', () => {
  assert.throws(() => selection({ action: ['client.crate'] }), {
    exitCode: 2,
    message: /did you mean client\.create\?/,
  });
  assert.throws(() => selection({ action: ['clien'] }), {
    exitCode: 2,
    message: /must be one of client\.create, /,
  });
  assert.throws(() => selection({ action: ['sign-in'] }), { exitCode: 2, message: /a line of the log only/ });
  assert.throws(() => selection({ sub: '' }), { exitCode: 2, message: /--sub takes a value/ });
});

test('the latest events are found from the end: the length of the audit does not matter', async () => {
  const events = Array.from({ length: 5000 }, (_, index) =>
    anEvent(index + 1, { actor: index % 2 === 0 ? 'cli' : 'server' }),
  );
  const audit = auditOf(events);
  const found = await sequencesOf(selectedEvents(audit, selection({ actor: 'cli' }), 3));
  assert.deepEqual(found, [4995, 4997, 4999]);
  assert.ok(audit.read() < 1100, String(audit.read()));
  assert.equal((await sequencesOf(selectedEvents(audit, selection({}), undefined))).length, 5000);
  assert.deepEqual(await sequencesOf(selectedEvents(audit, selection({ sub: 'x' }), 3)), []);
});

test('a time selects its events where clocks of servers differ, and reads no others but those between', async () => {
  const at = (minute: number): number => NOW - 3600 + minute * 60;
  const events = Array.from({ length: 4000 }, (_, index) =>
    anEvent(index + 1, { at: index === 1999 ? at(50) : at(Math.floor(index / 1000)) }),
  );
  const audit = auditOf(events);
  const found = await sequencesOf(
    selectedEvents(audit, selection({ since: '58m', until: '57m' }), undefined),
  );
  assert.equal(found.length, 1000);
  assert.deepEqual([found[0], found.at(-1)], [2001, 3000]);
  assert.equal(audit.read(), 1000);
  assert.deepEqual(await sequencesOf(selectedEvents(audit, selection({ since: '11m' }), 5)), [2000]);
});

test('who follows the audit sees each event once, however many are recorded between two looks, and an earlier time from its begin', async () => {
  const events = Array.from({ length: 700 }, (_, index) => anEvent(index + 1));
  const audit = auditOf(events);
  const stop = new AbortController();
  let looks = 0;
  const wait = async (): Promise<void> => {
    looks += 1;
    if (looks === 5) stop.abort();
    else for (let number = 0; number < 300 * looks; number += 1) events.push(anEvent(events.length + 1));
    await Promise.resolve();
  };
  const following = { limit: 10, stop: stop.signal, wait };
  const seen = await sequencesOf(followedEvents(audit, selection({}), following));
  assert.deepEqual(
    seen,
    Array.from({ length: events.length - 690 }, (_, index) => index + 691),
  );
  const again = { limit: undefined, stop: AbortSignal.abort(), wait };
  assert.deepEqual(await sequencesOf(followedEvents(audit, selection({ since: '1h' }), again)), []);
});

test('who follows a rare event seeks earlier ones in the last 10,000 events only', async () => {
  const events = Array.from({ length: 30_000 }, (_, index) =>
    anEvent(index + 1, index === 0 ? { sub: 'x' } : {}),
  );
  const audit = auditOf(events);
  const stop = new AbortController();
  const wait = async (): Promise<void> => await Promise.resolve(stop.abort());
  const following = { limit: 1, stop: stop.signal, wait };
  assert.deepEqual(await sequencesOf(followedEvents(audit, selection({ sub: 'x' }), following)), []);
  assert.ok(audit.read() <= 20_500, String(audit.read()));
});
