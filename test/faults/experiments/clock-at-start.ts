import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from '../../program/start.ts';
import { BOTH_ENGINES, type Experiment } from '../experiment.ts';
import { call } from '../registry-calls.ts';
import { shiftedClock } from '../shifted-clock.ts';
import type { Stand } from '../stand.ts';
import {
  authenticate,
  compare,
  type Decided,
  decide,
  type Findings,
  LIFETIME,
  outcome,
  refresh,
  registerWith,
} from './clock.ts';

const HOUR = 3_600;
const DAY = 86_400;
/** The acknowledgements of `decide`, for each shift. */
const ACKED_MIN = 8;
/** Longer than two sweeps, which come each second here. */
const SWEPT_MS = 2_500;
const SWEEPING = {
  CHANCERY_STORAGE_SWEEP_INTERVAL: '1',
  CHANCERY_ACCESS_TOKEN_LIFETIME: String(LIFETIME),
};

const SHIFTS: readonly (readonly [name: string, seconds: number])[] = [
  ['+400 d', 400 * DAY],
  ['-400 d', -400 * DAY],
  ['+1 h', HOUR],
  ['-1 h', -HOUR],
];

/** A server starts with a wrong clock for some seconds, as a machine does before it knows the time. */
export const clockAtStart: Experiment = {
  name: 'clock-at-start',
  fault:
    'F36 a server starts with a clock that is an hour or 400 days ahead or behind, and later with a right one',
  engines: BOTH_ENGINES,
  acked_min: (rounds) => ACKED_MIN * Math.min(rounds, SHIFTS.length),
  async run(stand, { rounds }) {
    const findings: Findings = { lost: [], used_twice: [], revoked_active: [], broken: [], acked: 0 };
    const shifts = SHIFTS.slice(0, rounds);
    for (const [name, seconds] of shifts) {
      const before = await stand.start({ environment: SWEEPING });
      const inspector = await stand.inspector(before);
      const decided = await decide(before, findings, Math.floor(Date.now() / 1000));
      const keys = await keysOf(before);
      await before.stop();
      await runShifted(stand, decided, findings, { name, seconds });
      const after = await stand.start({ environment: SWEEPING });
      await sleep(SWEPT_MS);
      const now = Math.floor(Date.now() / 1000);
      await compare(after, inspector, decided, findings, { name: `${name} and back`, now });
      await useUnused(after, decided, findings, name);
      const found = await keysOf(after);
      if (found !== keys) findings.broken.push(`${name}: the keys were ${keys} and are ${found}`);
      await after.stop();
    }
    return outcome(findings, { shifts: String(shifts.length) });
  },
};

async function runShifted(
  stand: Stand,
  decided: Decided,
  findings: Findings,
  { name, seconds }: { readonly name: string; readonly seconds: number },
): Promise<void> {
  const { environment } = shiftedClock(stand.folder, 'start', seconds);
  const node = await stand.start({ environment: { ...SWEEPING, ...environment } });
  await sleep(SWEPT_MS);
  const { status } = await authenticate(node, decided.assertion);
  if (status === 200) findings.used_twice.push(`${name}: an assertion, while the clock is wrong`);
  const ready = await fetch(`${node.managementUrl}/health/ready`);
  const text = await ready.text();
  if (ready.status !== 200 || !text.includes('nothing is deleted'))
    findings.broken.push(`${name}: readiness says ${ready.status} ${text}`);
  const metrics = await (await fetch(`${node.managementUrl}/metrics`)).text();
  const doubt = Number(/^chancery_clock_doubt_seconds (\S+)$/mu.exec(metrics)?.[1]);
  if (!(doubt * seconds > 0)) findings.broken.push(`${name}: the metric of the doubt is ${doubt}`);
  if (!node.output().includes('the time that the database remembers'))
    findings.broken.push(`${name}: the log does not name the doubt`);
  await node.stop();
}

/** Everything that was not used yet must still be good. */
async function useUnused(node: Program, decided: Decided, findings: Findings, name: string): Promise<void> {
  const { client, unusedInitialAccessToken, unusedRefreshToken } = decided;
  const registered = await registerWith(node, unusedInitialAccessToken);
  if (registered.status !== 200)
    findings.lost.push(`${name}: an initial access token gives ${registered.status}`);
  const refreshed = await refresh(node, client, unusedRefreshToken);
  if (refreshed.status !== 200) findings.lost.push(`${name}: a refresh token gives ${refreshed.status}`);
}

/** The published keys: a rotation announces its successors there. */
async function keysOf(node: Program): Promise<string> {
  const { status, body } = await call(node, { method: 'GET', path: '/jwks.json' });
  if (status !== 200) throw new Error(`the key set: ${status}`);
  const { keys } = body as { readonly keys: readonly { readonly kid: string }[] };
  return keys
    .map(({ kid }) => kid)
    .sort()
    .join(' ');
}
