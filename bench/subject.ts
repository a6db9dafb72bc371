import type { LoadGenerator } from './load-generator.ts';
import type { Ours } from './ours.ts';

/** How much of everything is measured. */
export interface Scale {
  readonly rounds: number;
  readonly round_ms: number;
  /** Access tokens in the database. */
  readonly storedTokens: number;
  /** Distinct tokens in the load. */
  readonly loadedTokens: number;
  readonly starts: number;
}

export interface Bench {
  readonly scale: Scale;
  readonly folder: string;
  readonly load: LoadGenerator;
  readonly ours: Ours;
}

export interface Figure {
  /** Answers a second, or milliseconds: the benchmark says which. */
  readonly value: number;
  readonly p99_ms?: number;
  /** CPU seconds of the server in a second, all its threads together. */
  readonly serverCpu?: number;
  /** Of the time. */
  readonly loadBusy?: number;
}

/** One of the things that are compared; measured once in each round. */
export interface Subject {
  readonly name: string;
  measure(): Promise<Figure>;
  close(): Promise<void>;
}

export interface Aim {
  /** The name of the subject to compare with; without it the figure itself is the aim. */
  readonly against?: string;
  readonly atLeast?: number;
  readonly atMost?: number;
}

export interface Benchmark {
  readonly name: string;
  readonly title: string;
  readonly unit: 'per second' | 'milliseconds';
  /** Whether it works on a database full of tokens. */
  readonly needsTokens: boolean;
  readonly aims: readonly Aim[];
  rounds(scale: Scale): number;
  /** Ours first. Each has proven that its answer is right before it is here. */
  open(bench: Bench): Promise<readonly Subject[]>;
}
