import * as check from './client-metadata-checks.ts';
import { closed, said } from './json-schema.ts';

/** The exchanges that a client may make, as its registration says (`chancery_token_exchange`). */
export interface RegisteredExchangePolicy {
  readonly audiences: readonly string[];
  /** Scope values, separated by spaces; absent: the registered scope. */
  readonly scope?: string;
  /** Absent: any. */
  readonly subject_clients?: readonly string[];
  /** Other issuers whose tokens it may exchange; absent: none. */
  readonly subject_issuers?: readonly string[];
  /** Absent: tokens of the client itself. */
  readonly actors?: readonly string[];
  /** Absent: no. */
  readonly impersonation?: boolean;
  /** Seconds. */
  readonly lifetime?: number;
}

const NAMES = check.strings({ count: 100, length: 512 });

const MEMBERS = {
  audiences: { check: NAMES, words: 'The audiences and resources that its tokens may be for.' },
  scope: { check: check.scope, words: 'The scope values that they may have. Absent: the registered scope.' },
  subject_clients: { check: NAMES, words: 'The clients whose tokens it may exchange. Absent: any.' },
  subject_issuers: { check: NAMES, words: 'Other issuers whose tokens it may exchange. Absent: none.' },
  actors: { check: NAMES, words: 'The actors that it may name. Absent: tokens of the client itself.' },
  impersonation: { check: check.boolean, words: 'Whether its tokens may name no actor.' },
  lifetime: { check: check.lifetime, words: 'The lifetime of its tokens, in seconds.' },
} as const satisfies Record<keyof RegisteredExchangePolicy, object>;

const SCHEMA = closed(
  Object.fromEntries(
    Object.entries(MEMBERS).map(([name, { check: form, words }]) => [name, said(words, form.schema)]),
  ),
  ['audiences'],
);

/** Accepts the policy of a client for exchanges (RFC 8693), in its registration. */
export const exchangePolicy = check.stating(SCHEMA, (value, limits) => {
  const refused = (rule: string) => ({ problems: [{ rule }] });
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refused('must be a JSON object');
  const names = Object.keys(MEMBERS);
  const given = new Map(Object.entries(value));
  const unknown = [...given.keys()].find((name) => !names.includes(name));
  if (unknown !== undefined)
    return refused(`has the unknown member ${unknown.slice(0, 50)}; allowed: ${names.join(', ')}`);
  if (!given.has('audiences')) return refused('must have audiences');
  for (const [name, { check: form }] of Object.entries(MEMBERS)) {
    const member = given.get(name);
    const checked = member === undefined ? undefined : form(member, limits);
    const [problem] = checked !== undefined && 'problems' in checked ? checked.problems : [];
    if (problem === undefined) continue;
    const place = problem.index === undefined ? '' : `[${problem.index}]`;
    return refused(`has a member ${name}${place} that ${problem.rule}`);
  }
  return { value };
});
