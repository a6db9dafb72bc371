import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordedAuditEvent } from '../ports/audit-log.ts';
import { memoryAudit } from '../testing/audit.ts';
import { latestEvents, searchAudit, selectedEvents } from './audit-search.ts';
import { isSelected, type Selection, type SelectionWords, selectionOf } from './audit-selection.ts';
import { followAudit } from './follow-audit.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z') / 1000;

function selection(words: SelectionWords): Selection {
  const selected = selectionOf(words, NOW);
  return 'selection' in selected ? selected.selection : assert.fail(JSON.stringify(selected.mistakes));
}

function mistakes(words: SelectionWords): string {
  const selected = selectionOf(words, NOW);
  return 'mistakes' in selected
    ? selected.mistakes.map(({ member, words: text }) => `${member} ${text}`).join('; ')
    : '';
}

function anEvent(sequence: number, members: Partial<RecordedAuditEvent> = {}): RecordedAuditEvent {
  const rest = { actor: 'cli', client_id: null, request_id: 'r', detail: null } as const;
  return { sequence, at: NOW, action: 'client.create', outcome: 'done', ...rest, ...members };
}

const numbered = (length: number, members: (index: number) => Partial<RecordedAuditEvent> = () => ({})) =>
  Array.from({ length }, (_, index) => anEvent(index + 1, members(index)));

async function sequencesOf(pages: AsyncIterable<readonly RecordedAuditEvent[]>): Promise<readonly number[]> {
  const all: number[] = [];
  for await (const page of pages) all.push(...page.map(({ sequence }) => sequence));
  return all;
}

test('since and until take a duration before now or a time of RFC 3339 §5.6, and nothing else', () => {
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
    assert.match(mistakes({ until: text }), /^until must be a duration/, text);
  assert.equal(mistakes({ since: '1h', until: '2h' }), 'until must be later than since');
});

test('an event must match every member: its action or the noun of it, its actor or the kind of it, client, subject, address, request, outcome, time', () => {
  const members = { actor: 'master:ops', client_id: 'c', sub: 's', address: '192.0.2.1', request_id: 'q' };
  const event = anEvent(1, { ...members, at: NOW - 60 });
  const matching: readonly SelectionWords[] = [
    {},
    { action: ['client.create'] },
    { action: ['session', 'client'] },
    { actor: 'master' },
    { actor: 'master:ops' },
    { client_id: 'c', sub: 's', outcome: 'done' },
    { address: '192.0.2.1', request_id: 'q' },
    { since: '1m' },
    { until: '59s' },
  ];
  for (const words of matching) assert.ok(isSelected(selection(words), event), JSON.stringify(words));
  const others: readonly SelectionWords[] = [
    { action: ['client.delete'] },
    { actor: 'mast' },
    { actor: 'master:' },
    { client_id: 'C' },
    { sub: 'x' },
    { address: '192.0.2.10' },
    { request_id: 'r' },
    { outcome: 'refused' },
    { since: '59s' },
    { until: '1m' },
    { client_id: 'c', sub: 'x' },
  ];
  for (const words of others) assert.ok(!isSelected(selection(words), event), JSON.stringify(words));
});

test('a selection names every mistake: an unknown action with the nearest one, one that only the log has, an empty member', () => {
  assert.match(mistakes({ action: ['client.crate'] }), /did you mean client\.create\?/);
  assert.match(mistakes({ action: ['clien'] }), /^action must be one of client\.create, /);
  assert.match(mistakes({ action: ['sign-in'] }), /a line of the log only/);
  assert.equal(
    mistakes({ sub: '', outcome: 'failed' }),
    'outcome must be done or refused, found "failed"; sub takes a value, found ""',
  );
});

test('the latest events are found from the end: the length of the audit does not matter', async () => {
  const audit = memoryAudit(numbered(5000, (index) => ({ actor: index % 2 === 0 ? 'cli' : 'server' })));
  const found = await sequencesOf(latestEvents(audit, selection({ actor: 'cli' }), { limit: 3 }));
  assert.deepEqual(found, [4995, 4997, 4999]);
  assert.ok(audit.examined() < 4100, String(audit.examined()));
  const all = selectedEvents(audit, { selection: selection({}), order: 'oldest-first' });
  assert.equal((await sequencesOf(all)).length, 5000);
  assert.deepEqual(
    await sequencesOf(latestEvents(audit, selection({ sub: 'x' }), { limit: 3, lookBack: 2000 })),
    [],
  );
});

test('a search selects times by the clock of each event, and goes on where it ended', async () => {
  const at = (minute: number): number => NOW - 3600 + minute * 60;
  const audit = memoryAudit(
    numbered(4000, (index) => ({ at: index === 1999 ? at(50) : at(Math.floor(index / 1000)) })),
  );
  const third = selection({ since: '58m', until: '57m' });
  const found = await sequencesOf(selectedEvents(audit, { selection: third, order: 'newest-first' }));
  assert.deepEqual([found.length, found[0], found.at(-1)], [1000, 3000, 2001]);
  const late = selection({ since: '11m' });
  assert.deepEqual(await sequencesOf(latestEvents(audit, late, { limit: 5 })), [2000]);
  const request = { selection: third, order: 'newest-first', limit: 2 } as const;
  const { events, next } = await searchAudit(audit, request);
  const rest = await searchAudit(audit, { ...request, from: next });
  assert.deepEqual(
    [...events, ...rest.events].map(({ sequence }) => sequence),
    [3000, 2999, 2998, 2997],
  );
});

test('who follows the audit sees each event once, however many are recorded between two looks, and how many were swept first', async () => {
  const events = numbered(700);
  const audit = memoryAudit(events);
  const stop = new AbortController();
  let looks = 0;
  const wait = async (): Promise<void> => {
    looks += 1;
    if (looks === 5) stop.abort();
    else for (let number = 0; number < 300 * looks; number += 1) events.push(anEvent(events.length + 1));
    await Promise.resolve();
  };
  const seen: number[] = [];
  for await (const part of followAudit(audit, selection({}), { after: 690, stop: stop.signal, wait })) {
    assert.equal(part.missed, 0);
    seen.push(...part.events.map(({ sequence }) => sequence));
  }
  assert.deepEqual(
    seen,
    Array.from({ length: events.length - 690 }, (_, index) => index + 691),
  );
  const swept = memoryAudit(numbered(20).filter(({ sequence }) => sequence > 8 && sequence !== 12));
  const parts = followAudit(swept, selection({}), { after: 5, stop: new AbortController().signal, wait });
  const { value } = await parts.next();
  assert.deepEqual([value?.until, value?.missed, value?.events.length], [20, 4, 11]);
});
