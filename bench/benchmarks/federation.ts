import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CompactSign } from 'jose';
import { testKey } from '../../src/testing/jwt.ts';
import type { RawAnswer } from '../../test/program/raw-socket.ts';
import {
  type FederatedProgram,
  federatedProgram,
  registrationRequest,
  registrationStatement,
} from '../federation-members.ts';
import { basic, httpSubject } from '../http-subject.ts';
import { type Caller, register } from '../ours.ts';
import type { Bench, Benchmark, Figure, Subject } from '../subject.ts';

const KEPT_S = 3600;
const MEMBERS = 200;
/** More registrations than a server answers in a millisecond of a round. */
const PER_MILLISECOND_MAX = 1.5;
const SIGNING = 'RS256 signatures alone';

function verify({ status, body }: RawAnswer): void {
  assert.equal(status, 200, body);
}

/** Measures registrations of members again and again: no statement of a superior is fetched in a round. */
export const federationRegistration: Benchmark = {
  name: 'federation',
  title: 'Explicit registration through one intermediate whose statements are kept',
  unit: 'per second',
  needsTokens: false,
  aims: [
    { of: 'cpu_us_beside', against: SIGNING, atMost: 2000 },
    { of: 'cpu', against: 'another checkout (--against)', atLeast: 1 },
  ],
  rounds: (scale) => scale.rounds,
  async open(bench) {
    const ours = await subject(bench, 'ours, SQLite, durable');
    const other =
      bench.against === undefined
        ? []
        : [await subject(bench, 'another checkout (--against)', bench.against)];
    return [ours, ...other, signing(bench)];
  },
};

async function subject(bench: Bench, name: string, checkout?: string): Promise<Subject> {
  const federated = await federatedProgram(bench, name, { keptFor: KEPT_S, checkout });
  const { program } = federated;
  const close = async (): Promise<void> => await federated.close();
  const order = { port: program.port, requests: requestsOf(bench, federated), once: true };
  return (await httpSubject(bench, { name, pid: program.pid, close }, order, verify)).subject;
}

function requestsOf(
  { scale }: Bench,
  federated: FederatedProgram,
): readonly ReturnType<typeof registrationRequest>[] {
  const count = Math.ceil((scale.rounds + 1) * (scale.round_ms + 500) * PER_MILLISECOND_MAX);
  return Array.from({ length: count }, (_, number) =>
    registrationRequest(federated, federated.member(number % MEMBERS)),
  );
}

/** The signature of an answer, as the server makes it: the part of a registration that cannot be saved. */
function signing({ scale }: Bench): Subject {
  const { privateKey } = testKey('RS256', 'signing');
  const claims = Buffer.from(JSON.stringify({ metadata: 'x'.repeat(1000) }));
  return {
    name: SIGNING,
    async measure(): Promise<Figure> {
      const [begun, before] = [performance.now(), process.cpuUsage()];
      let signed = 0;
      while (performance.now() - begun < scale.round_ms) {
        await new CompactSign(claims).setProtectedHeader({ alg: 'RS256' }).sign(privateKey);
        signed += 1;
      }
      const seconds = (performance.now() - begun) / 1000;
      const { user, system } = process.cpuUsage(before);
      return { value: signed / seconds, serverCpu: (user + system) / 1e6 / seconds };
    },
    close: async () => undefined,
  };
}

const RENEWING = 10_000;
const RENEWALS_PER_SECOND = RENEWING / 3600;
/** As many as come in 18 seconds otherwise. */
const BURST = 50;
const WATCHED_S = 15;
const ATTEMPTS = 5;
const PROBE = new URL('../longest-steps/probe.mjs', import.meta.url);

/**
 * Measures others while members renew: ten thousand within an hour, and a burst. The hour is not waited for: its rate is kept. A
 * renewal fetches the statement about its member anew, as after an hour. No other request waits longer than the longest turn of the
 * main thread; on a busy machine the introspections beside it wait for other processes, too, as those without renewals show.
 */
export const federationRenewal: Benchmark = {
  name: 'federation',
  title: `Longest introspection while ${RENEWING} members renew within an hour (${RENEWALS_PER_SECOND.toFixed(1)}/s) and ${BURST} at once`,
  unit: 'milliseconds',
  needsTokens: false,
  aims: [{ atMost: 50 }],
  rounds: (scale) => Math.min(3, scale.rounds),
  async open(bench) {
    const ours = await renewing(bench, 'ours, renewing');
    const step = join(bench.folder, 'federation-step');
    const probed = await renewing(bench, 'probed', {
      NODE_OPTIONS: `--import=${PROBE.href}`,
      TEST_LONGEST_STEP_FILE: step,
    });
    return [
      {
        name: 'longest turn of the main thread while members renew, CPU time',
        async measure() {
          await longestTurn(probed, step);
          await watch(probed, true);
          return { value: await longestTurn(probed, step) };
        },
        close: async () => await probed.close(),
      },
      {
        name: 'ours, while members renew',
        measure: async () => await watch(ours, true),
        close: async () => await ours.close(),
      },
      { name: 'ours, alone', measure: async () => await watch(ours, false), close: async () => undefined },
    ];
  },
};

interface Renewing extends FederatedProgram {
  readonly caller: Caller;
  /** Registers the next member again. */
  readonly renew: () => Promise<void>;
}

/** Starts a program and registers its members. */
async function renewing(
  bench: Bench,
  name: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Renewing> {
  const federated = await federatedProgram(
    bench,
    name,
    { keptFor: 1 },
    { CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: 'true', ...environment },
  );
  const { program } = federated;
  const post = async (member: number): Promise<void> => {
    const body = registrationStatement(federated, federated.member(member));
    for (let attempt = 1; ; attempt += 1) {
      const answer = await fetch(`${program.url}/federation/clients`, {
        method: 'POST',
        headers: { 'content-type': 'application/entity-statement+jwt' },
        body,
      });
      const text = await answer.text();
      if (answer.status === 200) return;
      // All superiors have one address here, so on a busy machine a fetch may give way to another. A member then tries again.
      assert.ok(answer.status === 503 && attempt < ATTEMPTS, text);
      await sleep(1000);
    }
  };
  const members = Math.min(RENEWING, bench.scale.loadedClients);
  let made = 0;
  const worker = async (): Promise<void> => {
    while (made < members) await post(made++);
  };
  await Promise.all(Array.from({ length: 32 }, worker));
  let next = 0;
  const renew = async (): Promise<void> => await post(next++ % members);
  return { ...federated, caller: await register(program), renew };
}

/** Returns the longest turn since the last call, in CPU milliseconds: time of other processes does not count. */
async function longestTurn({ program }: Renewing, file: string): Promise<number> {
  rmSync(file, { force: true });
  program.signal('SIGUSR2');
  while (!existsSync(file)) await sleep(5);
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly turn_ms: number }).turn_ms;
}

async function watch({ program, caller, renew }: Renewing, isRenewing: boolean): Promise<Figure> {
  const found: number[] = [];
  const renewals: Promise<void>[] = [];
  const end = performance.now() + WATCHED_S * 1000;
  const timer = setInterval(() => isRenewing && renewals.push(renew()), 1000 / RENEWALS_PER_SECOND);
  const burst = setTimeout(
    () => {
      if (isRenewing) renewals.push(...Array.from({ length: BURST }, renew));
    },
    (WATCHED_S * 1000) / 2,
  );
  while (performance.now() < end) {
    found.push(await introspection(program.url, caller));
    await sleep(2);
  }
  clearInterval(timer);
  clearTimeout(burst);
  await Promise.all(renewals);
  found.sort((one, other) => one - other);
  return { value: found.at(-1) ?? 0, p99_ms: found[Math.floor(found.length * 0.99)] ?? 0 };
}

async function introspection(url: string, { client_id, client_secret }: Caller): Promise<number> {
  const begun = performance.now();
  const answer = await fetch(`${url}/token/introspect`, {
    method: 'POST',
    headers: { authorization: basic(client_id, client_secret) },
    body: new URLSearchParams({ token: 'unknown' }),
  });
  assert.equal(await answer.text(), '{"active":false}');
  return performance.now() - begun;
}
