import assert from 'node:assert/strict';
import type { RawAnswer } from '../../test/program/raw-socket.ts';
import { basic, httpSubject, requestHead, requests } from '../http-subject.ts';
import { BARE, PEER, startBare, startPeer } from '../peers.ts';
import type { Bench, Benchmark } from '../subject.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

function verifyActive({ status, body }: RawAnswer): void {
  assert.equal(status, 200);
  assert.equal((JSON.parse(body) as { active: unknown }).active, true);
}

export const introspection: Benchmark = {
  name: 'introspection',
  title: 'Introspection (RFC 7662), Basic authentication',
  unit: 'per second',
  needsTokens: true,
  aims: [
    { against: BARE, atLeast: 0.5 },
    { against: PEER, atLeast: 5 },
  ],
  rounds: (scale) => scale.rounds,
  async open(bench: Bench) {
    const { program, client_id, client_secret, tokens } = bench.ours;
    const authorization = basic(client_id, client_secret);
    const order = {
      port: program.port,
      requests: requests(
        requestHead('POST', '/token/introspect', { ...FORM, authorization }),
        tokens.map((token) => `token=${token}`),
      ),
    };
    const server = { name: 'ours, SQLite', pid: program.pid, close: async () => undefined };
    const ours = await httpSubject(bench, server, order, verifyActive);
    const bareServer = await startBare(ours.verified);
    const bare = await httpSubject(bench, bareServer, { ...order, port: bareServer.port }, verifyActive);
    const peerServer = await startPeer(bench.scale.loadedTokens);
    const peerOrder = {
      port: peerServer.port,
      requests: requests(
        requestHead('POST', '/token/introspection', {
          ...FORM,
          authorization: basic(peerServer.client_id, peerServer.client_secret),
        }),
        peerServer.tokens.map((token) => `token=${token}`),
      ),
    };
    const peer = await httpSubject(bench, peerServer, peerOrder, verifyActive);
    return [ours.subject, bare.subject, peer.subject];
  },
};
