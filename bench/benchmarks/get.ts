import assert from 'node:assert/strict';
import type { RawAnswer } from '../../test/program/raw-socket.ts';
import { httpSubject, readRequest } from '../http-subject.ts';
import { BARE, PEER, registerAtPeer, startBare, startPeer } from '../peers.ts';
import { registrationRequest } from '../registry.ts';
import { type Benchmark, FEW_CLIENTS } from '../subject.ts';

export function verifyRead({ status, body }: RawAnswer): void {
  assert.equal(status, 200);
  const { client_id, client_secret } = JSON.parse(body) as { client_id: unknown; client_secret: unknown };
  assert.equal(typeof client_id, 'string');
  assert.equal(typeof client_secret, 'string');
}

/** Each client reads its registration, in turn; ours opens its sealed secrets and records the reading in the audit. */
export const get: Benchmark = {
  name: 'get',
  title: 'Client read (RFC 7592 §2.1), by registration token',
  unit: 'per second',
  needsTokens: false,
  aims: [{ against: BARE }, { against: PEER }],
  rounds: (scale) => scale.rounds,
  async open(bench) {
    const { program, clients } = await bench.registry(FEW_CLIENTS);
    const server = { name: 'ours, SQLite', pid: program.pid, close: async () => undefined };
    const order = {
      port: program.port,
      requests: clients.map((client) =>
        readRequest(`/clients/${client.client_id}`, client.registration_access_token),
      ),
    };
    const ours = await httpSubject(bench, server, order, verifyRead);
    const bareServer = await startBare(ours.verified);
    const bare = await httpSubject(bench, bareServer, { ...order, port: bareServer.port }, verifyRead);
    const peerServer = await startPeer(0);
    const request = { ...registrationRequest(program.issuer), scope: 'read' };
    const peerClients = await registerAtPeer(peerServer.port, request, clients.length);
    const peerOrder = {
      port: peerServer.port,
      requests: peerClients.map(({ path, registration_access_token }) =>
        readRequest(path, registration_access_token),
      ),
    };
    const peer = await httpSubject(bench, peerServer, peerOrder, verifyRead);
    return [ours.subject, bare.subject, peer.subject];
  },
};
