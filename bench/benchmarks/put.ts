import assert from 'node:assert/strict';
import type { RawAnswer } from '../../test/program/raw-socket.ts';
import { httpSubject, requestHead } from '../http-subject.ts';
import { PEER, registerAtPeer, startPeer } from '../peers.ts';
import { registrationRequest } from '../registry.ts';
import { type Benchmark, FEW_CLIENTS } from '../subject.ts';

const bearer = (token: string): Record<string, string> => ({
  'content-type': 'application/json',
  authorization: `Bearer ${token}`,
});

function verifyReplaced({ status, body }: RawAnswer): void {
  assert.equal(status, 200);
  const { client_secret, redirect_uris } = JSON.parse(body) as {
    client_secret: unknown;
    redirect_uris: unknown;
  };
  assert.equal(typeof client_secret, 'string');
  assert.deepEqual(redirect_uris, ['https://client.example.com/callback']);
}

/**
 * Each client's whole registration is replaced, in turn. Ours is authorised by the master token, since each PUT gives
 * the client a new registration token (and a new secret); the peer keeps both.
 */
export const put: Benchmark = {
  name: 'put',
  title: 'Client update (RFC 7592 §2.2)',
  unit: 'per second',
  needsTokens: false,
  aims: [{ against: PEER }],
  rounds: (scale) => scale.rounds,
  async open(bench) {
    const { program, clients } = await bench.registry(FEW_CLIENTS);
    const server = { name: 'ours, SQLite, durable', pid: program.pid, close: async () => undefined };
    const request = registrationRequest(program.issuer);
    const order = {
      port: program.port,
      requests: clients.map(({ client_id }) => ({
        head: requestHead('PUT', `/clients/${client_id}`, bearer(program.masterToken)),
        body: JSON.stringify(request),
      })),
    };
    const ours = await httpSubject(bench, server, order, verifyReplaced);
    const peerServer = await startPeer(0);
    const peerRequest = { ...request, scope: 'read' };
    const peerClients = await registerAtPeer(peerServer.port, peerRequest, clients.length);
    const peerOrder = {
      port: peerServer.port,
      requests: peerClients.map(({ path, client_id, client_secret, registration_access_token }) => ({
        head: requestHead('PUT', path, bearer(registration_access_token)),
        body: JSON.stringify({ ...peerRequest, client_id, client_secret }),
      })),
    };
    const peer = await httpSubject(bench, peerServer, peerOrder, verifyReplaced);
    return [ours.subject, peer.subject];
  },
};
