import { setTimeout as sleep } from 'node:timers/promises';
import { type Experiment, milliseconds } from '../experiment.ts';
import { inject, noInjection } from '../io-injection.ts';
import { type MixedLoad, startMixedLoad } from '../mixed-load.ts';
import { outcomeOf, summary, touchedSince } from '../under-fault.ts';
import { noFindings, verifyRegistry } from '../verify-registry.ts';

/** A registration is a handful of writes: with these steps the kill falls between all of them. */
const STEP = 2;
const CALLS = ['pwrite64', 'fsync'] as const;
const WAIT_MS = 15_000;
/** A round is a restart. */
const ROUNDS_PER_HUNDRED = 5;
const killsIn = (rounds: number): number => Math.max(2, Math.ceil(rounds / ROUNDS_PER_HUNDRED));
/** Entries of the ledger before the fault: a kill at the first write alone would have nothing to lose. */
const ENTRIES_BEFORE = 60;

export const killAtWrite: Experiment = {
  name: 'kill-at-write',
  fault: 'F2 SIGKILL at the n-th write or fsync of the database, n = 1, 3, 5, …',
  engines: ['sqlite'],
  acked_min: (rounds) => 10 * killsIn(rounds),
  async run(stand, { rounds, say }) {
    const skipped = noInjection();
    if (skipped !== undefined) return { skipped };
    const { ledger } = stand;
    const findings = noFindings();
    const loads: MixedLoad[] = [];
    const kills = killsIn(rounds);
    const missed: string[] = [];
    let slowestRestart_ms = 0;
    let output = '';
    let program = await stand.start();
    const inspector = await stand.inspector(program);
    for (let round = 0; round < kills; round += 1) {
      const call = CALLS[round % CALLS.length] ?? CALLS[0];
      const nth = 1 + STEP * Math.floor(round / CALLS.length);
      const operations = ledger.entries().length;
      const load = startMixedLoad({ nodes: [program], ledger, inspector });
      const until = performance.now() + WAIT_MS;
      while (ledger.entries().length < operations + ENTRIES_BEFORE && performance.now() < until)
        await sleep(10);
      load.figures.phase = 'during';
      const killed = program.exited;
      let died = false;
      await inject(program, stand.folder, [`${call}:signal=KILL:when=${nth}`], async () => {
        died = await Promise.race([killed.then(() => true), sleep(WAIT_MS, false)]);
      });
      if (!died) missed.push(`no ${call} ${nth} was called: strace killed nothing`);
      program.signal('SIGKILL');
      await killed;
      await load.stop();
      loads.push(load);
      output += program.output();
      const started = performance.now();
      program = await stand.start();
      const restart_ms = performance.now() - started;
      slowestRestart_ms = Math.max(slowestRestart_ms, restart_ms);
      await verifyRegistry({ program, ledger, findings, inspector }, touchedSince(ledger, operations));
      say(`${died ? 'killed' : 'not killed'} at ${call} ${nth}: ready after ${milliseconds(restart_ms)}`);
    }
    await program.stop();
    const broken = [...summary(loads.flatMap(({ figures }) => figures.unexpected)), ...missed];
    const figures = { kills: String(kills), 'slowest restart': milliseconds(slowestRestart_ms) };
    return await outcomeOf(stand, {
      findings,
      loads,
      broken,
      output: `${output}${program.output()}`,
      figures,
    });
  },
};
