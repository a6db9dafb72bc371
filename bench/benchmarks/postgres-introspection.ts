import { availableParallelism } from 'node:os';
import { DEFAULT_TENANT } from '../../src/spec/identifiers.ts';
import { STATEMENTS } from '../../src/storage/postgres/statement.ts';
import { httpSubject } from '../http-subject.ts';
import { introspectionWithBasic, verifyActive } from '../introspection-load.ts';
import type { LoadOrder } from '../load.ts';
import type { Ours } from '../ours.ts';
import { startBare, startPeer } from '../peers.ts';
import type { OnPostgres } from '../postgres.ts';
import { bothEngines, ON_POSTGRES, ON_SQLITE, postgresLimit, subjectOf } from '../postgres-subject.ts';
import type { Bench, Benchmark, Subject } from '../subject.ts';

const LIMIT = 'pg alone: look-ups of 64 tokens';

/** On the same machine, so that what PostgreSQL takes is seen beside it. */
function introspectionOf(
  name: string,
  title: string,
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
      { of: 'cpu', against: ON_SQLITE, atLeast: 0.5 },
      { against: ON_SQLITE, atLeast: 0.5 },
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
  'PostgreSQL: introspection, Basic authentication, tokens asked about repeatedly',
  ({ tokens }) => tokens,
);

export const introspectionOnceOnPostgres = introspectionOf(
  'introspection-once',
  'PostgreSQL: introspection, Basic authentication, each token asked about once',
  ({ manyTokens }) => manyTokens,
);

async function oidcProvider(bench: Bench, postgres: OnPostgres): Promise<Subject> {
  const peer = await startPeer(bench.scale.loadedTokens, await postgres.createDatabase());
  const order = introspectionWithBasic(peer.port, peer, peer.tokens, '/token/introspection');
  const server = { ...peer, databaseCpu: postgres.cpuSeconds };
  return (await httpSubject(bench, server, order, verifyActive)).subject;
}

/** The look-up of the storage, without anything around it. */
function lookUps(bench: Bench, postgres: OnPostgres): Subject {
  const { text: lookUp } = STATEMENTS.get('access_token_find') ?? {};
  if (lookUp === undefined) throw new Error('the statement that finds access tokens has another name');
  return postgresLimit(bench, LIMIT, postgres, {
    url: postgres.superuserUrl,
    work: { lookUp, tenant: DEFAULT_TENANT },
  });
}

const TWO_NODES = 'two nodes on one PostgreSQL, 32 connections each';
/** The load and PostgreSQL take theirs: two nodes have a CPU each from here on. */
const CPUS_FOR_TWO = 4;

/** The same load on two nodes and on one. */
export const nodesOnPostgres: Benchmark = {
  name: 'nodes',
  title: `PostgreSQL: introspection by two nodes${availableParallelism() < CPUS_FOR_TWO ? ', which share one CPU here' : ''}`,
  unit: 'per second',
  needsTokens: true,
  aims: [
    { of: 'cpu', against: ON_POSTGRES, atLeast: 0.85 },
    { against: ON_POSTGRES, atLeast: 1.7 },
  ],
  rounds: (scale) => scale.rounds,
  async open(bench) {
    const postgres = bench.postgres();
    const { ours } = postgres;
    const databaseCpu = postgres.cpuSeconds;
    const order = introspectionWithBasic(ours.program.port, ours.caller, ours.tokens);
    const other = await postgres.startNode();
    const two = await subjectOf(bench, TWO_NODES, ours, order, verifyActive, {
      databaseCpu,
      second: { pid: other.pid, port: other.port },
      close: async () => await other.stop(),
    });
    const one = await subjectOf(bench, ON_POSTGRES, ours, order, verifyActive, { databaseCpu });
    return [two.subject, one.subject];
  },
};
