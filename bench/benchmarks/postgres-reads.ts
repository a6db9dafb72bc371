import { DEFAULT_TENANT } from '../../src/spec/identifiers.ts';
import { STATEMENTS } from '../../src/storage/postgres/statement.ts';
import { startBare } from '../bare.ts';
import { httpSubject } from '../http-subject.ts';
import { introspectionWithBasic, verifyActive } from '../introspection-load.ts';
import type { LoadOrder } from '../load.ts';
import type { Ours } from '../ours.ts';
import { startPeer } from '../peers/oidc-provider.ts';
import type { OnPostgres } from '../postgres.ts';
import { bothEngines, ON_SQLITE, postgresLimit } from '../postgres-subject.ts';
import type { Bench, Benchmark, Subject } from '../subject.ts';
import { listSubject } from './list.ts';

const LIMIT = 'pg alone: look-ups of 64 tokens';

/** All subjects share the machine, so the columns show PostgreSQL's share of the work. */
function introspectionOf(
  name: string,
  title: string,
  /** The least rate beside SQLite. */
  aim: number,
  tokensOf: (ours: Ours) => readonly string[],
): Benchmark {
  const orderTo = (ours: Ours): LoadOrder =>
    introspectionWithBasic(ours.program.port, ours.caller, tokensOf(ours));
  return {
    name,
    title,
    unit: 'per second',
    needsTokens: true,
    aims: [
      { of: 'cpu', against: ON_SQLITE, atLeast: aim },
      { against: ON_SQLITE, atLeast: aim },
    ],
    rounds: (scale) => scale.rounds,
    async open(bench) {
      const [ours, sqlite] = await bothEngines(bench, orderTo, verifyActive);
      const postgres = bench.postgres();
      const bare = await startBare(ours.verified);
      const bareOrder = { ...orderTo(postgres.ours), port: bare.port };
      return [
        ours.subject,
        sqlite,
        await oidcProvider(bench, postgres),
        lookUps(bench, postgres),
        (await httpSubject(bench, bare, bareOrder, verifyActive)).subject,
      ];
    },
  };
}

export const introspectionOnPostgres = introspectionOf(
  'introspection',
  'PostgreSQL: introspection, Basic authentication, repeated tokens',
  0.9,
  ({ tokens }) => tokens,
);

export const introspectionOnceOnPostgres = introspectionOf(
  'introspection-once',
  'PostgreSQL: introspection, Basic authentication, each token once',
  0.7,
  ({ manyTokens }) => manyTokens,
);

async function oidcProvider(bench: Bench, postgres: OnPostgres): Promise<Subject> {
  const peer = await startPeer(bench.scale.loadedTokens, await postgres.createDatabase());
  const order = introspectionWithBasic(peer.port, peer, peer.tokens, '/token/introspection');
  const server = { ...peer, databaseCpu: postgres.cpuSeconds };
  return (await httpSubject(bench, server, order, verifyActive)).subject;
}

/** Opens the look-up of the storage, without the program around it. */
function lookUps(bench: Bench, postgres: OnPostgres): Subject {
  const { text: lookUp } = STATEMENTS.get('access_token_find') ?? {};
  if (lookUp === undefined) throw new Error('the statement that finds access tokens has another name');
  return postgresLimit(bench, LIMIT, postgres, {
    url: postgres.superuserUrl,
    work: { lookUp, tenant: DEFAULT_TENANT },
  });
}

/** The storage fills it with a durable commit for each batch, so it is smaller than on SQLite alone. */
const FEWER = 10;

/** The whole registry as one JSON array, from either engine. */
export const listOnPostgres: Benchmark = {
  name: 'list',
  title: 'PostgreSQL: list of all clients, clients a second',
  unit: 'per second',
  needsTokens: false,
  aims: [],
  rounds: (scale) => scale.lists,
  async open(bench) {
    const clients = bench.scale.manyClients / FEWER;
    const postgres = bench.postgres();
    const registry = await postgres.registry(clients);
    return [
      listSubject('ours, PostgreSQL', registry, clients, postgres.cpuSeconds),
      listSubject('ours, SQLite', await bench.registry(clients), clients),
    ];
  },
};
