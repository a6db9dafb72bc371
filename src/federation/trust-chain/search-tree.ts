import type { StatementKind } from '../entity-statement.ts';
import type { PolicyPlace, PolicyStep } from '../metadata-policy/policy-problem.ts';
import type { CheckTrace, Reason } from '../reason.ts';

/** A statement that the search loaded, with its source, some of its claims if it is sound, and every check up to the first that failed. */
export interface StatementTrace {
  readonly kind: StatementKind;
  /** The URL from which it was fetched, or `submitted`. */
  readonly source: string;
  readonly issuer?: string;
  readonly subject?: string;
  readonly issued_at?: number;
  readonly expires_at?: number;
  /** The `kid` of the key that signed it. */
  readonly kid?: string;
  /** The `kid` of each federation key of its subject. */
  readonly key_ids?: readonly string[];
  readonly checks: readonly CheckTrace[];
  /** Why the search does not use it. */
  readonly reason?: Reason;
}

/** A complete chain and every check that ran on it. */
export interface ChainTrace {
  readonly trust_anchor: string;
  /** From the subject to the trust anchor. */
  readonly entities: readonly string[];
  /** The smallest `exp` of its statements (§10.4). */
  readonly expires_at: number;
  readonly checks: readonly CheckTrace[];
  readonly policy: readonly PolicyStep[];
  readonly ignored_operators: readonly Required<PolicyPlace>[];
  readonly reason?: Reason;
}

/** An entity of the search tree, with the superiors that were found. */
export interface SearchNode {
  readonly entity_id: string;
  readonly is_trust_anchor: boolean;
  readonly configuration?: StatementTrace;
  /** The statement of this entity about the entity below it. */
  readonly statement?: StatementTrace;
  /** Why the path ends here. */
  readonly reason?: Reason;
  /** Present if this entity is a trust anchor whose chain was checked. */
  readonly chain?: ChainTrace;
  readonly superiors: readonly SearchNode[];
}

type Growing<T> = { -readonly [Member in keyof T]: T[Member] };

/** A node that the search can still change. */
export type GrowingNode = Growing<Omit<SearchNode, 'superiors'>> & { readonly superiors: GrowingNode[] };
