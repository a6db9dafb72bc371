import assert from 'node:assert/strict';
import type { RawAnswer } from '../../test/program/raw-socket.ts';
import { bunExecutable } from '../bun.ts';
import { httpSubject, requestHead, requests } from '../http-subject.ts';
import { introspectionWithBasic, verifyActive } from '../introspection-load.ts';
import type { LoadOrder } from '../load.ts';
import { BARE, startBare } from '../peers.ts';
import type { Bench, Benchmark, Subject } from '../subject.ts';

/** What each server has used before it is measured. */
const WARM_CPU_S = 3;

/** The program beside the least that can be done on Node and on Bun (ADR 28): only where it is asked for by name. */
export const runtimes: readonly Benchmark[] = [
  {
    ...benchmark(
      'Introspection (RFC 7662) beside empty servers on Node and on Bun',
      verifyActive,
      ({ ours }) => introspectionWithBasic(ours.program.port, ours.caller, ours.tokens),
    ),
    needsTokens: true,
  },
  benchmark('Key set (RFC 7517 §5) beside empty servers on Node and on Bun', verifyKeySet, ({ ours }) => ({
    port: ours.program.port,
    requests: requests(requestHead('GET', '/jwks.json', {}), ['']),
  })),
];

function verifyKeySet({ status, body }: RawAnswer): void {
  assert.equal(status, 200);
  assert.ok((JSON.parse(body) as { keys: unknown[] }).keys.length > 0);
}

function benchmark(
  title: string,
  verify: (answer: RawAnswer) => void,
  load: (bench: Bench) => LoadOrder,
): Benchmark {
  return {
    name: 'runtimes',
    title,
    unit: 'per second',
    needsTokens: false,
    byNameOnly: true,
    aims: [],
    rounds: (scale) => scale.rounds,
    open: async (bench) => await open(bench, load(bench), verify),
  };
}

async function open(
  bench: Bench,
  order: LoadOrder,
  verify: (answer: RawAnswer) => void,
): Promise<readonly Subject[]> {
  const bun = bunExecutable();
  const { pid } = bench.ours.program;
  const server = { name: 'ours', pid, close: async () => undefined };
  const ours = await httpSubject(bench, server, order, verify);
  const bare = [
    { ...(await startBare(ours.verified)), name: `${BARE} on Node` },
    {
      ...(await startBare(ours.verified, {}, { execPath: bun })),
      name: `${BARE} on Bun`,
    },
    {
      ...(await startBare(ours.verified, {}, { script: 'bare-bun-serve.ts', execPath: bun })),
      name: 'bare Bun.serve',
    },
  ];
  const subjects = [ours.subject];
  for (const server of bare) {
    subjects.push((await httpSubject(bench, server, { ...order, port: server.port }, verify)).subject);
  }
  for (const subject of subjects) await warm(subject, bench.scale.round_ms);
  return subjects;
}

/** Compilers differ in when they have seen enough; on a busy machine a round is too little for any. */
async function warm(subject: Subject, round_ms: number): Promise<void> {
  for (let cpu_s = 0; cpu_s < WARM_CPU_S; ) {
    const { serverCpu } = await subject.measure();
    if (serverCpu === undefined) return;
    cpu_s += (serverCpu * round_ms) / 1_000;
  }
}
