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

/** Facts about the running server, for its administration. With several workers, each knows its own. */
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
  /** The answers of this process since its start, by the class of their status. */
  requests(): Readonly<Record<string, number>>;
  /** The rows of all tenants. */
  objects(): Promise<StoredObjects>;
  /** When the certificates of the listeners expire, in seconds since the Unix epoch. */
  certificates(): readonly { readonly name: string; readonly expires_at: number }[];
  /** The latest refusals of this process, the newest first. */
  refusals(): readonly NotedRefusal[];
}
