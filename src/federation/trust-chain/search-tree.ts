import type { StatementKind } from '../entity-statement.ts';
import type { PolicyPlace, PolicyStep } from '../metadata-policy/policy-problem.ts';
import type { CheckTrace, Reason } from '../reason.ts';

/** A statement as it was met: where it came from, what it says of itself, and every check up to the first that failed. */
export interface StatementTrace {
  readonly kind: StatementKind;
  /** The address it was fetched from, or `submitted`. */
  readonly source: string;
  readonly issuer?: string;
  readonly subject?: string;
  readonly expires_at?: number;
  readonly checks: readonly CheckTrace[];
  /** Why it is not used. */
  readonly reason?: Reason;
}

/** A whole chain, and every rule it was held to. */
export interface ChainTrace {
  readonly trust_anchor: string;
  /** From the subject to the trust anchor. */
  readonly entities: readonly string[];
  /** The least `exp` of its statements (§10.4). */
  readonly expires_at: number;
  readonly checks: readonly CheckTrace[];
  readonly policy: readonly PolicyStep[];
  readonly ignored_operators: readonly Required<PolicyPlace>[];
  readonly reason?: Reason;
}

/** An entity on the way up, with what was found above it: the search as a tree. */
export interface SearchNode {
  readonly entity_id: string;
  readonly is_trust_anchor: boolean;
  readonly configuration?: StatementTrace;
  /** What this entity says about the one below it. */
  readonly statement?: StatementTrace;
  /** Why the way ends here. */
  readonly reason?: Reason;
  /** Where this entity is a trust anchor that was reached and looked at. */
  readonly chain?: ChainTrace;
  readonly superiors: readonly SearchNode[];
}

type Growing<T> = { -readonly [Member in keyof T]: T[Member] };

/** The node while the search is still at work on it. */
export type GrowingNode = Growing<Omit<SearchNode, 'superiors'>> & { readonly superiors: GrowingNode[] };
