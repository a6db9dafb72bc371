import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts';
import { addTenant } from '../../src/testing/storage/add-tenant.ts';
import type { Program } from '../../test/program/start.ts';
import { basic } from '../http-subject.ts';
import { type Caller, register } from '../ours.ts';
import { cpuSeconds } from '../processes/measured-process.ts';
import { startHeld } from '../start-held.ts';
import type { Bench, Benchmark, Subject } from '../subject.ts';

/** More than a process keeps open (`cache.open-tenants` is 100). */
const SCANNED = 150;
const RESTING = 5_000;
/** Times a round: in a long run a minute, so that it has one sweep. */
const WINDOW = 30;
/** Enough for several sweeps of a server that sweeps every second. */
const MOMENTS_S = 20;
const ROTATING = 20;
const ROTATION_S = 20;
const OPEN_REGISTRATION = { CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: 'true' };

/** Measures the p99 of the default tenant's introspection, while a stranger calls closed tenants one after the other. */
export const tenantsScanned: Benchmark = {
  name: 'tenants',
  title: `p99 of introspection while a stranger calls ${SCANNED} tenants in turn`,
  unit: 'milliseconds',
  needsTokens: false,
  aims: [],
  rounds: (scale) => scale.rounds,
  async open(bench) {
    const ours = await keyedProgram(bench, 'ours', SCANNED);
    const other =
      bench.against === undefined ? undefined : await keyedProgram(bench, 'other', SCANNED, bench.against);
    return [
      latency('ours, during the scan', bench, ours, true),
      latency('ours, alone', bench, ours, false),
      ...(other === undefined
        ? []
        : [
            latency('another checkout (--against), during the scan', bench, other, true),
            latency('another checkout (--against), alone', bench, other, false),
          ]),
    ];
  },
};

/** Measures the CPU of a server whose many tenants get no requests. */
export const tenantsResting: Benchmark = {
  name: 'tenants',
  title: `CPU of a server with ${RESTING} tenants that rest, in milliseconds of each second`,
  unit: 'milliseconds',
  needsTokens: false,
  aims: [{ atMost: 2 }],
  rounds: (scale) => Math.min(2, scale.rounds),
  open: async (bench) => await everyResting(bench, {}, (bench.scale.round_ms * WINDOW) / 1000),
};

/** Measures the CPU of the sweep: each second, it asks a tenth of the closed tenants for rows to delete. */
export const tenantsSwept: Benchmark = {
  name: 'tenants',
  title: `CPU of a server with ${RESTING} tenants that sweeps every second (default: every 60 s), in milliseconds of each second`,
  unit: 'milliseconds',
  needsTokens: false,
  aims: [],
  rounds: (scale) => Math.min(2, scale.rounds),
  open: async (bench) => await everyResting(bench, { CHANCERY_STORAGE_SWEEP_INTERVAL: '1' }, MOMENTS_S),
};

/** Measures the p99 of the default tenant's introspection, while open tenants make new keys all the time. */
export const tenantsRotating: Benchmark = {
  name: 'tenants',
  title: `p99 of introspection while ${ROTATING} tenants make new keys every ${ROTATION_S} s`,
  unit: 'milliseconds',
  needsTokens: false,
  aims: [],
  rounds: (scale) => scale.rounds,
  async open(bench) {
    const rotating = await keyedProgram(bench, 'rotating', ROTATING, undefined, {
      CHANCERY_KEYS_ROTATION_INTERVAL: `${ROTATION_S}`,
      CHANCERY_KEYS_ANNOUNCEMENT: `${ROTATION_S / 2}`,
      CHANCERY_KEY_SET_MAX_AGE: `${ROTATION_S / 4}`,
      CHANCERY_STORAGE_SWEEP_INTERVAL: '1',
    });
    const alone = await keyedProgram(bench, 'alone', ROTATING);
    return [
      {
        ...latency('ours, with rotation', bench, rotating, false),
        close: async () => await rotating.program.stop(),
      },
      { ...latency('ours, without', bench, alone, false), close: async () => await alone.program.stop() },
    ];
  },
};

interface Keyed {
  readonly program: Program;
  readonly caller: Caller;
}

async function withTenants(
  bench: Bench,
  name: string,
  count: number,
  checkout: string | undefined,
  environment: NodeJS.ProcessEnv,
): Promise<Program> {
  const folder = `${bench.folder}/tenants-${name.replaceAll(/\W/gu, '')}-${count}`;
  mkdirSync(folder, { recursive: true });
  const options = {
    folder,
    environment: { ...OPEN_REGISTRATION, ...environment },
    ...(checkout === undefined ? {} : { program: checkout }),
  };
  const first = await startHeld(options);
  await first.stop();
  const storage = await openSqliteStorage(`${folder}/chancery.db`);
  const at = Math.floor(Date.now() / 1000);
  await Promise.all(
    Array.from(
      { length: count },
      async (_, index) =>
        await addTenant(storage, { id: `t${index}`, issuer: `${first.issuer}/t${index}`, at }),
    ),
  );
  await storage.close();
  return await startHeld(options);
}

/** Starts a server whose tenants have keys. */
async function keyedProgram(
  bench: Bench,
  name: string,
  count: number,
  checkout?: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<Keyed> {
  const program = await withTenants(bench, name, count, checkout, environment);
  for (let index = 0; index < count; index += 1) {
    while ((await called(program, index)) !== 200) await sleep(500);
  }
  return { program, caller: await register(program) };
}

async function called({ url }: Program, tenant: number): Promise<number> {
  const answer = await fetch(`${url}/t${tenant}/jwks.json`);
  await answer.arrayBuffer();
  return answer.status;
}

function latency(name: string, { scale }: Bench, { program, caller }: Keyed, isScanned: boolean): Subject {
  const introspect = async (): Promise<number> => {
    const begun = performance.now();
    const answer = await fetch(`${program.url}/token/introspect`, {
      method: 'POST',
      headers: { authorization: basic(caller.client_id, caller.client_secret) },
      body: new URLSearchParams({ token: 'unknown' }),
    });
    assert.equal(await answer.text(), '{"active":false}');
    return performance.now() - begun;
  };
  return {
    name,
    async measure() {
      const scanEnd = new AbortController();
      let next = 0;
      const scan = async (): Promise<void> => {
        for (; !scanEnd.signal.aborted; next += 1) await called(program, next % SCANNED);
      };
      const scanning = isScanned ? scan() : Promise.resolve();
      const found: number[] = [];
      const end = performance.now() + 2 * scale.round_ms;
      while (performance.now() < end) {
        found.push(await introspect());
        await sleep(2);
      }
      scanEnd.abort();
      await scanning;
      found.sort((a, b) => a - b);
      return { value: found[Math.floor(found.length * 0.99)] ?? 0 };
    },
    close: async () => await (isScanned ? program.stop() : undefined),
  };
}

async function everyResting(
  bench: Bench,
  environment: NodeJS.ProcessEnv,
  seconds: number,
): Promise<readonly Subject[]> {
  const opened = [await resting('ours', bench, environment, seconds)];
  if (bench.against !== undefined)
    opened.push(await resting('another checkout (--against)', bench, environment, seconds, bench.against));
  return opened;
}

async function resting(
  name: string,
  bench: Bench,
  environment: NodeJS.ProcessEnv,
  seconds: number,
  checkout?: string,
): Promise<Subject> {
  const program = await withTenants(
    bench,
    `${name}-${Object.keys(environment).length}`,
    RESTING,
    checkout,
    environment,
  );
  return {
    name,
    async measure() {
      const before = cpuSeconds(program.pid) ?? 0;
      await sleep(seconds * 1000);
      return { value: (1000 * ((cpuSeconds(program.pid) ?? 0) - before)) / seconds };
    },
    close: async () => await program.stop(),
  };
}
