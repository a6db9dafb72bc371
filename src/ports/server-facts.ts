import type { RecentRefusal } from './development.ts';
import type { StoredObjects } from './storage.ts';

/** A refusal with the request and the tenant that it belongs to. */
export interface NotedRefusal extends RecentRefusal {
  /** The error code of the answer; empty without one. */
  readonly error: string;
  readonly request_id: string;
  /** Empty for a request that reached no tenant. */
  readonly tenant: string;
}

/** The answers and refusals of one process, or of several. */
export interface ServedFacts {
  /** The answers since the start, by the class of their status. */
  readonly requests: Readonly<Record<string, number>>;
  /** The latest refusals, the newest first. */
  readonly refusals: readonly NotedRefusal[];
}

/** Facts about the running server, for its administration. */
export interface ServerFacts {
  readonly version: string;
  readonly node: string;
  readonly storage: 'sqlite' | 'postgresql';
  readonly workers: number;
  readonly pid: number;
  /** Seconds since the Unix epoch. */
  readonly started_at: number;
  /** The source of each setting of the process: `default`, a profile, a file or an environment variable. */
  readonly origins: Readonly<Record<string, string>>;
  /** Asks every worker. One that does not answer in time is left out. */
  served(): Promise<ServedFacts>;
  /** The rows of all tenants. */
  objects(): Promise<StoredObjects>;
  /** When the certificates of the listeners expire, in seconds since the Unix epoch. */
  certificates(): readonly { readonly name: string; readonly expires_at: number }[];
}
