import type { LoadGenerator } from './load-generator.ts';
import type { Ours } from './ours.ts';
import type { OnPostgres } from './postgres.ts';
import type { Registry } from './registry.ts';

/** How much of everything is measured. */
export interface Scale {
  readonly rounds: number;
  readonly round_ms: number;
  /** Access tokens in the database. */
  readonly storedTokens: number;
  /** Distinct tokens in the load; the program keeps as many in memory. */
  readonly loadedTokens: number;
  /** Distinct tokens in a load of which the program keeps none (`cache.access-tokens` is 200,000). */
  readonly manyTokens: number;
  /** JWTs in the database, besides. */
  readonly selfContainedTokens: number;
  readonly starts: number;
  /** Clients in the large registry. */
  readonly manyClients: number;
  /** Distinct clients in the load, where there are as many. */
  readonly loadedClients: number;
  /** How often the large registry is listed whole. */
  readonly lists: number;
}

/** Clients in the small registry. */
export const FEW_CLIENTS = 1_000;

export interface Bench {
  readonly scale: Scale;
  readonly folder: string;
  readonly load: LoadGenerator;
  readonly ours: Ours;
  /** A server with so many clients; started when it is first asked for. */
  registry(clients: number): Promise<Registry>;
  /** A PostgreSQL with the same data as `ours`. @throws where the run has none */
  postgres(): OnPostgres;
}

export interface Figure {
  /** Answers a second, or milliseconds: the benchmark says which. */
  readonly value: number;
  readonly p99_ms?: number;
  /** CPU seconds of the server in a second, all its threads together. */
  readonly serverCpu?: number;
  /** The same of the database server. */
  readonly databaseCpu?: number;
  /** Of the time. */
  readonly loadBusy?: number;
  /** The server's memory at its peak above what it had before (resident set, mapped files included). */
  readonly memory_mib?: number;
}

/** One of the things that are compared; measured once in each round. */
export interface Subject {
  readonly name: string;
  measure(): Promise<Figure>;
  close(): Promise<void>;
}

export interface Aim {
  /** What the aim is for; without it the value. */
  readonly of?: 'memory_mib' | 'p99_ms' | 'cpu';
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
  /** Whether it works on the large registry. */
  readonly needsManyClients?: true;
  /** Left out of a run of everything. */
  readonly byNameOnly?: true;
  readonly aims: readonly Aim[];
  rounds(scale: Scale): number;
  /** Ours first. Each has proven that its answer is right before it is here. */
  open(bench: Bench): Promise<readonly Subject[]>;
}
