import type { RawAnswer } from '../../test/program/raw-socket.ts';
import { httpSubject } from '../http-subject.ts';
import type { LoadOrder } from '../load.ts';
import type { Ours } from '../ours.ts';
import { startPeer } from '../peers/oidc-provider.ts';
import type { Peer } from '../peers/peer.ts';
import type { OnPostgres } from '../postgres.ts';
import { bothEngines, ON_SQLITE, postgresLimit, postgresRow } from '../postgres-subject.ts';
import type { PostgresWork } from '../processes/postgres-limit.ts';
import type { Benchmark } from '../subject.ts';
import { registrationOrder, verifyRegistered } from './registration.ts';
import { tokenOrder, verifyIssued } from './token.ts';

const TOKEN_LIMIT = 'pg alone: commits of 64 access tokens';
const REGISTRATION_LIMIT = 'pg alone: commits of 64 registrations';

interface Writing {
  readonly name: string;
  readonly title: string;
  readonly limit: string;
  readonly needsTokens: boolean;
  readonly orderTo: (ours: Ours) => LoadOrder;
  readonly orderToPeer: (peer: Peer) => LoadOrder;
  readonly verify: (answer: RawAnswer) => void;
  /** Returns the rows that one such request leaves in the database. */
  readonly left: (postgres: OnPostgres, answer: RawAnswer) => Promise<PostgresWork>;
}

function writing({ limit, orderTo, orderToPeer, verify, left, ...described }: Writing): Benchmark {
  return {
    ...described,
    unit: 'per second',
    aims: [{ against: limit, atLeast: 0.7 }, { against: ON_SQLITE }],
    rounds: (scale) => scale.rounds,
    async open(bench) {
      const postgres = bench.postgres();
      const [ours, sqlite] = await bothEngines(bench, orderTo, verify);
      const work = await left(postgres, ours.verified);
      const limitOptions = { url: await postgres.createLikeOurs(), work };
      const peer = await startPeer(0, await postgres.createDatabase());
      const peerServer = { ...peer, databaseCpu: postgres.cpuSeconds };
      return [
        ours.subject,
        sqlite,
        (await httpSubject(bench, peerServer, orderToPeer(peer), verify)).subject,
        postgresLimit(bench, limit, postgres, limitOptions),
      ];
    },
  };
}

export const tokenOnPostgres = writing({
  name: 'token',
  title: 'PostgreSQL: token endpoint, client_credentials, durable',
  limit: TOKEN_LIMIT,
  needsTokens: true,
  orderTo: ({ program, caller }) => tokenOrder(program.port, caller),
  orderToPeer: (peer) => tokenOrder(peer.port, peer),
  verify: verifyIssued,
  async left(postgres) {
    const { client_id } = postgres.ours.caller;
    return { token: await postgresRow(postgres, 'access_token', 'client_id = $1 LIMIT 1', client_id) };
  },
});

export const registrationOnPostgres = writing({
  name: 'registration',
  title: 'PostgreSQL: open client registration, durable',
  limit: REGISTRATION_LIMIT,
  needsTokens: false,
  orderTo: ({ program }) => registrationOrder(program.port),
  orderToPeer: ({ port }) => registrationOrder(port, '/reg'),
  verify: verifyRegistered,
  async left(postgres, { body }) {
    const { client_id } = JSON.parse(body) as { client_id: string };
    return {
      client: await postgresRow(postgres, 'client', 'client_id = $1', client_id),
      event: await postgresRow(postgres, 'audit_event', 'client_id = $1', client_id),
    };
  },
});
