import type { Aim, Benchmark, Figure } from './subject.ts';

/** The figures of one subject, one for each round. */
export interface Measured {
  readonly name: string;
  readonly figures: readonly Figure[];
}

/** One row of a table. A figure that was not measured is absent. */
export interface SubjectResult {
  readonly name: string;
  /** Over the rounds, in the unit of the benchmark. */
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
  /** The median of the ratios within rounds: what disturbs a whole round disturbs both sides of its ratio. */
  readonly ours_by_this?: number;
  /** The same for answers in a second of the server's CPU time. */
  readonly ours_by_this_per_cpu_second?: number;
  readonly p99_ms?: number;
  /** CPU seconds of the server in a second, all its threads. */
  readonly server_busy?: number;
  /** The share of the time in which the load had something to do. */
  readonly load_busy?: number;
  readonly postgres_busy?: number;
  readonly server_us_an_answer?: number;
  readonly postgres_us_an_answer?: number;
  /** The highest of all rounds. */
  readonly peak_memory_mib?: number;
  readonly resident_mib?: number;
}

export interface AimResult {
  /** Names the figure that is compared with the aim. */
  readonly what: string;
  readonly found: number;
  readonly at_least?: number;
  readonly at_most?: number;
  readonly reached: boolean;
}

/** One table of a run. */
export interface BenchmarkResult {
  readonly name: string;
  readonly title: string;
  readonly unit: Benchmark['unit'];
  /** Ours first. */
  readonly subjects: readonly SubjectResult[];
  readonly aims: readonly AimResult[];
}

/** Returns the table of a benchmark from the figures of its rounds. */
export function resultOf(benchmark: Benchmark, measured: readonly Measured[]): BenchmarkResult {
  const [ours] = measured;
  const { name, title, unit } = benchmark;
  return {
    name,
    title,
    unit,
    subjects: measured.map((each) => subjectResult(benchmark, each, each === ours ? undefined : ours)),
    aims: ours === undefined ? [] : benchmark.aims.flatMap((aim) => aimResult(aim, ours, measured)),
  };
}

function subjectResult({ unit }: Benchmark, measured: Measured, ours: Measured | undefined): SubjectResult {
  const { name, figures } = measured;
  const values = valuesOf(measured);
  const medianOf = (of: (figure: Figure) => number | undefined): number => median(present(figures.map(of)));
  const microseconds = (of: (figure: Figure) => number | undefined): number =>
    unit === 'per second'
      ? median(present(figures.map((figure) => ((of(figure) ?? Number.NaN) / figure.value) * 1e6)))
      : Number.NaN;
  return {
    name,
    median: rounded(median(values)),
    lowest: rounded(Math.min(...values)),
    highest: rounded(Math.max(...values)),
    ...known({
      ours_by_this: ours === undefined ? Number.NaN : pairedRatio(ours, measured),
      ours_by_this_per_cpu_second:
        ours === undefined ? Number.NaN : pairedRatio(perCpuSecond(ours), perCpuSecond(measured)),
      p99_ms: medianOf(({ p99_ms }) => p99_ms),
      server_busy: medianOf(({ serverCpu }) => serverCpu),
      load_busy: medianOf(({ loadBusy }) => loadBusy),
      postgres_busy: medianOf(({ databaseCpu }) => databaseCpu),
      server_us_an_answer: microseconds(({ serverCpu }) => serverCpu),
      postgres_us_an_answer: microseconds(({ databaseCpu }) => databaseCpu),
      peak_memory_mib: highest(figures.map(({ memory_mib }) => memory_mib)),
      resident_mib: medianOf(({ resident_mib }) => resident_mib),
    }),
  };
}

function aimResult(aim: Aim, ours: Measured, measured: readonly Measured[]): readonly AimResult[] {
  const peer = measured.find(({ name }) => name === aim.against);
  if (aim.against !== undefined && peer === undefined) return [];
  const { atLeast, atMost, of = 'value' } = aim;
  if (atLeast === undefined && atMost === undefined) return [];
  const found = foundFor(of, ours, peer);
  const limits = {
    ...(atLeast === undefined ? {} : { at_least: atLeast }),
    ...(atMost === undefined ? {} : { at_most: atMost }),
  };
  const reached =
    found >= (atLeast ?? Number.NEGATIVE_INFINITY) && found <= (atMost ?? Number.POSITIVE_INFINITY);
  return [{ what: whatFor(of, peer), found: rounded(found), ...limits, reached }];
}

/** A list that takes too much memory once takes too much, so the highest round counts. */
function foundFor(of: NonNullable<Aim['of']>, ours: Measured, peer: Measured | undefined): number {
  if (of === 'memory_mib') return highest(ours.figures.map(({ memory_mib }) => memory_mib));
  if (peer === undefined) return median(valuesOf(ours));
  if (of === 'cpu_us_beside') return median(cpuMicroseconds(ours)) - median(cpuMicroseconds(peer));
  if (of === 'p99_ms') return pairedRatio(ninetyNinths(ours), ninetyNinths(peer));
  return of === 'cpu' ? pairedRatio(perCpuSecond(ours), perCpuSecond(peer)) : pairedRatio(ours, peer);
}

function whatFor(of: NonNullable<Aim['of']>, peer: Measured | undefined): string {
  if (of === 'memory_mib') return 'MiB above idle';
  if (peer === undefined) return 'ours';
  if (of === 'cpu_us_beside') return `µs of CPU an answer, beside ${peer.name}`;
  if (of === 'p99_ms') return `× ${peer.name}, p99`;
  return of === 'cpu' ? `× ${peer.name}, per CPU second` : `× ${peer.name}`;
}

/** Answers in a second of the server's CPU time. Other work on the machine disturbs them less. */
const perCpuSecond = ({ name, figures }: Measured): Measured => ({
  name,
  figures: figures.map(({ value, serverCpu }) => ({ value: value / (serverCpu ?? Number.NaN) })),
});

const ninetyNinths = ({ name, figures }: Measured): Measured => ({
  name,
  figures: figures.map(({ p99_ms = Number.NaN }) => ({ value: p99_ms })),
});

const cpuMicroseconds = (measured: Measured): readonly number[] =>
  valuesOf(perCpuSecond(measured)).map((answers) => 1e6 / answers);

function pairedRatio(ours: Measured, peer: Measured): number {
  const peers = valuesOf(peer);
  return median(valuesOf(ours).map((value, round) => value / (peers[round] ?? Number.NaN)));
}

const valuesOf = ({ figures }: Measured): readonly number[] => figures.map(({ value }) => value);

const present = (values: readonly (number | undefined)[]): readonly number[] =>
  values.filter((value) => value !== undefined);

function highest(values: readonly (number | undefined)[]): number {
  const found = present(values);
  return found.length === 0 ? Number.NaN : Math.max(...found);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

function known(values: Readonly<Record<string, number>>): Partial<SubjectResult> {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => !Number.isNaN(value))
      .map(([name, value]) => [name, rounded(value)]),
  );
}

const DIGITS = 4;

/** Four digits are more than the rounds agree on. */
const rounded = (value: number): number =>
  Math.abs(value) >= 10 ** (DIGITS - 1) ? Math.round(value) : Number(value.toPrecision(DIGITS));
