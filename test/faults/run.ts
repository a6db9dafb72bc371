import { parseArgs } from 'node:util';
import { killDuringRegistrations } from './kill-during-registrations.ts';

/** `npm run faults -- --rounds 100`: the faults of test/, more often than a test run has time for. */
const ROUNDS_MAX = 1000;

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '100' } } });
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1 || rounds > ROUNDS_MAX) {
  console.error(`--rounds must be a whole number from 1 to ${ROUNDS_MAX}`);
  process.exit(2);
}

const COLUMNS = ['round', 'killed after', 'ready after', 'acknowledged so far'] as const;
const row = (cells: readonly string[]): string =>
  cells.map((cell, index) => cell.padStart(COLUMNS[index]?.length ?? 0)).join('  ');

console.log('kill -9 of the server during registrations, 8 clients at once\n');
console.log(row(COLUMNS));
const report = await killDuringRegistrations({
  rounds,
  progress: ({ round, killed_after_ms, restart_ms, acked }) =>
    console.log(row([`${round}`, `${killed_after_ms} ms`, `${Math.round(restart_ms)} ms`, `${acked}`])),
});
console.log();
for (const [figure, value] of Object.entries(report)) {
  console.log(`${figure.padEnd(16)}${Array.isArray(value) ? value.length : String(value)}`);
}
const faults = [...report.lost, ...report.half_written, ...report.unexpected];
for (const fault of faults) console.error(fault);
const sound = faults.length === 0 && report.integrity === 'ok' && !report.secrets_in_log;
process.exitCode = sound ? 0 : 1;
