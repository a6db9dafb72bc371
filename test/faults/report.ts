import { type EngineName, type Experiment, faultsOf, type Outcome, type Skipped } from './experiment.ts';

export interface Reported {
  readonly experiment: Experiment;
  readonly engine: EngineName;
  readonly outcome: Outcome | Skipped;
  readonly seconds: number;
}

const ZEROS = ['lost', 'half-written', 'used twice', 'revoked, active'] as const;
const COLUMNS = ['fault', 'engine', 'acknowledged', 'unknown', ...ZEROS, 'verdict'] as const;

/** Tells whether an experiment found no fault. A skipped one found none. */
export const isSound = ({ outcome }: Reported): boolean =>
  'skipped' in outcome || faultsOf(outcome).length === 0;

function cells({ experiment, engine, outcome }: Reported): readonly string[] {
  if ('skipped' in outcome) {
    return [experiment.fault, engine, ...COLUMNS.slice(2, -1).map(() => '–'), `skipped: ${outcome.skipped}`];
  }
  const { acked, unknown, lost, half_written, used_twice, revoked_active, broken } = outcome;
  const zeros = [lost, half_written, used_twice, revoked_active].map(({ length }) => String(length));
  const sound = faultsOf(outcome).length === 0;
  const verdict = sound ? 'sound' : broken.length > 0 ? `not as expected (${broken.length})` : 'broken';
  return [experiment.fault, engine, String(acked), String(unknown), ...zeros, verdict];
}

export function terminalTable(reported: readonly Reported[]): string {
  const rows = [COLUMNS, ...reported.map(cells)];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The figures of one experiment, a line each, and then what was found. */
export function details({ outcome, seconds }: Reported): string {
  if ('skipped' in outcome) return `  skipped: ${outcome.skipped}`;
  const figures = Object.entries(outcome.figures).map(([name, value]) => `  ${name.padEnd(28)}${value}`);
  const found = faultsOf(outcome).map((each) => `  ✖ ${each}`);
  return [...figures, `  ${'took'.padEnd(28)}${seconds.toFixed(0)} s`, ...found].join('\n');
}

export function markdown(machine: string, reported: readonly Reported[]): string {
  const row = (values: readonly string[]): string => `| ${values.join(' | ')} |`;
  const table = [row(COLUMNS), row(COLUMNS.map(() => '---')), ...reported.map((each) => row(cells(each)))];
  const sections = reported
    .filter(({ outcome }) => !('skipped' in outcome))
    .map((each) => {
      const { figures } = each.outcome as Outcome;
      const list = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
      return `- **${each.experiment.name}**, ${each.engine} (${each.seconds.toFixed(0)} s): ${list.join('; ')}.`;
    });
  return `${machine}\n\n${table.join('\n')}\n\n${sections.join('\n')}\n`;
}
