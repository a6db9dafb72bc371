import type { SoundStatement } from '../entity-statement.ts';
import type { ChainReason } from '../reason.ts';

/** A constraint of one subordinate statement, and where in the chain that stands. */
export interface Constrained {
  readonly statement: SoundStatement;
  /** Intermediates between whoever made the statement and the subject of the chain. */
  readonly intermediates: number;
  /** The identifiers of the statement's subject and of everyone below it, the subject of the chain included. */
  readonly subordinates: readonly string[];
}

export interface Constraint {
  /** Of OpenID Federation. */
  readonly section: string;
  readonly name: string;
  readonly code: ChainReason;
  /** A sentence; undefined where the chain complies, or there is no such constraint. */
  readonly problem: (constrained: Constrained) => string | undefined;
}
