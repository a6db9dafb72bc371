import type { Aim, Benchmark, Figure } from './subject.ts';

/** The figures of one subject, one for each round. */
export interface Measured {
  readonly name: string;
  readonly figures: readonly Figure[];
}

export type Cells = readonly string[];

const COLUMNS: Cells = [
  '',
  'median',
  'lowest – highest',
  'ours / this',
  'per CPU second',
  'p99',
  'server, load busy',
  'PostgreSQL busy',
  'CPU of an answer',
  'memory at its peak',
];

/** Column titles, and a row for each subject; the first is ours. What no subject has is left out. */
export function table(benchmark: Benchmark, measured: readonly Measured[]): readonly Cells[] {
  const lines = [COLUMNS, ...rows(benchmark, measured)];
  const isFilled = (column: number): boolean => lines.slice(1).some((cells) => cells[column] !== '');
  return lines.map((cells) => cells.filter((_, column) => column === 0 || isFilled(column)));
}

function rows(benchmark: Benchmark, measured: readonly Measured[]): readonly Cells[] {
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
      shares(each),
      databaseShare(each),
      cost(benchmark, each),
      memory(each),
    ];
  });
}

/** One line for each aim: reached or not, and by how much. */
export function verdicts(benchmark: Benchmark, measured: readonly Measured[]): readonly string[] {
  const [ours] = measured;
  if (ours === undefined) return [];
  return benchmark.aims.flatMap((aim) => {
    const peer = measured.find(({ name }) => name === aim.against);
    const limit = limitOf(aim);
    if (limit === undefined) return [];
    if (aim.against !== undefined && peer === undefined) return [];
    if (aim.of === 'memory_mib') return [memoryVerdict(benchmark, ours, limit)];
    const [one, other] = [ours, peer].map((measured) => measured && TOLD_BY[aim.of ?? 'value'](measured));
    if (one === undefined) return [];
    const found = other === undefined ? median(valuesOf(one)) : pairedRatio(one, other);
    const reached = aim.atLeast === undefined ? found <= limit.value : found >= limit.value;
    const of = aim.of === 'p99_ms' ? 'p99 of ' : '';
    const each = aim.of === 'cpu' ? ' per CPU second' : '';
    const what = peer === undefined ? amount(benchmark, found) : `${ratio(found)} × ${of}${peer.name}${each}`;
    const aimed = peer === undefined ? amount(benchmark, limit.value) : ratio(limit.value);
    return [
      `${benchmark.name}: ${what}; aim ${limit.words} ${aimed}: ${reached ? 'reached' : 'NOT reached'}`,
    ];
  });
}

/** The same rounds, told by their p99. */
const latencies = ({ name, figures }: Measured): Measured => ({
  name,
  figures: figures.map(({ p99_ms = Number.NaN }) => ({ value: p99_ms })),
});

/** The same rounds, told by the answers in a second of the server's CPU time, which other work disturbs less. */
const perCpuSecond = ({ name, figures }: Measured): Measured => ({
  name,
  figures: figures.map(({ value, serverCpu }) => ({ value: value / (serverCpu ?? Number.NaN) })),
});

const TOLD_BY = {
  value: (measured: Measured): Measured => measured,
  memory_mib: (measured: Measured): Measured => measured,
  p99_ms: latencies,
  cpu: perCpuSecond,
};

/** The highest counts: one list that takes too much is one too many. */
function memoryVerdict({ name }: Benchmark, ours: Measured, { words, value }: Limit): string {
  const found = Math.max(...present(ours.figures.map(({ memory_mib }) => memory_mib)));
  const outcome = found <= value ? 'reached' : 'NOT reached';
  return `${name}: ${found.toFixed(0)} MiB above idle at most; aim ${words} ${value} MiB: ${outcome}`;
}

interface Limit {
  readonly words: string;
  readonly value: number;
}

function limitOf({ atLeast, atMost }: Aim): Limit | undefined {
  if (atLeast !== undefined) return { words: 'at least', value: atLeast };
  return atMost === undefined ? undefined : { words: 'at most', value: atMost };
}

/** The median of the ratios within rounds: what disturbs a whole round disturbs both sides of its ratio. */
function pairedRatio(ours: Measured, peer: Measured): number {
  const peers = valuesOf(peer);
  return median(valuesOf(ours).map((value, round) => value / (peers[round] ?? Number.NaN)));
}

function perCpuRatio(ours: Measured, peer: Measured): string {
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

function memory({ figures }: Measured): string {
  const found = present(figures.map(({ memory_mib }) => memory_mib));
  return found.length === 0 ? '' : `+${Math.max(...found).toFixed(0)} MiB`;
}

function shares({ figures }: Measured): string {
  if (figures.every(({ serverCpu, loadBusy }) => serverCpu === undefined && loadBusy === undefined))
    return '';
  return `${share(figures.map(({ serverCpu }) => serverCpu))} ${share(figures.map(({ loadBusy }) => loadBusy))}`;
}

function databaseShare({ figures }: Measured): string {
  const found = present(figures.map(({ databaseCpu }) => databaseCpu));
  return found.length === 0 ? '' : share(found);
}

/** Of the server, and of the database server besides. */
function cost({ unit }: Benchmark, { figures }: Measured): string {
  const microseconds = (shares: readonly (number | undefined)[]): number =>
    median(present(figures.map(({ value }, round) => ((shares[round] ?? Number.NaN) / value) * 1e6)));
  const server = microseconds(figures.map(({ serverCpu }) => serverCpu));
  const database = microseconds(figures.map(({ databaseCpu }) => databaseCpu));
  if (unit !== 'per second' || Number.isNaN(server)) return '';
  return `${server.toFixed(1)}${Number.isNaN(database) ? '' : ` + ${database.toFixed(1)}`} µs`;
}

function share(values: readonly (number | undefined)[]): string {
  const found = present(values);
  return found.length === 0 ? '–' : `${Math.round(median(found) * 100)} %`;
}

export function terminalTable(lines: readonly Cells[]): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  const pad = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return lines.map((line) => line.map(pad).join('  ')).join('\n');
}

export function markdownTable(lines: readonly Cells[]): string {
  const [head = '', ...rest] = lines.map((line) => `| ${line.join(' | ')} |`);
  return [head, `|---|${'---:|'.repeat((lines[0]?.length ?? 1) - 1)}`, ...rest].join('\n');
}
