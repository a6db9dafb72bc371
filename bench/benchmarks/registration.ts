import assert from 'node:assert/strict';
import { join } from 'node:path';
import { openReadConnection } from '../../src/storage/sqlite/connection.ts';
import type { RawAnswer } from '../../test/program/raw-socket.ts';
import { httpSubject, requestHead, requests } from '../http-subject.ts';
import { PEER, startPeer } from '../peers.ts';
import type { LimitOptions, LimitResult, Row } from '../processes/grouped-commits.ts';
import { messageFrom, pin, startScript, stopChild } from '../processes/measured-process.ts';
import type { Bench, Benchmark, Subject } from '../subject.ts';

const LIMIT = 'SQLite alone: commits of 64 registrations';

const HEADERS = { 'content-type': 'application/json' };
const BODIES = [
  JSON.stringify({
    client_name: 'A client of the benchmark',
    redirect_uris: ['https://client.example.com/callback'],
    contacts: ['admin@client.example.com'],
  }),
];

function verifyRegistered({ status, body }: RawAnswer): void {
  assert.ok(status === 200 || status === 201, `status ${status}`);
  const { client_id, client_secret } = JSON.parse(body) as { client_id: unknown; client_secret: unknown };
  assert.equal(typeof client_id, 'string');
  assert.equal(typeof client_secret, 'string');
}

export const registration: Benchmark = {
  name: 'registration',
  title: 'Client registration (RFC 7591), open',
  unit: 'per second',
  needsTokens: false,
  aims: [{ against: LIMIT, atLeast: 1 / 3 }, { against: PEER }],
  rounds: (scale) => scale.rounds,
  async open(bench) {
    const { program } = bench.ours;
    const server = { name: 'ours, SQLite, durable', pid: program.pid, close: async () => undefined };
    const order = {
      port: program.port,
      requests: requests(requestHead('POST', '/clients', HEADERS), BODIES),
    };
    const ours = await httpSubject(bench, server, order, verifyRegistered);
    const { client_id } = JSON.parse(ours.verified.body) as { client_id: string };
    const peerServer = await startPeer(0);
    const peerOrder = {
      port: peerServer.port,
      requests: requests(requestHead('POST', '/reg', HEADERS), BODIES),
    };
    const peer = await httpSubject(bench, peerServer, peerOrder, verifyRegistered);
    return [ours.subject, limit(bench, storedRows(bench, client_id)), peer.subject];
  },
};

function storedRows({ folder }: Bench, client_id: string): Pick<LimitOptions, 'client' | 'event'> {
  const database = openReadConnection(join(folder, 'chancery.db'));
  const client = database.prepare('SELECT * FROM client WHERE client_id = ?').get(client_id);
  const event = database.prepare('SELECT * FROM audit_event WHERE client_id = ?').get(client_id);
  database.close();
  if (client === undefined || event === undefined) throw new Error('the registration is not in the database');
  return { client: { ...client } as Row, event: { ...event } as Row };
}

function limit({ folder, scale }: Bench, rows: Pick<LimitOptions, 'client' | 'event'>): Subject {
  const child = startScript('grouped-commits.ts', {
    path: join(folder, 'limit.db'),
    ...rows,
  } satisfies LimitOptions);
  pin(child.pid ?? 0, 0);
  return {
    name: LIMIT,
    async measure() {
      child.send(scale.round_ms);
      const { rows, seconds } = await messageFrom<LimitResult>(child);
      return { value: rows / seconds };
    },
    close: async () => await stopChild(child),
  };
}
