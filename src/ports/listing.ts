/** Where a page of a list ends: the values of its last row that the order is by. */
export type ListPosition = readonly (string | number)[];

/** The page of a list that a caller wants. */
export interface ListRange {
  readonly limit: number;
  /** The `next` of the page before; undefined for the first page. */
  readonly after: ListPosition | undefined;
  /** Rows that a filter without an index examines at most. */
  readonly examined: number;
}

/**
 * A page. A filter without an index examines a bounded number of rows, so a page may have fewer rows than the limit, even none,
 * and still have a next one.
 */
export interface Listing<Stored> {
  readonly rows: readonly Stored[];
  /** Undefined on the last page. */
  readonly next: ListPosition | undefined;
}
