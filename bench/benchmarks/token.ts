import assert from 'node:assert/strict';
import type { RawAnswer } from '../../test/program/raw-socket.ts';
import { basic, httpSubject, requestHead, requests } from '../http-subject.ts';
import { startPeer } from '../peers.ts';
import type { Benchmark } from '../subject.ts';

const BODIES = ['grant_type=client_credentials&scope=read'];

function verifyIssued({ status, body }: RawAnswer): void {
  assert.equal(status, 200);
  const { access_token, token_type } = JSON.parse(body) as { access_token: unknown; token_type: unknown };
  assert.equal(typeof access_token, 'string');
  assert.equal(token_type, 'Bearer');
}

function head(client_id: string, client_secret: string): string {
  return requestHead('POST', '/token', {
    'content-type': 'application/x-www-form-urlencoded',
    authorization: basic(client_id, client_secret),
  });
}

export const token: Benchmark = {
  name: 'token',
  title: 'Token endpoint, client_credentials (RFC 6749 §4.4)',
  unit: 'per second',
  needsTokens: true,
  aims: [],
  rounds: (scale) => scale.rounds,
  async open(bench) {
    const { program, client_id, client_secret } = bench.ours;
    const server = { name: 'ours, SQLite, durable', pid: program.pid, close: async () => undefined };
    const order = { port: program.port, requests: requests(head(client_id, client_secret), BODIES) };
    const ours = await httpSubject(bench, server, order, verifyIssued);
    const peerServer = await startPeer(0);
    const peerHead = head(peerServer.client_id, peerServer.client_secret);
    const peerOrder = { port: peerServer.port, requests: requests(peerHead, BODIES) };
    const peer = await httpSubject(bench, peerServer, peerOrder, verifyIssued);
    return [ours.subject, peer.subject];
  },
};
