import assert from 'node:assert/strict';
import type { RawAnswer } from '../../test/program/raw-socket.ts';
import { basic, httpSubject, requestHead, requests } from '../http-subject.ts';
import { limit, storedRow } from '../limit.ts';
import type { LoadOrder } from '../load.ts';
import { NOT_SLOWER, otherCheckout } from '../other-checkout.ts';
import type { Caller, Ours } from '../ours.ts';
import { startPeer } from '../peers/oidc-provider.ts';
import type { Peer } from '../peers/peer.ts';
import type { Bench, Benchmark, Subject } from '../subject.ts';

const LIMIT = 'SQLite alone: commits of 64 access tokens';

const BODIES = ['grant_type=client_credentials&scope=read'];

export function verifyIssued({ status, body }: RawAnswer): void {
  assert.equal(status, 200);
  const { access_token, token_type } = JSON.parse(body) as { access_token: unknown; token_type: unknown };
  assert.equal(typeof access_token, 'string');
  // RFC 6749 §5.1: its value is case insensitive.
  assert.equal(String(token_type).toLowerCase(), 'bearer');
}

export function tokenOrder(port: number, { client_id, client_secret }: Caller, path = '/token'): LoadOrder {
  const head = requestHead('POST', path, {
    'content-type': 'application/x-www-form-urlencoded',
    authorization: basic(client_id, client_secret),
  });
  return { port, requests: requests(head, BODIES) };
}

export const token: Benchmark = {
  name: 'token',
  title: 'Token endpoint, client_credentials (RFC 6749 §4.4)',
  unit: 'per second',
  needsTokens: true,
  aims: [{ against: LIMIT, atLeast: 0.45 }, NOT_SLOWER],
  rounds: (scale) => scale.rounds,
  async open(bench) {
    const { program, caller } = bench.ours;
    const server = { name: 'ours, SQLite, durable', pid: program.pid, close: async () => undefined };
    const ours = await httpSubject(bench, server, tokenOrder(program.port, caller), verifyIssued);
    const token = storedRow(bench, 'access_token', 'client_id = ? LIMIT 1', caller.client_id);
    const orderOfOther = (other: Ours) => tokenOrder(other.program.port, other.caller);
    const other = await otherCheckout(bench, orderOfOther, verifyIssued);
    return [
      ours.subject,
      ...other,
      limit(bench, LIMIT, { token }),
      await peerToken(bench, await startPeer(0)),
    ];
  },
};

async function peerToken(bench: Bench, peer: Peer): Promise<Subject> {
  return (await httpSubject(bench, peer, tokenOrder(peer.port, peer), verifyIssued)).subject;
}
