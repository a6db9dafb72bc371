import { BARE, startBare } from '../bare.ts';
import { httpSubject } from '../http-subject.ts';
import { introspectionWithBasic, verifyActive } from '../introspection-load.ts';
import { NOT_SLOWER, otherCheckout } from '../other-checkout.ts';
import type { Ours } from '../ours.ts';
import { PEER, startPeer } from '../peers/oidc-provider.ts';
import type { Bench, Benchmark, Subject } from '../subject.ts';

export const introspection: Benchmark = {
  name: 'introspection',
  title: 'Introspection (RFC 7662), Basic authentication, repeated tokens',
  unit: 'per second',
  needsTokens: true,
  aims: [{ against: BARE, atLeast: 0.8 }, { against: PEER, atLeast: 5 }, NOT_SLOWER],
  rounds: (scale) => scale.rounds,
  async open(bench: Bench) {
    const { program, caller, tokens } = bench.ours;
    const order = introspectionWithBasic(program.port, caller, tokens);
    const server = { name: 'ours, SQLite', pid: program.pid, close: async () => undefined };
    const ours = await httpSubject(bench, server, order, verifyActive);
    const bareServer = await startBare(ours.verified);
    const bare = await httpSubject(bench, bareServer, { ...order, port: bareServer.port }, verifyActive);
    const orderOfOther = (other: Ours) =>
      introspectionWithBasic(other.program.port, other.caller, other.tokens);
    const other = await otherCheckout(bench, orderOfOther, verifyActive);
    return [ours.subject, ...other, bare.subject, await oidcProvider(bench)];
  },
};

async function oidcProvider(bench: Bench): Promise<Subject> {
  const peer = await startPeer(bench.scale.loadedTokens);
  const order = introspectionWithBasic(peer.port, peer, peer.tokens, '/token/introspection');
  return (await httpSubject(bench, peer, order, verifyActive)).subject;
}
