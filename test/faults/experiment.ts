import type { Stand } from './stand.ts';

export type EngineName = 'sqlite' | 'postgres';

export interface ExperimentOptions {
  /** How often a fault is repeated, where one is nothing. */
  readonly rounds: number;
  /** How long a soak takes. */
  readonly minutes: number;
  /** The `chancery.ts` of another checkout, to see that it fails; undefined for this one. */
  readonly program?: string | undefined;
  /** Is told how far it is. */
  readonly say: (line: string) => void;
}

/** The result of an experiment. The first four lists must be empty, whatever the fault is (docs/contract/hostile/faults.md). */
export interface Outcome {
  readonly acked: number;
  readonly lost: readonly string[];
  readonly half_written: readonly string[];
  readonly used_twice: readonly string[];
  readonly revoked_active: readonly string[];
  /** Further expectations under this fault that did not hold. */
  readonly broken: readonly string[];
  /** Operations whose answer never came. */
  readonly unknown: number;
  /** In the order in which they are printed, with their units. */
  readonly figures: Readonly<Record<string, string>>;
}

/** Why it could not be done here. */
export interface Skipped {
  readonly skipped: string;
}

export interface Experiment {
  /** For `--only`. */
  readonly name: string;
  /** Begins with its row in docs/contract/hostile/faults.md. */
  readonly fault: string;
  readonly engines: readonly EngineName[];
  /** With fewer acknowledgements it would prove nothing. */
  readonly acked_min: (rounds: number) => number;
  /** Says in `broken` if the fault did not happen. */
  run(stand: Stand, options: ExperimentOptions): Promise<Outcome | Skipped>;
}

/** A fault of a known length has happened if requests met this part of it. */
export const HAPPENED = 0.8;

export const BOTH_ENGINES: readonly EngineName[] = ['sqlite', 'postgres'];

/** Runs an experiment, which is broken if it had fewer acknowledgements than it needs. */
export async function runExperiment(
  { acked_min, run }: Pick<Experiment, 'acked_min' | 'run'>,
  stand: Stand,
  options: ExperimentOptions,
): Promise<Outcome | Skipped> {
  const outcome = await run(stand, options);
  if ('skipped' in outcome) return outcome;
  const least = acked_min(options.rounds);
  if (outcome.acked >= least) return outcome;
  const reason = `${outcome.acked} acknowledgements prove nothing: the experiment needs ${least}`;
  return { ...outcome, broken: [...outcome.broken, reason] };
}

/** Everything that keeps an experiment from being sound. */
export function faultsOf(outcome: Outcome): readonly string[] {
  const { lost, half_written, used_twice, revoked_active, broken } = outcome;
  return [
    ...lost.map((each) => `lost: ${each}`),
    ...half_written.map((each) => `half-written: ${each}`),
    ...used_twice.map((each) => `used twice: ${each}`),
    ...revoked_active.map((each) => `revoked and active: ${each}`),
    ...broken,
  ];
}

export const milliseconds = (value: number | undefined): string =>
  value === undefined ? 'never' : `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
