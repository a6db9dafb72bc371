import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FederatedProgram, federatedProgram, registrationStatement } from '../federation-members.ts';
import { basic } from '../http-subject.ts';
import { FORM } from '../introspection-load.ts';
import { type Caller, register } from '../ours.ts';
import { seedMembers } from '../seed-members.ts';
import { startStopwatch } from '../stopwatch.ts';
import type { Bench, Benchmark, Figure } from '../subject.ts';

const MEMBERS = 10_000;
const HOUR_S = 3600;
const PER_SECOND = MEMBERS / HOUR_S;
/** Members that register again at once: as many as come in 18 seconds otherwise. */
const BURST = 50;
const WATCHED_S = 15;
/** The server must renew this share of the due members. On a busy machine some come later, after a fetch that gave way to another. */
const RENEWED_SHARE = 0.5;
const ROUNDS_MAX = 3;
/** A second apart. */
const ATTEMPTS = 20;
/** Two rounds of renewals fall into each span that is watched. */
const RENEWAL_INTERVAL_S = 5;
/** In the titles. */
const RENEWING = `${MEMBERS} members renew within an hour (${PER_SECOND.toFixed(1)}/s), as many register again, and ${BURST} at once`;
const PROBE = new URL('../longest-steps/probe.mjs', import.meta.url);

/**
 * Measures others while members renew in both ways. Ten thousand are due evenly within the hour that begins with the run, and the
 * server renews them in its own rounds. Others register again at the same rate, 50 of them at once. The hour is not waited for. On a
 * busy machine the introspections wait for other processes, too, as those without renewals show.
 */
export const federationRenewal: Benchmark = {
  name: 'federation',
  title: `Longest introspection while ${RENEWING}`,
  unit: 'milliseconds',
  needsTokens: false,
  aims: [{ atMost: 50 }],
  rounds: (scale) => Math.min(ROUNDS_MAX, scale.rounds),
  async open(bench) {
    const ours = await renewing(bench, 'ours, renewing', true);
    const quiet = await renewing(bench, 'ours, alone', false);
    return [
      {
        name: 'ours, while members renew',
        measure: async () => await watch(ours),
        close: async () => await ours.close(),
      },
      {
        name: 'ours, alone, with as many members',
        measure: async () => await watch(quiet),
        close: async () => await quiet.close(),
      },
    ];
  },
};

/** Measures the main thread under the same load. Apart from the other table: the probe keeps a CPU busy. */
export const federationTurns: Benchmark = {
  name: 'federation',
  title: `Longest turn of the main thread, CPU time, while ${RENEWING}`,
  unit: 'milliseconds',
  needsTokens: false,
  aims: [{ atMost: 50 }],
  rounds: (scale) => Math.min(ROUNDS_MAX, scale.rounds),
  async open(bench) {
    const step = join(bench.folder, 'federation-step');
    const probed = await renewing(bench, 'probed', true, {
      NODE_OPTIONS: `--import=${PROBE.href}`,
      TEST_LONGEST_STEP_FILE: step,
    });
    return [
      {
        name: 'ours, while members renew',
        async measure() {
          await longestTurn(probed, step);
          await watch(probed);
          return { value: await longestTurn(probed, step) };
        },
        close: async () => await probed.close(),
      },
    ];
  },
};

interface Renewing extends FederatedProgram {
  readonly caller: Caller;
  /** Registers the next member again; undefined if none renews. */
  readonly again: (() => Promise<void>) | undefined;
}

/** Starts a program with ten thousand registered members. If `due`, they are due within the hour. */
async function renewing(
  bench: Bench,
  name: string,
  due: boolean,
  environment: Readonly<Record<string, string>> = {},
): Promise<Renewing> {
  const federated = await federatedProgram(
    bench,
    name,
    { keptFor: HOUR_S },
    {
      CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: 'true',
      CHANCERY_FEDERATION_RENEWAL_INTERVAL: String(RENEWAL_INTERVAL_S),
      ...environment,
    },
  );
  await registerMember(federated, MEMBERS);
  const members = Array.from({ length: MEMBERS }, (_, number) => federated.member(number));
  for (const member of members) federated.publish(member);
  const now = Math.floor(Date.now() / 1000);
  await seedMembers({
    folder: federated.program.folder,
    example: federated.member(MEMBERS).id,
    members: members.map(({ id }) => id),
    renewAt: (index) => now + Math.floor((due ? 0 : HOUR_S) + index / PER_SECOND),
    now,
  });
  // From the end: the server itself begins with the first ones.
  let next = MEMBERS;
  const again = async (): Promise<void> => {
    next -= 1;
    await registerMember(federated, next);
  };
  return { ...federated, caller: await register(federated.program), again: due ? again : undefined };
}

async function registerMember(federated: FederatedProgram, number: number): Promise<void> {
  const body = registrationStatement(federated, federated.member(number));
  for (let attempt = 1; ; attempt += 1) {
    const answer = await fetch(`${federated.program.url}/federation/clients`, {
      method: 'POST',
      headers: { 'content-type': 'application/entity-statement+jwt' },
      body,
    });
    const text = await answer.text();
    if (answer.status === 200) return;
    // All superiors have one address here, so on a busy machine a fetch may give way to another. A member then tries again.
    assert.ok(answer.status === 503 && attempt < ATTEMPTS, `${answer.status}: ${text}`);
    await sleep(1000);
  }
}

/** Returns the longest turn since the last call, in CPU milliseconds: time of other processes does not count. */
async function longestTurn({ program }: Renewing, file: string): Promise<number> {
  rmSync(file, { force: true });
  program.signal('SIGUSR2');
  while (!existsSync(file)) await sleep(5);
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly turn_ms: number }).turn_ms;
}

async function watch(renewing: Renewing): Promise<Figure> {
  const { program, caller, again } = renewing;
  const before = renewedByServer(renewing);
  const renewals: Promise<void>[] = [];
  const renew = (): void => {
    if (again === undefined) return;
    const renewal = again();
    // Reported below, after the failure that may have caused it.
    renewal.catch(() => undefined);
    renewals.push(renewal);
  };
  const timer = setInterval(renew, 1000 / PER_SECOND);
  const burst = setTimeout(() => Array.from({ length: BURST }, renew), (WATCHED_S * 1000) / 2);
  const stopwatch = startStopwatch();
  try {
    const { longest_ms, p99_ms } = await stopwatch.measure({
      url: `${program.url}/token/introspect`,
      headers: { ...FORM, authorization: basic(caller.client_id, caller.client_secret) },
      body: 'token=unknown',
      answer: '{"active":false}',
      milliseconds: WATCHED_S * 1000,
    });
    await Promise.all(renewals);
    const renewed = renewedByServer(renewing) - before;
    const atLeast = again === undefined ? 0 : (WATCHED_S - RENEWAL_INTERVAL_S) * PER_SECOND * RENEWED_SHARE;
    assert.ok(
      again === undefined ? renewed === 0 : renewed >= atLeast,
      `the server renewed ${renewed} members; expected ${Math.floor(atLeast)}`,
    );
    return { value: longest_ms, p99_ms };
  } finally {
    clearInterval(timer);
    clearTimeout(burst);
    await stopwatch.close();
  }
}

const renewedByServer = ({ program }: Renewing): number =>
  program.output().match(/a federated client was resolved again/gu)?.length ?? 0;
