import type { OnPostgres } from '../postgres.ts';
import { verbSubject } from '../postgres-subject.ts';
import type { Verb } from '../processes/storage-verbs.ts';
import type { Bench, Benchmark, Subject } from '../subject.ts';

const HELD = 'role that row security holds';
const FREE = 'superuser, for whom there is none';

/** The same verb of the storage, by the owner of the tables and by a superuser. */
function priceOf(verb: Verb, what: string): Benchmark {
  return {
    name: 'row-security',
    title: `PostgreSQL: price of row security, ${what}`,
    unit: 'per second',
    needsTokens: true,
    aims: [{ against: FREE }],
    rounds: (scale) => scale.rounds,
    async open(bench) {
      const postgres = bench.postgres();
      const subject = (name: string, url: string): Subject => verbsAs(bench, postgres, name, url, verb);
      return [subject(HELD, postgres.url), subject(FREE, postgres.superuserUrl)];
    },
  };
}

function verbsAs(bench: Bench, postgres: OnPostgres, name: string, url: string, verb: Verb): Subject {
  const { superuserUrl, ours } = postgres;
  return verbSubject(bench, name, postgres, { url, verb, superuserUrl, client: ours.client });
}

export const rowSecurity: readonly Benchmark[] = [
  priceOf('find', 'look-up of access tokens'),
  priceOf('issue', 'issuing of access tokens'),
  priceOf('create', 'creation of clients'),
];
