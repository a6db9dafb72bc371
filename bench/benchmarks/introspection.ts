import { GLEWLWYD, startGlewlwyd } from '../glewlwyd.ts';
import { httpSubject } from '../http-subject.ts';
import { introspectionWithBasic, verifyActive } from '../introspection-load.ts';
import { BARE, PEER, startBare, startPeer } from '../peers.ts';
import type { Bench, Benchmark, Subject } from '../subject.ts';

/** Of the slow peer, which makes tokens by the hundred a second. */
const GLEWLWYD_TOKENS = 200;

export const introspection: Benchmark = {
  name: 'introspection',
  title: 'Introspection (RFC 7662), Basic authentication, tokens asked about repeatedly',
  unit: 'per second',
  needsTokens: true,
  aims: [
    { against: BARE, atLeast: 0.75 },
    { against: PEER, atLeast: 5 },
    { against: GLEWLWYD, atLeast: 5 },
  ],
  rounds: (scale) => scale.rounds,
  async open(bench: Bench) {
    const { program, caller, tokens } = bench.ours;
    const order = introspectionWithBasic(program.port, caller, tokens);
    const server = { name: 'ours, SQLite', pid: program.pid, close: async () => undefined };
    const ours = await httpSubject(bench, server, order, verifyActive);
    const bareServer = await startBare(ours.verified);
    const bare = await httpSubject(bench, bareServer, { ...order, port: bareServer.port }, verifyActive);
    return [ours.subject, bare.subject, await oidcProvider(bench), ...(await glewlwyd(bench))];
  },
};

async function oidcProvider(bench: Bench): Promise<Subject> {
  const peer = await startPeer(bench.scale.loadedTokens);
  const order = introspectionWithBasic(peer.port, peer, peer.tokens, '/token/introspection');
  return (await httpSubject(bench, peer, order, verifyActive)).subject;
}

/** Where the Debian package is installed. */
async function glewlwyd(bench: Bench): Promise<readonly Subject[]> {
  const peer = await startGlewlwyd(bench.folder, GLEWLWYD_TOKENS);
  if (peer === undefined) return [];
  const order = introspectionWithBasic(peer.port, peer, peer.tokens, '/api/glwd/introspect');
  return [(await httpSubject(bench, peer, order, verifyActive)).subject];
}
