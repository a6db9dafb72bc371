import type { LoadGenerator } from './load-generator.ts';
import type { Ours } from './ours.ts';
import type { Compared } from './peers/compared.ts';
import type { OnPostgres } from './postgres.ts';
import type { Registry } from './registry.ts';

/** How much is measured. */
export interface Scale {
  readonly rounds: number;
  readonly round_ms: number;
  /** Access tokens in the database. */
  readonly storedTokens: number;
  /** Distinct tokens in the load. The program keeps all of them in memory. */
  readonly loadedTokens: number;
  /** Distinct tokens in a load that is too large for the program's memory (`cache.access-tokens` is 200,000). */
  readonly manyTokens: number;
  /** Additional tokens in the database that are JWTs. */
  readonly selfContainedTokens: number;
  readonly starts: number;
  /** Clients in the large registry. */
  readonly manyClients: number;
  /** Distinct clients in the load, if the registry has that many. */
  readonly loadedClients: number;
  /** How often the whole large registry is listed. */
  readonly lists: number;
}

/** Clients in the small registry. */
export const FEW_CLIENTS = 1_000;

/** The servers of a run, and the load. */
export interface Bench {
  readonly scale: Scale;
  readonly folder: string;
  readonly load: LoadGenerator;
  readonly ours: Ours;
  /** The program of another checkout with the same data; undefined without `--against`. */
  readonly other: Ours | undefined;
  /** The `chancery.ts` of that checkout. */
  readonly against: string | undefined;
  /** Returns a server with this many clients. The first call starts it. */
  registry(clients: number): Promise<Registry>;
  /** Returns a PostgreSQL with the same data as `ours`. @throws if the run has none */
  postgres(): OnPostgres;
  /** Returns the servers that `--peers` compares, ours first. @throws without `--peers` */
  compared(): readonly Compared[];
}

export interface Figure {
  /** Answers a second, or milliseconds: the benchmark says which. */
  readonly value: number;
  readonly p99_ms?: number;
  /** CPU seconds of the server in a second, all its threads together. */
  readonly serverCpu?: number;
  /** The same for the database server. */
  readonly databaseCpu?: number;
  /** The share of the time in which the load generator was busy. */
  readonly loadBusy?: number;
  /** The server's memory at its peak, above what it had before (resident set, mapped files included). */
  readonly memory_mib?: number;
  /** The server's resident set. */
  readonly resident_mib?: number;
}

/** One of the things that are compared. Each round measures it once. */
export interface Subject {
  readonly name: string;
  measure(): Promise<Figure>;
  close(): Promise<void>;
}

export interface Aim {
  /** The figure that has the aim; by default the value. `cpu_us_beside` is the CPU time of an answer less that of the other subject. */
  readonly of?: 'value' | 'p99_ms' | 'memory_mib' | 'cpu' | 'cpu_us_beside';
  /** The name of the subject to compare with. Without it the figure itself is compared. */
  readonly against?: string;
  readonly atLeast?: number;
  readonly atMost?: number;
}

export interface Benchmark {
  /** The name for `--only`. Two tables may share a name. */
  readonly name: string;
  readonly title: string;
  readonly unit: 'per second' | 'milliseconds';
  /** Whether it needs a database full of tokens. */
  readonly needsTokens: boolean;
  /** Whether it needs the large registry. */
  readonly needsManyClients?: true;
  readonly aims: readonly Aim[];
  rounds(scale: Scale): number;
  /** Opens the subjects, ours first. Each has proven that its answer is right. */
  open(bench: Bench): Promise<readonly Subject[]>;
}
