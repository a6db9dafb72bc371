import type { CounterName, GaugeName, HistogramName, LabelsOf } from '../spec/metrics.ts';

/** `busy`: the limits of fetches refused it or ended it. */
export type FetchOutcome = 'ok' | 'failed' | 'busy';

/** Fetches at one moment. */
export interface FetchQueue {
  readonly running: number;
  readonly waiting: number;
}

/** Counts what happens. Each name is a row of `METRICS`. */
export interface Counting {
  /** Adds to a counter. */
  count<Name extends CounterName>(name: Name, labels: LabelsOf<Name>, by?: number): void;
  /** Returns a function that adds one to this series: for hot paths, which look no labels up. */
  counter<Name extends CounterName>(name: Name, labels: LabelsOf<Name>): () => void;
  /** Adds one value to a histogram. */
  observe<Name extends HistogramName>(name: Name, labels: LabelsOf<Name>, value: number): void;
}

export type GaugeSamples<Name extends GaugeName> = Iterable<readonly [LabelsOf<Name>, number]>;

/** The metrics that the management listener publishes. */
export interface Metrics extends Counting {
  readonly contentType: string;
  text(): Promise<string>;
  /** Counts one answered request. Every request calls it, so it is cheap. */
  observeRequest(endpoint: string, status: number, seconds: number): void;
  /** Returns how many requests were answered, by the class of their status, such as `2xx`. */
  answers(): Readonly<Record<string, number>>;
  /** Sets one sample of a gauge. */
  set<Name extends GaugeName>(name: Name, labels: LabelsOf<Name>, value: number): void;
  /** Publishes the samples of a gauge, read when the metrics are read. A second call replaces the first. */
  gauge<Name extends GaugeName>(name: Name, read: () => GaugeSamples<Name>): void;
}

/** `busy`: the limits of this server ended it; `unavailable`: another server gave no answer. */
export type ResolutionOutcome = 'valid' | 'refused' | 'busy' | 'unavailable' | 'timeout';

/** The limit that a connection exceeded. */
export type ConnectionRefusal = 'max-connections' | 'network' | 'handshakes' | 'all-handshakes';
