import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from '../../program/start.ts';
import { EndUsers, FOR_END_USERS, startEndUsers } from '../end-users.ts';
import { expectedRegistry } from '../expected-registry.ts';
import { BOTH_ENGINES, type Experiment, milliseconds } from '../experiment.ts';
import type { Registration } from '../ledger.ts';
import { type MixedLoad, startMixedLoad } from '../mixed-load.ts';
import type { Stand } from '../stand.ts';
import { outcomeOf, summary, touchedSince } from '../under-fault.ts';
import { verifyAudit, verifyEndUsers } from '../verify-end-users.ts';
import { verifyHistory } from '../verify-history.ts';
import { noFindings, verifyRegistry } from '../verify-registry.ts';

const KILL_AFTER_MS_MAX = 500;
/** A round waits for this many answers, and for those of end-users, and then for a moment of chance. */
const ANSWERED_MIN = 60;
const OF_END_USERS_MIN = 8;
const ACKED_BY_MS = 20_000;
const FEW_WORKERS = 8;
/** In every fourth round the server commits batches of hundreds. */
const MANY_EVERY = 4;
const MANY_WORKERS = 250;
const MANY_KILL_AFTER_MS_MAX = 100;
const ACKED_PER_EIGHT_ROUNDS = {
  create: 60,
  invite: 16,
  update: 16,
  delete: 10,
  'access-token': 12,
  grant: 12,
  refresh: 8,
  revoke: 3,
  'sign-in': 8,
  code: 8,
  redeem: 6,
  push: 3,
  assertion: 3,
  logout: 1,
};
/** Clients of earlier rounds that the next round changes again. */
const ADOPTED = 24;

export const kill: Experiment = {
  name: 'kill',
  fault: 'F1 kill -9 of the server under mixed load, again and again',
  engines: BOTH_ENGINES,
  acked_min: (rounds) => 20 * rounds,
  async run(stand, { rounds, say }) {
    const findings = noFindings();
    const loads: MixedLoad[] = [];
    let slowestRestart_ms = 0;
    let output = '';
    /** Kills that fell into no request. */
    let spared = 0;
    let program = await stand.start({ environment: FOR_END_USERS });
    const inspector = await stand.inspector(program);
    const endUsers = await EndUsers.open(program, stand.ledger, stand.url);
    for (let round = 1; round <= rounds; round += 1) {
      const operations = stand.ledger.entries().length;
      const workers = round % MANY_EVERY === 0 ? MANY_WORKERS : FEW_WORKERS;
      loads.push(await killUnderLoad(stand, { program, inspector, endUsers, workers }));
      output += program.output();
      const started = performance.now();
      program = await stand.start({ environment: FOR_END_USERS });
      const restart_ms = performance.now() - started;
      slowestRestart_ms = Math.max(slowestRestart_ms, restart_ms);
      const verification = { program, ledger: stand.ledger, findings, inspector };
      const { acked } = await verifyRegistry(verification, touchedSince(stand.ledger, operations));
      await verifyEndUsers({ program, inspector, endUsers, findings }, stand.url);
      if (loads.at(-1)?.figures.times('during').failed === 0) spared += 1;
      say(`round ${round}: ready after ${milliseconds(restart_ms)}, ${acked} acknowledged so far`);
    }
    await program.stop();
    await verifyAudit(stand, findings);
    await verifyHistory(stand, findings);
    findings.lost.push(...endUsers.lost);
    const { ackedByKind } = expectedRegistry(stand.ledger.entries());
    const acked = new Map([...ackedByKind, ...endUsers.ackedByKind]);
    const unexpected = loads.flatMap(({ figures }) => figures.unexpected);
    return await outcomeOf(stand, {
      findings,
      loads,
      broken: [
        ...summary(unexpected),
        ...tooFew(acked, rounds),
        ...(spared > rounds / 2 ? [`${spared} of ${rounds} kills fell into no request`] : []),
      ],
      output: `${output}${program.output()}`,
      figures: {
        rounds: String(rounds),
        'slowest restart': milliseconds(slowestRestart_ms),
        'acknowledged by kind': [...acked].map(([kind, count]) => `${kind} ${count}`).join(', '),
      },
    });
  },
};

interface Round {
  readonly program: Program;
  readonly inspector: Registration;
  readonly endUsers: EndUsers;
  readonly workers: number;
}

async function killUnderLoad(
  stand: Stand,
  { program, inspector, endUsers, workers }: Round,
): Promise<MixedLoad> {
  const { ledger } = stand;
  const ofEndUsers = new Set([inspector, endUsers.rp, endUsers.asserting].map(({ client_id }) => client_id));
  const living = [...expectedRegistry(ledger.entries()).clients.values()]
    .filter(({ deleted }) => !deleted)
    .map(({ current }) => current)
    .filter(({ client_id }) => !ofEndUsers.has(client_id));
  const adopted = living.slice(-ADOPTED);
  const load = startMixedLoad({ nodes: [program], ledger, inspector, adopted, workers });
  const endUserLoad = startEndUsers(endUsers);
  load.figures.begin();
  const isMany = workers === MANY_WORKERS;
  await untilAcknowledged(
    load,
    endUsers,
    isMany ? MANY_WORKERS : ANSWERED_MIN,
    isMany ? 0 : OF_END_USERS_MIN,
  );
  await sleep(randomInt(isMany ? MANY_KILL_AFTER_MS_MAX : KILL_AFTER_MS_MAX));
  load.figures.phase = 'during';
  program.signal('SIGKILL');
  await program.exited;
  await Promise.all([load.stop(), endUserLoad.stop()]);
  return load;
}

/** Waits until there is something to lose, also on a busy machine. */
async function untilAcknowledged(
  { figures }: MixedLoad,
  { ackedByKind }: EndUsers,
  answered_min: number,
  ofEndUsers_min: number,
): Promise<void> {
  const total = (): number => [...ackedByKind.values()].reduce((sum, count) => sum + count, 0);
  const before = total();
  const until = performance.now() + ACKED_BY_MS;
  while (performance.now() < until) {
    if (figures.times('before').answered >= answered_min && total() >= before + ofEndUsers_min) return;
    await sleep(10);
  }
}

/** A kind of promise that was hardly made was hardly tried. */
function tooFew(acked: ReadonlyMap<string, number>, rounds: number): readonly string[] {
  return Object.entries(ACKED_PER_EIGHT_ROUNDS).flatMap(([kind, per_eight]) => {
    const [found, least] = [acked.get(kind) ?? 0, Math.floor((per_eight * rounds) / 8)];
    return found < least ? [`${found} acknowledgements of ${kind} prove nothing: ${least} are needed`] : [];
  });
}
