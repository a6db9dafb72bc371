import { BARE, startBare } from '../bare.ts';
import { httpSubject } from '../http-subject.ts';
import { introspectionWithBasic, verifyActive } from '../introspection-load.ts';
import type { Benchmark } from '../subject.ts';

/** Asks about tokens that the server has not seen lately, so that it computes the MAC and looks the record up. */
export const introspectionOnce: Benchmark = {
  name: 'introspection-once',
  title: 'Introspection, Basic authentication, each token once',
  unit: 'per second',
  needsTokens: true,
  aims: [{ against: BARE, atLeast: 0.6 }],
  rounds: (scale) => scale.rounds,
  async open(bench) {
    const { program, caller, manyTokens, tokens } = bench.ours;
    const order = introspectionWithBasic(program.port, caller, manyTokens);
    const server = { name: 'ours, each token once', pid: program.pid, close: async () => undefined };
    const once = await httpSubject(bench, server, order, verifyActive);
    const bareServer = await startBare(once.verified);
    const bare = await httpSubject(bench, bareServer, { ...order, port: bareServer.port }, verifyActive);
    const repeatedly = await httpSubject(
      bench,
      { ...server, name: 'ours, the same tokens again' },
      introspectionWithBasic(program.port, caller, tokens),
      verifyActive,
    );
    return [once.subject, bare.subject, repeatedly.subject];
  },
};
