import * as check from './client-metadata-checks.ts';
import type { JsonValue } from './json.ts';
import { closed, type Schema, said } from './json-schema.ts';

/** The exchanges that a client may make, as its registration says (`chancery_token_exchange`). */
export interface RegisteredExchangePolicy {
  readonly audiences?: readonly string[];
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
  /** Other authorisation servers that it may get identity assertion grants for. */
  readonly id_jag?: readonly RegisteredIdJag[];
}

export interface RegisteredIdJag {
  readonly audience: string;
  /** Absent: the identifier here. */
  readonly client_id?: string;
  readonly resources?: readonly string[];
  /** Scope values, separated by spaces. */
  readonly scope?: string;
}

const NAMES = check.strings({ count: 100, length: 512 });

type Members = Readonly<Record<string, { readonly check: check.Check; readonly words: string }>>;

const ID_JAG_MEMBERS = {
  audience: { check: check.text, words: 'The issuer identifier of the other server.' },
  client_id: { check: check.text, words: 'The client at the other server. Absent: the same identifier.' },
  resources: { check: NAMES, words: 'The resources that a grant may be for.' },
  scope: { check: check.scope, words: 'The scope values that it may have, at the other server.' },
} as const satisfies Members & Record<keyof RegisteredIdJag, unknown>;

const ID_JAG_MAX = 20;

const schemaOf = (members: Members, required: readonly string[]): Schema =>
  closed(
    Object.fromEntries(
      Object.entries(members).map(([name, { check: form, words }]) => [name, said(words, form.schema)]),
    ),
    required,
  );

const refused = (rule: string): check.Checked => ({ problems: [{ rule }] });

/** Accepts an object of these members. */
const objectOf = (members: Members, required: readonly string[]): check.Check =>
  check.stating(schemaOf(members, required), (value, limits) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return refused('must be a JSON object');
    const given = new Map(Object.entries(value));
    const names = Object.keys(members);
    const unknown = [...given.keys()].find((name) => !names.includes(name));
    if (unknown !== undefined)
      return refused(`has the unknown member ${unknown.slice(0, 50)}; allowed: ${names.join(', ')}`);
    const missing = required.find((name) => !given.has(name));
    if (missing !== undefined) return refused(`must have ${missing}`);
    for (const [name, { check: form }] of Object.entries(members)) {
      const member = given.get(name);
      const checked = member === undefined ? undefined : form(member, limits);
      const [problem] = checked !== undefined && 'problems' in checked ? checked.problems : [];
      if (problem === undefined) continue;
      const place = problem.index === undefined ? '' : `[${problem.index}]`;
      return refused(`has a member ${name}${place} that ${problem.rule}`);
    }
    return { value };
  });

const idJag = objectOf(ID_JAG_MEMBERS, ['audience']);

const idJags = check.stating(
  { type: 'array', items: idJag.schema, maxItems: ID_JAG_MAX },
  (value, limits) => {
    if (!Array.isArray(value)) return refused('must be an array of objects');
    if (value.length > ID_JAG_MAX) return refused(`has more than ${ID_JAG_MAX} values`);
    const problems = value.flatMap((one: JsonValue, index) => {
      const checked = idJag(one, limits);
      return 'problems' in checked ? checked.problems.map(({ rule }) => ({ index, rule })) : [];
    });
    return problems.length === 0 ? { value } : { problems };
  },
);

/** Accepts the policy of a client for exchanges (RFC 8693), in its registration. */
export const exchangePolicy = objectOf(
  {
    audiences: { check: NAMES, words: 'The audiences and resources that its tokens may be for.' },
    scope: {
      check: check.scope,
      words: 'The scope values that they may have. Absent: the registered scope.',
    },
    subject_clients: { check: NAMES, words: 'The clients whose tokens it may exchange. Absent: any.' },
    subject_issuers: { check: NAMES, words: 'Other issuers whose tokens it may exchange. Absent: none.' },
    actors: { check: NAMES, words: 'The actors that it may name. Absent: tokens of the client itself.' },
    impersonation: { check: check.boolean, words: 'Whether its tokens may name no actor.' },
    lifetime: { check: check.lifetime, words: 'The lifetime of its tokens, in seconds.' },
    id_jag: {
      check: idJags,
      words: 'Other authorisation servers that it may get identity assertion grants for.',
    },
  } satisfies Record<keyof RegisteredExchangePolicy, unknown>,
  [],
);
