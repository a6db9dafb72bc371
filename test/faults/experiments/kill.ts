import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from '../../program/start.ts';
import { expectedRegistry } from '../expected-registry.ts';
import { BOTH_ENGINES, type Experiment, milliseconds } from '../experiment.ts';
import type { Registration } from '../ledger.ts';
import { type MixedLoad, startMixedLoad } from '../mixed-load.ts';
import type { Stand } from '../stand.ts';
import { outcomeOf, summary, touchedSince } from '../under-fault.ts';
import { noFindings, verifyRegistry } from '../verify-registry.ts';

const KILL_AFTER_MS = { min: 50, max: 900 };
/** Clients of earlier rounds that the next round changes again. */
const ADOPTED = 24;

export const kill: Experiment = {
  name: 'kill',
  fault: 'F1 kill -9 of the server under mixed load, again and again',
  engines: BOTH_ENGINES,
  async run(stand, { rounds, say }) {
    const findings = noFindings();
    const loads: MixedLoad[] = [];
    let slowestRestart_ms = 0;
    let output = '';
    let program = await stand.start();
    const inspector = await stand.inspector(program);
    for (let round = 1; round <= rounds; round += 1) {
      const operations = stand.ledger.entries().length;
      loads.push(await killUnderLoad(stand, program, inspector));
      output += program.output();
      const started = performance.now();
      program = await stand.start();
      const restart_ms = performance.now() - started;
      slowestRestart_ms = Math.max(slowestRestart_ms, restart_ms);
      const verification = { program, ledger: stand.ledger, findings, inspector };
      const { acked } = await verifyRegistry(verification, touchedSince(stand.ledger, operations));
      say(`round ${round}: ready after ${milliseconds(restart_ms)}, ${acked} acknowledged so far`);
    }
    await program.stop();
    const unexpected = loads.flatMap(({ figures }) => figures.unexpected);
    return await outcomeOf(stand, {
      findings,
      loads,
      broken: summary(unexpected),
      output: `${output}${program.output()}`,
      figures: { rounds: String(rounds), 'slowest restart': milliseconds(slowestRestart_ms) },
    });
  },
};

async function killUnderLoad(stand: Stand, program: Program, inspector: Registration): Promise<MixedLoad> {
  const { ledger } = stand;
  const living = [...expectedRegistry(ledger.entries()).clients.values()]
    .filter(({ deleted }) => !deleted)
    .map(({ current }) => current)
    .filter(({ client_id }) => client_id !== inspector.client_id);
  const load = startMixedLoad({ nodes: [program], ledger, inspector, adopted: living.slice(-ADOPTED) });
  load.figures.begin();
  await sleep(randomInt(KILL_AFTER_MS.min, KILL_AFTER_MS.max + 1));
  load.figures.phase = 'during';
  program.signal('SIGKILL');
  await program.exited;
  await load.stop();
  return load;
}
