import { type Selection, type SelectionWords, selectionOf } from '../events/audit-selection.ts';
import { calledWrongly } from './failure.ts';

/** The options that select events. An event must match all that are given. */
export const FILTER_OPTIONS = {
  since: {
    kind: 'text',
    value: 'TIME',
    words:
      'Selects events from this time on: a duration before now such as 1h, or a time of RFC 3339 such as 2026-11-21T10:00:00Z.',
  },
  action: {
    kind: 'text',
    value: 'ACTION',
    repeated: true,
    words:
      'Selects events with one of these actions, for example `client.create`. `client` alone matches every action of clients. docs/reference/audit-events.md lists them.',
  },
  actor: {
    kind: 'text',
    value: 'ACTOR',
    words:
      'Selects events of this actor, for example `cli` or `master:LABEL`. `master` alone matches every label.',
  },
  client: { kind: 'text', value: 'CLIENT_ID', words: 'Selects events that concern this client.' },
  address: {
    kind: 'text',
    value: 'ADDRESS',
    words: 'Selects events from this network address, as the audit has it.',
  },
  request: {
    kind: 'text',
    value: 'REQUEST_ID',
    words: 'Selects the events of one request. Error pages and the log show its identifier.',
  },
  sub: { kind: 'text', value: 'SUB', words: 'Selects events that concern the account with this subject.' },
  outcome: {
    kind: 'choice',
    values: ['done', 'refused'],
    words: 'Selects acts that were done, or that were refused.',
  },
} as const;

/** Members whose option has another name. */
const OPTIONS: Partial<Record<keyof SelectionWords, string>> = { client_id: 'client', request_id: 'request' };

interface Options extends Omit<SelectionWords, 'client_id' | 'request_id'> {
  readonly client: string | undefined;
  readonly request: string | undefined;
}

/**
 * Returns what the options select.
 * @param now in seconds
 * @throws CommandFailure with exit code 2 for a value that no event can have
 */
export function optionsSelect({ client, request, ...same }: Options, now: number): Selection {
  const { since, until, action, actor, sub, address, outcome } = same;
  const words = {
    since,
    until,
    action,
    actor,
    sub,
    address,
    outcome,
    client_id: client,
    request_id: request,
  };
  const selected = selectionOf(words, now);
  if ('selection' in selected) return selected.selection;
  const mistakes = selected.mistakes.map(
    (mistake) => `--${OPTIONS[mistake.member] ?? mistake.member} ${mistake.words}`,
  );
  throw calledWrongly(mistakes.join('; '));
}
