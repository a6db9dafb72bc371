import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { basic } from '../../../bench/http-subject.ts';
import { sqlitePlace } from '../../../bench/place.ts';
import { seed } from '../../../bench/seed.ts';
import { seedClients } from '../../../bench/seed-clients.ts';
import type { ClientId } from '../../../src/spec/identifiers.ts';
import type { Program } from '../../program/start.ts';
import { type MemoryGroup, memoryGroup } from '../control-group.ts';
import { type EachOnce, eachOnce } from '../each-once.ts';
import type { Experiment, ExperimentOptions, Outcome, Skipped } from '../experiment.ts';
import { anonymousBytes, megabytes, residentBytes } from '../process-figures.ts';
import type { Stand } from '../stand.ts';
import { readiness } from '../under-fault.ts';

const ACKED_MIN = 40_000;
const MIB = 1024 * 1024;
const ENVIRONMENT = {
  CHANCERY_ACCESS_TOKEN_LIFETIME: '36000',
  CHANCERY_LOG_LEVEL: 'warn',
  CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: 'true',
};
const SCOPE = 'read write';
const NO_GROUP = { skipped: 'needs the right to make a control group (cgroup v1, memory)' };

/** Requests that fill the caches: each names another record. */
interface Fillers {
  readonly introspections: readonly string[];
  readonly tokenRequests: readonly string[];
}

interface Rows {
  readonly tokens: number;
  readonly asked: number;
  readonly clients: number;
}

/** Fills the database of the stand. @returns requests about its records */
async function fill(stand: Stand, rows: Rows, program: string | undefined): Promise<Fillers> {
  const started = await stand.start({ environment: ENVIRONMENT, ...asProgram(program) });
  const scope = `${SCOPE} ${started.issuer}/token/introspect`;
  const answer = await fetch(`${started.url}/clients`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${started.masterToken}` },
    body: JSON.stringify({
      client_name: 'A client of the experiment',
      redirect_uris: ['https://client.example.com/callback'],
      contacts: ['admin@client.example.com'],
      grant_types: ['authorization_code', 'client_credentials'],
      scope,
    }),
  });
  const { client_id, client_secret } = (await answer.json()) as { client_id: string; client_secret: string };
  await started.stop();
  const place = sqlitePlace(stand.folder);
  const clients =
    rows.clients === 0
      ? []
      : await seedClients({
          place,
          example: client_id as ClientId,
          clients: rows.clients,
          kept: rows.clients,
        });
  const { issuer } = started;
  const { tokens } = await seed({
    place,
    issuer,
    client_id,
    tokens: rows.tokens,
    kept: rows.asked,
    selfContained: 0,
  });
  const caller = basic(client_id, client_secret);
  return {
    introspections: tokens.map((token) => form('/token/introspect', caller, `token=${token}`)),
    tokenRequests: clients.map((each) =>
      form('/token', basic(each.client_id, each.client_secret), 'grant_type=client_credentials&scope=read'),
    ),
  };
}

const asProgram = (program: string | undefined) => (program === undefined ? {} : { program });

function form(path: string, authorization: string, body: string): string {
  return [
    `POST ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    `authorization: ${authorization}`,
    'content-type: application/x-www-form-urlencoded',
    `content-length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

const rateOf = ({ answered, seconds }: EachOnce): string => `${Math.round(answered / seconds)}/s`;

/** Says what kept a load from being answered whole. */
const missing = (name: string, { refused, lost }: EachOnce): readonly string[] =>
  refused + lost === 0 ? [] : [`${name}: ${refused} refused, ${lost} without an answer`];

const outcome = (
  acked: number,
  broken: readonly string[],
  figures: Readonly<Record<string, string>>,
): Outcome => ({
  acked,
  lost: [],
  half_written: [],
  used_twice: [],
  revoked_active: [],
  unknown: 0,
  broken,
  figures,
});

/** Starts the server in a control group and runs `act`; adds what the group says about memory. */
async function limited(
  stand: Stand,
  { limit, program }: { readonly limit: number; readonly program: string | undefined },
  act: (node: Program, group: MemoryGroup) => Promise<Outcome>,
): Promise<Outcome | Skipped> {
  const group = memoryGroup(limit);
  if (group === undefined) return NO_GROUP;
  try {
    const runtime = group.runtimeIn(stand.folder);
    const node = await stand.start({ environment: ENVIRONMENT, runtime, ...asProgram(program) });
    // Node's figures count from the first reading on (docs/operate/logs-and-metrics.md).
    await toldOf(node);
    const result = await act(node, group);
    const { anonymous, files } = group.use();
    const told = await toldOf(node);
    return {
      ...result,
      figures: {
        ...result.figures,
        'memory of the processes / pages of files at the end': `${megabytes(anonymous)} / ${megabytes(files)}`,
        ...told,
      },
    };
  } finally {
    await stand.end();
    group.remove();
  }
}

/** Returns the figures of the heap and the caches in `/metrics`. */
async function toldOf(node: Program): Promise<Readonly<Record<string, string>>> {
  const answer = await fetch(`${node.managementUrl}/metrics`).catch(() => undefined);
  const lines = ((await answer?.text()) ?? '').split('\n');
  const valueOf = (begin: string): number =>
    Number(
      lines
        .find((line) => line.startsWith(begin))
        ?.split(' ')
        .at(-1) ?? Number.NaN,
    );
  const caches = lines.filter((line) => line.startsWith('chancery_cache_bytes{'));
  const bytes = caches.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  const collections = 'nodejs_gc_duration_seconds';
  return {
    'major collections': `${valueOf(`${collections}_count{kind="major"}`)} in ${valueOf(`${collections}_sum{kind="major"}`).toFixed(1)} s`,
    'heap in use / reserved': `${megabytes(valueOf('nodejs_heap_size_used_bytes '))} / ${megabytes(valueOf('nodejs_heap_size_total_bytes '))}`,
    'estimated bytes of the caches': megabytes(bytes),
  };
}

async function stillServes(node: Program): Promise<readonly string[]> {
  const ready = await readiness(node).catch((failure: unknown) => String(failure));
  return ready === 200 ? [] : [`/health/ready was ${ready} afterwards`];
}

const CACHES_LIMIT = 512 * MIB;

export const memoryCaches: Experiment = {
  name: 'memory-caches',
  fault:
    'F47 200,000 access tokens and 100,000 clients fill every cache of a server that may use 512 MiB, with default settings',
  engines: ['sqlite'],
  acked_min: () => ACKED_MIN,
  async run(stand, { program }: ExperimentOptions) {
    const rows = { tokens: 300_000, asked: 200_000, clients: 100_000 };
    const fillers = await fill(stand, rows, program);
    return await limited(stand, { limit: CACHES_LIMIT, program }, async (node) => {
      const { port } = node;
      const about = async (requests: readonly string[]): Promise<EachOnce> =>
        await eachOnce({ port, requests });
      const tokens = await about(fillers.introspections);
      const clients = await about(fillers.tokenRequests);
      const both = await about(interleaved(fillers.introspections, fillers.tokenRequests));
      const again = await about(fillers.introspections);
      const loads = { 'each token once': tokens, 'each client once': clients, both, again };
      return outcome(
        Object.values(loads).reduce((sum, { answered }) => sum + answered, 0),
        [
          ...Object.entries(loads).flatMap(([name, load]) => missing(name, load)),
          ...(await stillServes(node)),
        ],
        Object.fromEntries(Object.entries(loads).map(([name, load]) => [name, rateOf(load)])),
      );
    });
  },
};

function interleaved(one: readonly string[], other: readonly string[]): readonly string[] {
  return one.flatMap((request, index) => {
    const beside = index % 2 === 0 ? other[index / 2] : undefined;
    return beside === undefined ? [request] : [request, beside];
  });
}

/** Pages that another group read first count there, and would be read for nothing. */
function leavePageCache(file: string): void {
  execFileSync('dd', [`of=${file}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0', 'status=none'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

const SMALL_LIMIT = 256 * MIB;
const LARGE_TOKENS = 5_000_000;
const RATE_MIN = 3000;

export const memoryLargeFile: Experiment = {
  name: 'memory-large-file',
  fault:
    'F48 a server that may use 256 MiB has a file of 2 GB, and is asked about 200,000 tokens of it once each',
  engines: ['sqlite'],
  acked_min: () => ACKED_MIN,
  async run(stand, { program }) {
    const fillers = await fill(stand, { tokens: LARGE_TOKENS, asked: 200_000, clients: 0 }, program);
    const file = join(stand.folder, 'chancery.db');
    leavePageCache(file);
    return await limited(stand, { limit: SMALL_LIMIT, program }, async (node) => {
      const once = await eachOnce({ port: node.port, requests: fillers.introspections });
      const again = await eachOnce({ port: node.port, requests: fillers.introspections });
      const slow = once.answered / once.seconds < RATE_MIN;
      return outcome(
        once.answered + again.answered,
        [
          ...missing('each token once', once),
          ...missing('again', again),
          ...(slow ? [`${rateOf(once)} introspections, fewer than ${RATE_MIN}`] : []),
          ...(await stillServes(node)),
        ],
        { file: megabytes(statSync(file).size), 'each token once': rateOf(once), again: rateOf(again) },
      );
    });
  },
};

const SOAK_RATE = 700;
const SAMPLE_MS = 1000;

export const memorySoak: Experiment = {
  name: 'memory-soak',
  fault:
    'F49 700 requests a second with full caches: introspections of 300,000 tokens, tokens for 100,000 clients, registrations',
  engines: ['sqlite'],
  acked_min: () => ACKED_MIN,
  async run(stand, { minutes, program, say }) {
    const rows = { tokens: 300_000, asked: 300_000, clients: 100_000 };
    const fillers = await fill(stand, rows, program);
    const node = await stand.start({
      environment: { ...ENVIRONMENT, CHANCERY_LOG_LEVEL: 'info' },
      ...asProgram(program),
    });
    const { port } = node;
    const samples: number[] = [];
    const sampling = setInterval(() => samples.push(anonymousBytes(node)), SAMPLE_MS);
    try {
      const filling = await eachOnce({
        port,
        requests: interleaved(fillers.introspections, fillers.tokenRequests),
      });
      const filled = samples.length;
      say(`filled at ${rateOf(filling)}: ${megabytes(anonymousBytes(node))}`);
      const requests = mixed(fillers, node, minutes * 60 * SOAK_RATE);
      const load = await eachOnce({ port, requests, rate: SOAK_RATE });
      const most = Math.max(...samples);
      const stated = statedBytes(node);
      const beyond = most > stated;
      const steady = samples.slice(filled);
      return outcome(
        filling.answered + load.answered,
        [
          ...missing('filling', filling),
          ...missing('load', load),
          ...(beyond ? [`${megabytes(most)} of memory, more than the stated ${megabytes(stated)}`] : []),
          ...(await stillServes(node)),
        ],
        {
          minutes: String(minutes),
          'answered at 700/s': String(load.answered),
          stated: megabytes(stated),
          'most while filling': megabytes(Math.max(...samples.slice(0, filled))),
          'least / most at 700/s': `${megabytes(Math.min(...steady))} / ${megabytes(Math.max(...steady))}`,
          'resident at the end, pages of files included': megabytes(residentBytes(node)),
        },
      );
    } finally {
      clearInterval(sampling);
    }
  },
};

/** 92 of 100 are introspections, 6 ask for a token, 2 register a client. */
function mixed(fillers: Fillers, node: Program, count: number): readonly string[] {
  const registration = registrationAt(node);
  const among = (requests: readonly string[]): string =>
    requests[Math.floor(Math.random() * requests.length)] ?? '';
  return Array.from({ length: count }, (_, index) => {
    const kind = index % 100;
    if (kind < 92) return among(fillers.introspections);
    return kind < 98 ? among(fillers.tokenRequests) : registration;
  });
}

function registrationAt({ masterToken }: Program): string {
  const body = JSON.stringify({ redirect_uris: ['https://client.example.com/callback'] });
  return [
    'POST /clients HTTP/1.1',
    'host: 127.0.0.1',
    `authorization: Bearer ${masterToken}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

/** Returns the need that the log of the start states; that of 384 MiB of caches for an old program, which states none. */
function statedBytes(node: Program): number {
  return Number(/"needed_mib":(\d+)/u.exec(node.output())?.[1] ?? NEEDED_MIB) * MIB;
}

const NEEDED_MIB = 760;
