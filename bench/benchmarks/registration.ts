import assert from 'node:assert/strict';
import type { RawAnswer } from '../../test/program/raw-socket.ts';
import { httpSubject, requestHead, requests } from '../http-subject.ts';
import { limit, storedRow } from '../limit.ts';
import type { LoadOrder } from '../load.ts';
import { NOT_SLOWER, otherCheckout } from '../other-checkout.ts';
import type { Ours } from '../ours.ts';
import { PEER, startPeer } from '../peers/oidc-provider.ts';
import type { Benchmark } from '../subject.ts';

const LIMIT = 'SQLite alone: commits of 64 registrations';

const HEADERS = { 'content-type': 'application/json' };
const BODIES = [
  JSON.stringify({
    client_name: 'A client of the benchmark',
    redirect_uris: ['https://client.example.com/callback'],
    contacts: ['admin@client.example.com'],
  }),
];

export function verifyRegistered({ status, body }: RawAnswer): void {
  assert.ok(status === 200 || status === 201, `status ${status}`);
  const { client_id, client_secret } = JSON.parse(body) as { client_id: unknown; client_secret: unknown };
  assert.equal(typeof client_id, 'string');
  assert.equal(typeof client_secret, 'string');
}

export const registrationOrder = (port: number, path = '/clients'): LoadOrder => ({
  port,
  requests: requests(requestHead('POST', path, HEADERS), BODIES),
});

export const registration: Benchmark = {
  name: 'registration',
  title: 'Client registration (RFC 7591), open',
  unit: 'per second',
  needsTokens: false,
  aims: [{ against: LIMIT, atLeast: 0.7 }, { against: PEER }, NOT_SLOWER],
  rounds: (scale) => scale.rounds,
  async open(bench) {
    const { program } = bench.ours;
    const server = { name: 'ours, SQLite, durable', pid: program.pid, close: async () => undefined };
    const ours = await httpSubject(bench, server, registrationOrder(program.port), verifyRegistered);
    const { client_id } = JSON.parse(ours.verified.body) as { client_id: string };
    const client = storedRow(bench, 'client', 'client_id = ?', client_id);
    const event = storedRow(bench, 'audit_event', 'client_id = ?', client_id);
    const peerServer = await startPeer(0);
    const peerOrder = registrationOrder(peerServer.port, '/reg');
    const peer = await httpSubject(bench, peerServer, peerOrder, verifyRegistered);
    const orderOfOther = (other: Ours) => registrationOrder(other.program.port);
    const other = await otherCheckout(bench, orderOfOther, verifyRegistered);
    return [ours.subject, ...other, limit(bench, LIMIT, { client, event }), peer.subject];
  },
};
