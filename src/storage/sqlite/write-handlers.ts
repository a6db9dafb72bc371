import type { WriteArguments, WriteName, WriteResults } from '../write.ts';

/** What one connection does for each act, inside a transaction that somebody else began. */
export type WriteHandlers = {
  readonly [Name in WriteName]: (write: WriteArguments[Name]) => WriteResults[Name];
};
