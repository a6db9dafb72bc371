import type { TenantId } from '../../spec/identifiers.ts';
import type { WriteArguments, WriteName, WriteResults } from '../write.ts';
import type { Outcome, Row, Statement, Value } from './statement.ts';

export type Values = Readonly<Record<string, Value | undefined>>;

/** A transaction that is under way, as an act sees it. */
export interface Transaction {
  ask(statement: Statement, values: Values): Promise<Outcome>;
}

/** The only row, or undefined. */
export async function one(asked: Promise<Outcome>): Promise<Row | undefined> {
  return (await asked).rows[0];
}

export async function changed(asked: Promise<Outcome>): Promise<number> {
  return (await asked).changed;
}

/** What the quick way answers where it has changed nothing, and only the steps can tell what is to be done. */
export const TAKE_STEPS = Symbol('take steps');

type Write<Name extends WriteName> = WriteArguments[Name];

/** How several acts of one kind and tenant are done by one statement: it does all of them, or none. */
export interface Together<Name extends WriteName> {
  /** Whether these may be tried so; there are at least two. */
  fits(writes: readonly Write<Name>[]): boolean;
  /** Puts its question at once. The answer of each; undefined where none was done, and each is to be done on its own. */
  try(
    transaction: Transaction,
    tenant: TenantId,
    writes: readonly Write<Name>[],
  ): Promise<readonly WriteResults[Name][] | undefined>;
}

/**
 * How an act is done.
 * `quick`: puts all its questions at once, before it waits for any answer, so that acts of one turn share a round trip.
 * `steps`: what is asked depends on an earlier answer; in a transaction of its own.
 * `turn`: whether it takes the tenant's turn (`TAKE_TURN`) first. Without, the act is one statement that is right in any
 * race, or each of its statements is.
 */
export interface Act<Name extends WriteName> {
  readonly turn: boolean;
  readonly together?: Together<Name>;
  readonly quick?: (
    transaction: Transaction,
    write: Write<Name>,
  ) => Promise<WriteResults[Name] | typeof TAKE_STEPS>;
  readonly steps?: (transaction: Transaction, write: Write<Name>) => Promise<WriteResults[Name]>;
}

export type Acts<Names extends WriteName = WriteName> = { readonly [Name in Names]: Act<Name> };
