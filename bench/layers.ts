/** What each layer of an introspection costs, by leaving out all that lies above it (`bench/processes/layered-server.ts`). */
import { join } from 'node:path';
import { freePort } from '../test/program/free-port.ts';
import { ENCRYPTION_KEY } from '../test/program/start.ts';
import { firstRequest } from './http-subject.ts';
import { introspectionWithBasic } from './introspection-load.ts';
import type { LoadGenerator } from './load-generator.ts';
import { type Ours, startAnother } from './ours.ts';
import { BARE, startBare } from './peers.ts';
import type { Layer, LayeredOptions } from './processes/layered-server.ts';
import { cpuSeconds, firstAnswer, pin, startScript, stopChild } from './processes/measured-process.ts';
import { markdownTable } from './report.ts';

const SERVER_CPU = 0;
const ROUND_MS = 1_000;
/** Until the compiler has seen enough, but not for ever on a machine that is busy. */
const WARM_UP = { answers: 80_000, rounds: 6 };
/** The load generator's uncounted begin, which the process's CPU time includes. */
const LEAD_S = 0.3;

const NAMES: readonly (readonly [Layer, string])[] = [
  ['messages', "Node's server, body taken from the parser, head ready"],
  ['host', '+ header reading, routing, CORS, end of the turn (`src/http`)'],
  ['form', '+ form'],
  ['authorization', '+ memory of the `Authorization` header'],
  ['client', "+ journal's head and client record"],
  ['token', '+ digest, MAC memory and token record'],
];
const WHOLE = '+ rules of authentication, metrics, tenants: the program';

interface World {
  readonly folder: string;
  readonly load: LoadGenerator;
  readonly ours: Ours;
  readonly rounds: number;
}

interface Measured {
  readonly name: string;
  readonly pid: number;
  readonly order: number;
  readonly microseconds: number[];
  close(): Promise<void>;
}

/** Prints a table for tokens asked about repeatedly, and one for each asked about once, as soon as it is measured. */
export async function printLayers(world: World): Promise<void> {
  for (const [kind, tokens] of [
    ['tokens asked about repeatedly', world.ours.tokens],
    ['each token once', world.ours.manyTokens],
  ] as const) {
    const costs = await measured(world, kind, tokens);
    console.log(
      `${markdownTable([
        [`CPU time of one answer, ${kind}; least of ${world.rounds} rounds`, '', 'added', 'bare / this'],
        ...costs.map(({ name }, index) => [name, ...columns(costs, index)]),
      ])}\n`,
    );
  }
}

interface Cost {
  readonly name: string;
  readonly microseconds: number;
}

function columns(costs: readonly Cost[], index: number): string[] {
  const at = (place: number): number => costs[place]?.microseconds ?? Number.NaN;
  const added = index === 0 ? '' : `${(at(index) - at(index - 1)).toFixed(2)} µs`;
  return [`${at(index).toFixed(2)} µs`, added, (at(0) / at(index)).toFixed(2)];
}

async function measured(world: World, kind: string, tokens: readonly string[]): Promise<readonly Cost[]> {
  const subjects = await start(world, tokens);
  try {
    for (const subject of subjects) await warmUp(world, subject);
    for (let round = 0; round < world.rounds; round += 1) {
      for (const subject of subjects) subject.microseconds.push(await microseconds(world, subject));
      const found = subjects.map(({ microseconds: each }) => (each.at(-1) ?? Number.NaN).toFixed(1));
      console.error(`${kind}, round ${round + 1} of ${world.rounds}: ${found.join(', ')} µs`);
    }
    return subjects.map(({ name, microseconds: each }) => ({ name, microseconds: Math.min(...each) }));
  } finally {
    for (const subject of subjects) await subject.close();
  }
}

async function start(world: World, tokens: readonly string[]): Promise<readonly Measured[]> {
  const { folder, load, ours } = world;
  const program = await startAnother(folder);
  const order = introspectionWithBasic(program.port, ours.caller, tokens);
  const answer = await firstAnswer(program.port, firstRequest(order));
  const bare = await startBare(answer);
  const subject = async (
    name: string,
    pid: number,
    port: number,
    close: () => Promise<void>,
  ): Promise<Measured> => {
    await firstAnswer(port, firstRequest({ ...order, port }));
    pin(pid, SERVER_CPU);
    return { name, pid, order: await load.prepare({ ...order, port }), microseconds: [], close };
  };
  const headers = ['content-type', 'cache-control', 'pragma', 'vary'].map((name): [string, string] => [
    name,
    answer.headers[name] ?? '',
  ]);
  const layered = async ([layer, name]: readonly [Layer, string]): Promise<Measured> => {
    const options: LayeredOptions = {
      layer,
      port: await freePort(),
      path: join(folder, 'chancery.db'),
      issuer: program.issuer,
      client_id: ours.caller.client_id,
      encryptionKey: ENCRYPTION_KEY,
      headers,
      body: answer.body,
    };
    const child = startScript('layered-server.ts', options);
    return await subject(name, child.pid ?? 0, options.port, async () => await stopChild(child));
  };
  const subjects = [await subject(BARE, bare.pid, bare.port, bare.close)];
  for (const layer of NAMES) subjects.push(await layered(layer));
  subjects.push(await subject(WHOLE, program.pid, program.port, async () => await program.stop()));
  return subjects;
}

async function warmUp({ load }: World, { order }: Measured): Promise<void> {
  for (let round = 0, answers = 0; round < WARM_UP.rounds && answers < WARM_UP.answers; round += 1) {
    answers += (await load.run({ order, milliseconds: ROUND_MS })).answered;
  }
}

async function microseconds({ load }: World, { order, pid }: Measured): Promise<number> {
  const before = cpuSeconds(pid) ?? Number.NaN;
  const { answered, seconds } = await load.run({ order, milliseconds: ROUND_MS });
  const after = cpuSeconds(pid) ?? Number.NaN;
  return ((after - before) * 1e6) / (answered * ((seconds + LEAD_S) / seconds));
}
