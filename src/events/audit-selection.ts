import type { AuditFilter, RecordedAuditEvent } from '../ports/audit-log.ts';
import { ACTOR_KINDS, AUDIT_EVENTS, type AuditAction } from '../spec/audit-events.ts';
import { durationMs } from '../spec/duration.ts';
import { suggestion } from '../spec/nearest.ts';

/** A selection as a person writes it: options of a command, or parameters of a query. */
export interface SelectionWords {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly action?: readonly string[] | undefined;
  readonly actor?: string | undefined;
  readonly client_id?: string | undefined;
  readonly sub?: string | undefined;
  readonly address?: string | undefined;
  readonly outcome?: string | undefined;
  readonly request_id?: string | undefined;
}

/** Events that match a filter in a time range, in seconds: from `since` on, and before `until`. */
export interface Selection {
  readonly filter: AuditFilter;
  readonly since: number | undefined;
  readonly until: number | undefined;
}

/** A member of a selection that no event can have. */
export interface SelectionMistake {
  readonly member: keyof SelectionWords;
  /** Follows the name of the member. */
  readonly words: string;
}

export type Selected = { readonly selection: Selection } | { readonly mistakes: readonly SelectionMistake[] };

/**
 * Returns what the words select, or every mistake in them.
 * @param now in seconds
 */
export function selectionOf(words: SelectionWords, now: number): Selected {
  const mistakes: SelectionMistake[] = [];
  const refuse = (member: keyof SelectionWords, text: string): undefined =>
    void mistakes.push({ member, words: text });
  const since = timeOf('since', words.since, now, refuse);
  const until = timeOf('until', words.until, now, refuse);
  if (since !== undefined && until !== undefined && since >= until)
    refuse('until', 'must be later than since');
  const actions = words.action?.flatMap((action) => knownActions(action, refuse));
  const { outcome } = words;
  if (outcome !== undefined && outcome !== 'done' && outcome !== 'refused')
    refuse('outcome', `must be done or refused, found ${JSON.stringify(outcome)}`);
  for (const member of ['actor', 'client_id', 'sub', 'address', 'request_id'] as const)
    if (words[member] === '') refuse(member, 'takes a value, found ""');
  if (mistakes.length > 0) return { mistakes };
  return {
    selection: { filter: filterOf(words, actions), since, until },
  };
}

function filterOf(
  { actor, client_id, sub, address, outcome, request_id }: SelectionWords,
  actions: readonly AuditAction[] | undefined,
): AuditFilter {
  return {
    ...(actions === undefined ? {} : { actions }),
    ...(actor === undefined ? {} : ACTOR_KINDS.has(actor) ? { actorKind: actor } : { actor }),
    ...(client_id === undefined ? {} : { client_id }),
    ...(sub === undefined ? {} : { sub }),
    ...(address === undefined ? {} : { address }),
    ...(outcome === undefined ? {} : { outcome: outcome as 'done' | 'refused' }),
    ...(request_id === undefined ? {} : { request_id }),
  };
}

/** Tells whether an event matches. The storage has the same rules for its searches. */
export function isSelected({ filter, since, until }: Selection, event: RecordedAuditEvent): boolean {
  const { actions, actorKind, ...members } = filter;
  if (event.at < (since ?? event.at) || (until !== undefined && event.at >= until)) return false;
  if (actions !== undefined && !actions.includes(event.action)) return false;
  if (actorKind !== undefined && !event.actor.startsWith(`${actorKind}:`)) return false;
  return Object.entries(members).every(([member, value]) => event[member as keyof typeof members] === value);
}

type Refuse = (member: keyof SelectionWords, words: string) => undefined;

const ROWS = Object.entries(AUDIT_EVENTS).flatMap(([action, { place }]) =>
  place === 'row' ? [action as AuditAction] : [],
);

/** Returns the actions that a word names: one, or all of a noun. */
function knownActions(wanted: string, refuse: Refuse): readonly AuditAction[] {
  const named = (action: string): boolean => action === wanted || action.startsWith(`${wanted}.`);
  const actions = ROWS.filter(named);
  if (actions.length > 0) return actions;
  if (Object.keys(AUDIT_EVENTS).some(named)) {
    refuse('action', `${wanted} is a line of the log only: the audit has no row of it`);
    return [];
  }
  const nouns = [...new Set(ROWS.map((action) => action.slice(0, action.indexOf('.'))))];
  const meant = suggestion(wanted, [...ROWS, ...nouns]);
  refuse(
    'action',
    `must be one of ${ROWS.join(', ')}, or one of their first words; found ${JSON.stringify(wanted)}${meant}`,
  );
  return [];
}

const RFC_3339 = /^(?<date>\d{4}-\d\d-\d\d)[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/u;

/** Returns the first whole second that is not before the time. */
function timeOf(
  member: 'since' | 'until',
  text: string | undefined,
  now: number,
  refuse: Refuse,
): number | undefined {
  if (text === undefined) return undefined;
  const ago = durationMs(text);
  if (ago !== undefined) return Math.ceil((now * 1000 - ago) / 1000);
  const date = RFC_3339.exec(text)?.groups?.['date'];
  const milliseconds = date !== undefined && isDate(date) ? Date.parse(text.toUpperCase()) : Number.NaN;
  if (!Number.isNaN(milliseconds)) return Math.ceil(milliseconds / 1000);
  return refuse(
    member,
    `must be a duration before now such as 90s, 10m or 30d, or a time such as 2026-11-21T10:00:00Z, found ${JSON.stringify(text)}`,
  );
}

/** Date.parse turns 30 February into a day of March; such a time is refused. */
function isDate(date: string): boolean {
  const milliseconds = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString().startsWith(date);
}
