import type { Aim, Benchmark, Figure } from './subject.ts';

/** The figures of one subject, one for each round. */
export interface Measured {
  readonly name: string;
  readonly figures: readonly Figure[];
}

export type Cells = readonly string[];

export const COLUMNS: Cells = [
  '',
  'median',
  'lowest – highest',
  'ours / this',
  'per CPU second',
  'p99',
  'server, load busy',
];

/** A row for each subject; the first is ours. */
export function rows(benchmark: Benchmark, measured: readonly Measured[]): readonly Cells[] {
  const [ours] = measured;
  return measured.map((each) => {
    const values = valuesOf(each);
    return [
      each.name,
      amount(benchmark, median(values)),
      `${amount(benchmark, Math.min(...values))} – ${amount(benchmark, Math.max(...values))}`,
      ours === undefined || each === ours ? '' : ratio(pairedRatio(ours, each)),
      ours === undefined || each === ours ? '' : perCpuRatio(ours, each),
      milliseconds(each.figures.map((figure) => figure.p99_ms)),
      `${share(each.figures.map((figure) => figure.serverCpu))} ${share(each.figures.map((figure) => figure.loadBusy))}`,
    ];
  });
}

/** One line for each aim: reached or not, and by how much. */
export function verdicts(benchmark: Benchmark, measured: readonly Measured[]): readonly string[] {
  const [ours] = measured;
  if (ours === undefined) return [];
  return benchmark.aims.flatMap((aim) => {
    const peer = measured.find(({ name }) => name === aim.against);
    const found = peer === undefined ? median(valuesOf(ours)) : pairedRatio(ours, peer);
    const limit = limitOf(aim);
    if (limit === undefined) return [];
    const reached = aim.atLeast === undefined ? found <= limit.value : found >= limit.value;
    const what = peer === undefined ? amount(benchmark, found) : `${ratio(found)} × ${peer.name}`;
    const aimed = peer === undefined ? amount(benchmark, limit.value) : ratio(limit.value);
    return [
      `${benchmark.name}: ${what}; aim ${limit.words} ${aimed}: ${reached ? 'reached' : 'NOT reached'}`,
    ];
  });
}

function limitOf({ atLeast, atMost }: Aim): { readonly words: string; readonly value: number } | undefined {
  if (atLeast !== undefined) return { words: 'at least', value: atLeast };
  return atMost === undefined ? undefined : { words: 'at most', value: atMost };
}

/** The median of the ratios within rounds: what disturbs a whole round disturbs both sides of its ratio. */
function pairedRatio(ours: Measured, peer: Measured): number {
  const peers = valuesOf(peer);
  return median(valuesOf(ours).map((value, round) => value / (peers[round] ?? Number.NaN)));
}

/** The same for answers in a second of CPU time, which other work on the machine disturbs less. */
function perCpuRatio(ours: Measured, peer: Measured): string {
  const perCpuSecond = ({ name, figures }: Measured): Measured => ({
    name,
    figures: figures.map(({ value, serverCpu }) => ({ value: value / (serverCpu ?? Number.NaN) })),
  });
  const found = pairedRatio(perCpuSecond(ours), perCpuSecond(peer));
  return Number.isNaN(found) ? '' : ratio(found);
}

const valuesOf = (measured: Measured): readonly number[] => measured.figures.map(({ value }) => value);

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

function amount({ unit }: Benchmark, value: number): string {
  return unit === 'per second' ? `${Math.round(value)}/s` : `${Math.round(value)} ms`;
}

const ratio = (value: number): string => value.toFixed(2);

const present = (values: readonly (number | undefined)[]): readonly number[] =>
  values.filter((value) => value !== undefined);

function milliseconds(values: readonly (number | undefined)[]): string {
  const found = present(values);
  return found.length === 0 ? '' : `${median(found).toFixed(1)} ms`;
}

function share(values: readonly (number | undefined)[]): string {
  const found = present(values);
  return found.length === 0 ? '–' : `${Math.round(median(found) * 100)} %`;
}

export function terminalTable(lines: readonly Cells[]): string {
  const widths = COLUMNS.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const pad = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return lines.map((line) => line.map(pad).join('  ')).join('\n');
}

export function markdownTable(lines: readonly Cells[]): string {
  const [head = [], ...rest] = lines.map((line) => `| ${line.join(' | ')} |`);
  return [head, `|---|${'---:|'.repeat(COLUMNS.length - 1)}`, ...rest].join('\n');
}
