import type { ClientId } from '../spec/identifiers.ts';
import type { StoredClient } from './client-store.ts';

export const CLIENT_SORTS = ['id', 'name', 'created', 'used'] as const;
export type ClientSort = (typeof CLIENT_SORTS)[number];

/** The place of a client in an order. */
export interface ClientPlace {
  /** The value that the order is by; the `client_id` itself in the order of ids. */
  readonly key: string | number;
  readonly client_id: ClientId;
}

/** From `from` on and before `until`; each may be absent. */
export interface Span<Value extends string | number> {
  readonly from?: Value;
  readonly until?: Value;
}

/** A client must meet all of them. Times are in seconds since the Unix epoch. */
export interface ClientCriteria {
  /** At most `TERMS_MAX`, as `term` of `src/spec/client-listing.ts` makes them. */
  readonly terms: readonly string[];
  /** Limits the name, as `listedName` makes it. */
  readonly name?: Span<string>;
  /** A part of that name. */
  readonly namePart?: string;
  readonly created?: Span<number>;
  /** Limits the last use. A client without one counts as used at 0. */
  readonly used?: Span<number>;
  /** Limits the end of the newest secret. A client whose secret never ends, or that has none, is outside of every span. */
  readonly secretEnd?: Span<number>;
  /** Limits the end of the registration, likewise. */
  readonly end?: Span<number>;
  /** Excludes registrations that ended at this time or before. */
  readonly livingAt?: number;
}

export const TERMS_MAX = 8;

export interface ClientSearch {
  readonly criteria: ClientCriteria;
  readonly sort: ClientSort;
  readonly descending: boolean;
  /** Where the page before ended; absent for the first one. */
  readonly after?: ClientPlace;
  readonly limit: number;
  /** After about this time a search that finds little ends with a shorter page. */
  readonly budget_ms: number;
}

export interface ListedClient {
  readonly client: StoredClient;
  /** 0 without a use on record. */
  readonly last_used_at: number;
}

export interface ClientListPage {
  /** In order. At most `limit`; fewer, or none, if the time was over. */
  readonly found: readonly ListedClient[];
  /** Where the next page begins; undefined if there is none. */
  readonly next: ClientPlace | undefined;
}

/**
 * Lists of clients by name, time and term. Lists are not written with the client, which would cost a registration two thirds of
 * its time: they follow the audit, in which each change of a client has an event.
 */
export interface ClientLists {
  /** Whether a change of a client may not be in the lists yet. */
  isBehind(): Promise<boolean>;
  /**
   * Brings the lists up to date for at most `limit` clients, of any program's changes. Returns whether they are still behind.
   * Each of several concurrent callers goes on where the one before stopped.
   */
  catchUp(limit: number): Promise<boolean>;
  /**
   * Returns a page of the clients that the lists know. A client that stays as it is during the reading of all pages is on exactly
   * one of them.
   */
  search(search: ClientSearch): Promise<ClientListPage>;
  /** Returns the clients of these identifiers as they are stored, expired ones too. Leaves out those that are gone. */
  read(ids: readonly ClientId[]): Promise<readonly ListedClient[]>;
}
