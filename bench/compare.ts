/**
 * Compares the CPU time of an answer with that of another checkout, on a machine that others use too. The servers take turns of
 * a tenth of a second, many times. A disturbance only adds to a turn, so the lower quantiles of the turns are compared.
 * Run: npm run bench:compare -- CHECKOUT [--only introspection,introspection-once,token,registration,revocation,mixture,
 * assertion,code] [--slices N] [--milliseconds N]. `assertion` is an introspection with private_key_jwt, `code` a code exchange with ES256.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { BARE, startBare } from './bare.ts';
import { assertedQuestions } from './benchmarks/introspection-callers.ts';
import { registrationOrder } from './benchmarks/registration.ts';
import { codeBody, exchangeHead } from './benchmarks/sign-in.ts';
import { tokenOrder } from './benchmarks/token.ts';
import { firstRequest, requests } from './http-subject.ts';
import { introspectionWithBasic } from './introspection-load.ts';
import type { LoadOrder } from './load.ts';
import { mixedOrders, revocationOrder, spread } from './mixture.ts';
import { type Ours, startOurs } from './ours.ts';
import { sqlitePlace } from './place.ts';
import { cpuMicroseconds, firstAnswer, pin } from './processes/measured-process.ts';
import { originOf } from './results-file.ts';
import { CODES_LAST, signedInAt, VERIFIER } from './signed-in.ts';
import { openSlices } from './slices.ts';
import { terminalTable } from './table.ts';

const SERVER_CPU = 0;
const LOAD_CPU = 1;
const WARM_UP = { slices: 8, milliseconds: 500 };
/** Each of `manyTokens` is revoked once. */
const COUNTS = { storedTokens: 200_000, loadedTokens: 5_000, manyTokens: 150_000, selfContainedTokens: 1 };
/** For questions about tokens that the server has not seen: more than a run of 60 slices asks about. */
const ONCE = 'introspection-once';
const COUNTS_OF_ONCE = { ...COUNTS, storedTokens: 1_000_000, manyTokens: 600_000 };
/** The revocations of the mixture, taken from the end. */
const MIXED_REVOCATIONS = 20_000;

interface Server {
  readonly name: string;
  readonly pid: number;
  readonly order: LoadOrder;
}

const ORDERS: Readonly<Record<string, (ours: Ours) => LoadOrder | Promise<LoadOrder>>> = {
  introspection: ({ program, caller, tokens }) => introspectionWithBasic(program.port, caller, tokens),
  [ONCE]: ({ program, caller, manyTokens }) => introspectionWithBasic(program.port, caller, manyTokens),
  token: ({ program, caller }) => tokenOrder(program.port, caller),
  registration: ({ program }) => registrationOrder(program.port),
  revocation: ({ program, caller, manyTokens }) =>
    revocationOrder(program.port, caller, manyTokens.slice(0, -MIXED_REVOCATIONS)),
  mixture,
  assertion: async (ours) => await assertedQuestions(ours, ASSERTING, ours.tokens, ASSERTIONS),
  code: codeExchange,
};

/** Good once: enough for 60 slices. A run that needs more ends with the status 400 or 401. */
const ASSERTIONS = 100_000;
const CODES = 20_000;
const ASSERTING = 100;

async function codeExchange({ program }: Ours): Promise<LoadOrder> {
  const signedIn = await signedInAt(program, { id_token_signed_response_alg: 'ES256' });
  const bodies = (await signedIn.codes(CODES)).map((code) => codeBody(code, `&code_verifier=${VERIFIER}`));
  return { port: program.port, requests: requests(exchangeHead(signedIn.caller), bodies) };
}

/** The mixture without refreshes. */
const SHARES = { introspection: 91, token: 5, registration: 2, revocation: 2 } as const;

type Kind = keyof typeof SHARES;

/** Sends the kinds in turn, evenly spread. */
function mixture(ours: Ours): LoadOrder {
  const orders = mixedOrders(ours, MIXED_REVOCATIONS);
  const sent: Record<Kind, number> = { introspection: 0, token: 0, registration: 0, revocation: 0 };
  const turns = Array.from({ length: MIXED_REVOCATIONS / SHARES.revocation }, () => spread(SHARES)).flat();
  const requests = turns.map((kind) => {
    const { head = '', requests: all } = orders[kind];
    const next = all[sent[kind] % all.length] ?? { head: '', body: '' };
    sent[kind] += 1;
    return { head: head + next.head, body: next.body };
  });
  return { port: ours.program.port, requests };
}

const quantile = (figures: readonly number[], share: number): number =>
  figures.toSorted((one, other) => one - other)[Math.floor((figures.length - 1) * share)] ?? Number.NaN;

/** Returns the CPU microseconds of an answer in each slice, for each server in turn. */
async function measure(
  servers: readonly Server[],
  slices: number,
  milliseconds: number,
): Promise<readonly (readonly number[])[]> {
  const loads = await Promise.all(
    servers.map(async ({ pid, order }) => ({ pid, load: await openSlices(order), found: [] as number[] })),
  );
  try {
    for (let slice = 0; slice < WARM_UP.slices; slice += 1)
      for (const { load } of loads) await load.run(WARM_UP.milliseconds);
    for (let slice = 0; slice < slices; slice += 1) {
      // Each server follows each other one equally often.
      for (const { pid, load, found } of slice % 2 === 0 ? loads : loads.toReversed()) {
        const before = cpuMicroseconds(pid);
        const answered = await load.run(milliseconds);
        found.push((cpuMicroseconds(pid) - before) / answered);
      }
    }
  } finally {
    for (const { load } of loads) load.close();
  }
  return loads.map(({ found }) => found);
}

function rowsOf(servers: readonly Server[], found: readonly (readonly number[])[]): readonly string[][] {
  const [ours = []] = found;
  return servers.map(({ name }, index) => {
    const theirs = found[index] ?? [];
    const pairs = ours.map((figure, slice) => figure / (theirs[slice] ?? Number.NaN));
    return [
      name,
      ...[0.1, 0.25, 0.5].map((share) => quantile(theirs, share).toFixed(1)),
      ...[0.1, 0.25].map((share) => (quantile(ours, share) / quantile(theirs, share)).toFixed(3)),
      quantile(pairs, 0.5).toFixed(3),
    ];
  });
}

/** Says what the mixture costs beside the sum of its parts, if they were measured before it. */
function sumOfParts(
  servers: readonly Server[],
  found: readonly (readonly number[])[],
  parts: ReadonlyMap<Kind, readonly (readonly number[])[]>,
): string {
  const kinds = Object.keys(SHARES) as Kind[];
  const lines = servers.map(({ name }, index) => {
    const sum = kinds.reduce(
      (all, kind) => all + (SHARES[kind] / 100) * quantile(parts.get(kind)?.[index] ?? [], 0.25),
      0,
    );
    return `${name}: ${(quantile(found[index] ?? [], 0.25) / sum).toFixed(2)} times the sum of its parts`;
  });
  return lines.join('\n');
}

const HEAD = [
  'CPU of an answer, µs',
  '10 %',
  '25 %',
  'median',
  'ours ÷ this, 10 %',
  'ours ÷ this, 25 %',
  'median of pairs',
];

async function main(words: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      only: { type: 'string', default: 'introspection,token,registration,revocation,mixture' },
      slices: { type: 'string', default: '60' },
      milliseconds: { type: 'string', default: '120' },
    },
  });
  const counts = values.only.split(',').includes(ONCE) ? COUNTS_OF_ONCE : COUNTS;
  const [checkout] = positionals;
  if (checkout === undefined)
    throw new Error('name the folder of the other checkout, with its packages installed');
  const { machine, commit } = originOf('npm run bench:compare');
  console.log(`${machine}; commit ${commit}`);
  pin(process.pid, LOAD_CPU);
  const folder = mkdtempSync(join(tmpdir(), 'chancery-compare-'));
  const closers: (() => Promise<void>)[] = [];
  const started = async (name: string, program?: string): Promise<Ours> => {
    const own = mkdtempSync(join(folder, name));
    const place = sqlitePlace(own);
    const environment = { ...place.environment, ...CODES_LAST };
    const ours = await startOurs(own, counts, { ...place, environment }, program);
    closers.push(async () => await ours.program.stop());
    pin(ours.program.pid, SERVER_CPU);
    return ours;
  };
  try {
    const ours = await started('ours-');
    const other = await started('other-', resolve(checkout, 'src/cli/chancery.ts'));
    const parts = new Map<Kind, readonly (readonly number[])[]>();
    for (const name of values.only.split(',')) {
      const order = ORDERS[name];
      if (order === undefined) throw new Error(`--only takes ${Object.keys(ORDERS).join(', ')}`);
      const servers: Server[] = [
        { name: 'ours', pid: ours.program.pid, order: await order(ours) },
        { name: 'the other checkout', pid: other.program.pid, order: await order(other) },
      ];
      if (name === 'introspection' || name === ONCE) servers.push(await bare(await order(ours), closers));
      const found = await measure(servers, Number(values.slices), Number(values.milliseconds));
      if (name in SHARES) parts.set(name as Kind, found);
      console.log(`\n${name}\n${terminalTable([HEAD, ...rowsOf(servers, found)])}`);
      if (name === 'mixture') console.log(sumOfParts(servers, found, parts));
    }
  } finally {
    for (const close of closers) await close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts a server that gives the same answer without any work. */
async function bare(order: LoadOrder, closers: (() => Promise<void>)[]): Promise<Server> {
  const question = firstRequest(order);
  const { pid, port, close } = await startBare(await firstAnswer(order.port, question));
  closers.push(close);
  await firstAnswer(port, question);
  pin(pid, SERVER_CPU);
  return { name: BARE, pid, order: { ...order, port } };
}

await main(process.argv.slice(2));
