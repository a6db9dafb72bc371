import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Program, startProgram } from '../program/start.ts';
import { storageUrl } from '../program/storage-place.ts';
import { type ExpectedRegistry, expectedRegistry } from './expected-registry.ts';
import { integrityOf } from './integrity.ts';
import { Ledger } from './ledger.ts';
import { startTraffic } from './traffic.ts';
import { type Findings, verifyRegistry } from './verify-registry.ts';

export interface KillOptions {
  readonly rounds: number;
  /** How many clients send at the same time. Default 8. */
  readonly workers?: number;
  /** Is told after each round. */
  readonly progress?: (round: KillRound) => void;
}

export interface KillRound {
  readonly round: number;
  /** From the first request to the kill. */
  readonly killed_after_ms: number;
  /** From the start of the process to the first successful /health/ready. */
  readonly restart_ms: number;
  readonly acked: number;
}

export interface KillReport extends Readonly<Findings> {
  readonly rounds: number;
  /** Acknowledged operations in all rounds, introspections not counted. */
  readonly acked: number;
  readonly clients: number;
  readonly introspections: number;
  /** Answers that no healthy server gives. */
  readonly unexpected: readonly string[];
  readonly restart_ms_max: number;
  /** What the engine says of its own data: `ok`, or what is wrong. */
  readonly integrity: string;
  /** Whether a secret or token of the ledger was printed or logged. */
  readonly secrets_in_log: boolean;
}

const KILL_AFTER_MS = { min: 50, max: 400 };
/** So many clients of earlier rounds are changed again in the next. */
const ADOPTED = 24;

interface Run {
  readonly folder: string;
  readonly ledger: Ledger;
  readonly workers: number;
  readonly findings: Findings;
  readonly unexpected: string[];
  introspections: number;
  output: string;
}

/** F1 of security.md §4.3: kill -9 under load, again and again, on one database. */
export async function killDuringRegistrations({
  rounds,
  workers = 8,
  progress,
}: KillOptions): Promise<KillReport> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-kill-'));
  const ledger = new Ledger(join(folder, 'ledger.jsonl'));
  const findings: Findings = { lost: [], half_written: [], unknown_done: 0, unknown_absent: 0 };
  const run: Run = { folder, ledger, workers, findings, unexpected: [], introspections: 0, output: '' };
  let restart_ms_max = 0;
  let program = await startProgram({ folder });
  try {
    for (let round = 1; round <= rounds; round += 1) {
      const operations = ledger.entries().length;
      const killed_after_ms = await killUnderLoad(run, program);
      const started = performance.now();
      program = await startProgram({ folder });
      const restart_ms = performance.now() - started;
      restart_ms_max = Math.max(restart_ms_max, restart_ms);
      const { acked } = await verifyRegistry(program, ledger, findings, touchedSince(ledger, operations));
      progress?.({ round, killed_after_ms, restart_ms, acked });
    }
    const expected = await verifyRegistry(program, ledger, findings, new Set());
    await program.stop();
    const integrity = await integrityOf(await storageUrl(folder));
    return {
      ...reportOf(run, expected, integrity, `${run.output}${program.output()}`),
      rounds,
      restart_ms_max,
    };
  } finally {
    program.signal('SIGKILL');
    await program.exited;
    ledger.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function killUnderLoad(run: Run, program: Program): Promise<number> {
  const living = [...expectedRegistry(run.ledger.entries()).clients.values()].filter(
    ({ deleted }) => !deleted,
  );
  const adopted = living.slice(-ADOPTED).map(({ current }) => current);
  let killed = false;
  const traffic = startTraffic(program, run.ledger, run.workers, adopted, () => killed);
  const killed_after_ms = randomInt(KILL_AFTER_MS.min, KILL_AFTER_MS.max + 1);
  // A failure of the traffic before the kill is reported here, and not as an unhandled rejection.
  await Promise.race([sleep(killed_after_ms), traffic.over]);
  killed = true;
  program.signal('SIGKILL');
  await program.exited;
  await traffic.over;
  run.introspections += traffic.introspections.right;
  run.unexpected.push(...traffic.introspections.wrong);
  run.output += program.output();
  return killed_after_ms;
}

/** The clients and initial access tokens that the entries after the first `count` name. */
function touchedSince(ledger: Ledger, count: number): ReadonlySet<string> {
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

function reportOf(
  run: Run,
  expected: ExpectedRegistry,
  integrity: string,
  output: string,
): Omit<KillReport, 'rounds' | 'restart_ms_max'> {
  const secrets = [...expected.clients.values()].flatMap(({ current, former, accessTokens }) => [
    ...[current, ...former].flatMap((known) => [known.client_secret, known.registration_access_token]),
    ...accessTokens,
  ]);
  return {
    ...run.findings,
    acked: expected.acked,
    clients: expected.clients.size,
    introspections: run.introspections,
    unexpected: [...run.unexpected, ...expected.unexpected],
    integrity,
    secrets_in_log: [...secrets, ...expected.initialAccessTokens.keys()].some((secret) =>
      output.includes(secret),
    ),
  };
}
