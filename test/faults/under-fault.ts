import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from '../program/start.ts';
import { expectedRegistry } from './expected-registry.ts';
import { milliseconds, type Outcome } from './experiment.ts';
import { integrityOf } from './integrity.ts';
import type { Ledger } from './ledger.ts';
import type { LoadFigures, Phase } from './load-figures.ts';
import { type MixedLoad, startMixedLoad } from './mixed-load.ts';
import type { Stand } from './stand.ts';
import { type Findings, noFindings, verifyRegistry } from './verify-registry.ts';

export interface UnderFault {
  readonly nodes: readonly Program[];
  readonly before_ms: number;
  /** Begins the fault, and ends it before it resolves. */
  readonly fault: (load: MixedLoad) => Promise<void>;
  readonly after_ms: number;
  readonly workers?: number;
  /** How long requests that were given up may go on in the server. Default 500. */
  readonly settle_ms?: number;
  /** How long what began under the fault may still fail when the servers are ready again. Default 0. */
  readonly grace_ms?: number;
  /** How long the servers may take to be ready again. Default 30,000. */
  readonly recovery_ms?: number;
  /** Checks expectations beyond the zeros. Returns those that do not hold. */
  readonly expect?: (figures: LoadFigures) => readonly string[];
}

/** Clients and tokens that are tried one by one afterwards. */
const TRIED_MAX = 300;

/** Mixed load before, during and after a fault, and then everything that was acknowledged is looked for. */
export async function underFault(stand: Stand, experiment: UnderFault): Promise<Outcome> {
  const { nodes, recovery_ms = 30_000 } = experiment;
  const [first] = nodes;
  if (first === undefined) throw new Error('no node');
  const { ledger } = stand;
  const inspector = await stand.inspector(first);
  const operations = ledger.entries().length;
  const workers = experiment.workers ?? 8;
  const load = startMixedLoad({ nodes, ledger, inspector, workers });
  const { figures } = load;
  let notReady: readonly string[] = [];
  figures.begin();
  try {
    await sleep(experiment.before_ms);
    figures.phase = 'during';
    await experiment.fault(load);
    figures.faultEnds();
    notReady = await untilAllReady(nodes, recovery_ms);
    await sleep(experiment.grace_ms ?? 0);
    figures.phase = 'after';
    await sleep(experiment.after_ms);
  } finally {
    await load.stop();
  }
  await sleep(experiment.settle_ms ?? 500);
  const findings = noFindings();
  const verification = { program: first, ledger, findings, inspector };
  const touched = new Set([...touchedSince(ledger, operations)].slice(-TRIED_MAX));
  await verifyRegistry(verification, touched);
  const broken = [...notReady, ...summary(figures.unexpected), ...(experiment.expect?.(figures) ?? [])];
  return outcomeOf(stand, { findings, loads: [load], broken, output: outputOf(nodes) });
}

export const outputOf = (nodes: readonly Program[]): string => nodes.map((node) => node.output()).join('');

/** The clients and tokens that the entries after the first `count` name. */
export function touchedSince(ledger: Ledger, count: number): ReadonlySet<string> {
  const touched = new Set<string>();
  for (const entry of ledger.entries().slice(count)) {
    const named: object = 'sent' in entry ? entry.sent : 'acked' in entry ? (entry.acked.body ?? {}) : {};
    for (const member of ['client_id', 'initialAccessToken', 'access_token']) {
      const value: unknown = Reflect.get(named, member);
      if (typeof value === 'string') touched.add(value);
    }
  }
  return touched;
}

/** Answers what is not ready after `deadline_ms`. */
export async function untilAllReady(
  nodes: readonly Program[],
  deadline_ms: number,
): Promise<readonly string[]> {
  const deadline = performance.now() + deadline_ms;
  const waits = nodes.map(async (node, index) => {
    while ((await readiness(node)) !== 200) {
      if (performance.now() > deadline) return [`node ${index + 1} is not ready after ${deadline_ms} ms`];
      await sleep(10);
    }
    return [];
  });
  return (await Promise.all(waits)).flat();
}

/** Returns the status of /health/ready; 0 without an answer. */
export async function readiness(node: Program): Promise<number> {
  try {
    const answer = await fetch(`${node.managementUrl}/health/ready`, { signal: AbortSignal.timeout(10_000) });
    return answer.status;
  } catch {
    return 0;
  }
}

/** Equal lines once, with their number. */
export function summary(lines: readonly string[]): readonly string[] {
  const counted = new Map<string, number>();
  for (const line of lines) counted.set(line, (counted.get(line) ?? 0) + 1);
  return [...counted].map(([line, times]) => `${line} ×${times}`);
}

interface Found {
  readonly findings: Findings;
  readonly loads: readonly MixedLoad[];
  readonly broken: readonly string[];
  /** Everything that the servers printed. */
  readonly output: string;
  /** Before the figures that every experiment has. */
  readonly figures?: Readonly<Record<string, string>>;
}

/** The figures that every experiment has. The engine's own check of its data comes in here. */
export async function outcomeOf(stand: Stand, found: Found): Promise<Outcome> {
  const { findings, loads, broken, output } = found;
  const expected = expectedRegistry(stand.ledger.entries());
  const integrity = await integrityOf(stand.url);
  const problems = [...broken, ...summary(expected.unexpected)];
  if (integrity !== 'ok') problems.push(`the engine says of its data: ${integrity}`);
  const words = new Set(output.match(/[\w.~-]{16,}/gu));
  if (secretsOf(expected).some((secret) => words.has(secret))) problems.push('a secret is in the log');
  const last = loads.at(-1)?.figures;
  return {
    acked: expected.acked,
    lost: [...findings.lost, ...expected.lost, ...loads.flatMap(({ lost }) => lost)],
    half_written: findings.half_written,
    used_twice: findings.used_twice,
    revoked_active: [...findings.revoked_active, ...loads.flatMap(({ revoked_active }) => revoked_active)],
    broken: problems,
    unknown: findings.unknown_done + findings.unknown_absent,
    figures: {
      ...found.figures,
      ...(loads.length === 1 && last !== undefined ? phaseFigures(last) : {}),
      introspections: String(loads.reduce((sum, { right }) => sum + right, 0)),
      'unknown, done': String(findings.unknown_done),
    },
  };
}

function phaseFigures(figures: LoadFigures): Readonly<Record<string, string>> {
  const p99 = (kind: 'write' | 'introspection'): string =>
    (['before', 'during', 'after'] as const satisfies readonly Phase[])
      .map((phase) => milliseconds(figures.times(phase, kind).p99).replace(/ ms$/u, ''))
      .join(' / ');
  return {
    'write gap': milliseconds(figures.writeGap_ms),
    'first write after': milliseconds(figures.firstSuccess_ms),
    'p99 of writes, ms': p99('write'),
    'p99 of introspections, ms': p99('introspection'),
    slowest: milliseconds(figures.times('during').max),
    failures: figures.failures(),
  };
}

function secretsOf({ clients, initialAccessTokens, grants }: ReturnType<typeof expectedRegistry>): string[] {
  const ofClients = [...clients.values()].flatMap(({ current, former, accessTokens, revoked }) => [
    ...[current, ...former].flatMap((known) => [known.client_secret, known.registration_access_token]),
    ...accessTokens,
    ...revoked,
  ]);
  const ofGrants = [...grants.values()].flat().flatMap((grant) => [...grant.uses.keys()]);
  return [...ofClients, ...initialAccessTokens.keys(), ...ofGrants];
}
