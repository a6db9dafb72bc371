import assert from 'node:assert/strict';
import type { RawAnswer } from '../../test/program/raw-socket.ts';
import { httpSubject, requestHead, requests } from '../http-subject.ts';
import { startBare, startPeer } from '../peers.ts';
import type { Benchmark } from '../subject.ts';

const KEYS = 7;

function verifyKeySet({ status, body }: RawAnswer): void {
  assert.equal(status, 200);
  assert.equal((JSON.parse(body) as { keys: unknown[] }).keys.length, KEYS);
}

export const jwks: Benchmark = {
  name: 'jwks',
  title: `Key set (RFC 7517 §5), ${KEYS} keys`,
  unit: 'per second',
  needsTokens: false,
  aims: [],
  rounds: (scale) => scale.rounds,
  async open(bench) {
    const { program } = bench.ours;
    const order = { port: program.port, requests: requests(requestHead('GET', '/jwks.json', {}), ['']) };
    const server = { name: 'ours', pid: program.pid, close: async () => undefined };
    const ours = await httpSubject(bench, server, order, verifyKeySet);
    const bareServer = await startBare(ours.verified);
    const bare = await httpSubject(bench, bareServer, { ...order, port: bareServer.port }, verifyKeySet);
    const peerServer = await startPeer(0);
    const peerOrder = { port: peerServer.port, requests: requests(requestHead('GET', '/jwks', {}), ['']) };
    const peer = await httpSubject(bench, peerServer, peerOrder, verifyKeySet);
    return [ours.subject, bare.subject, peer.subject];
  },
};
