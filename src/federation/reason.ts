import type { OutboundFailure } from '../ports/outbound-http.ts';
import type { PolicyProblemCode } from './metadata-policy/policy-problem.ts';

/** Why something in a federation does not hold. The codes are stable: they go into `error_description` and into scripts. */
export type ReasonCode =
  | StatementReason
  | ChainReason
  | SearchReason
  | TrustMarkReason
  | RegistrationReason
  | PolicyProblemCode
  | `fetch_${OutboundFailure}`;

/** §3.2, in the order of its numbers. */
export type StatementReason =
  | 'statement_not_signed_jwt'
  | 'statement_type'
  | 'statement_algorithm'
  | 'statement_header'
  | 'statement_subject'
  | 'statement_issuer'
  | 'statement_not_a_configuration'
  | 'statement_not_subordinate'
  | 'statement_issuer_not_hinted'
  | 'statement_not_yet_valid'
  | 'statement_too_old'
  | 'statement_expired'
  | 'statement_lifetime'
  | 'statement_jwks'
  | 'statement_kid'
  | 'statement_signature'
  | 'statement_crit'
  | 'statement_authority_hints'
  | 'statement_trust_anchor_hints'
  | 'statement_metadata'
  | 'statement_metadata_policy'
  | 'statement_metadata_policy_crit'
  | 'statement_constraints'
  | 'statement_trust_marks'
  | 'statement_trust_mark_issuers'
  | 'statement_trust_mark_owners'
  | 'statement_source_endpoint'
  | 'statement_trust_chain'
  | 'statement_audience'
  | 'statement_trust_anchor'
  | 'statement_replayed';

/** §4, §6.2 and §10.2. */
export type ChainReason =
  | 'chain_claims'
  | 'chain_not_yet_valid'
  | 'chain_expired'
  | 'chain_subject'
  | 'chain_links'
  | 'chain_signature'
  | 'chain_anchor'
  | 'chain_anchor_key'
  | 'constraint_path_length'
  | 'constraint_naming'
  | 'constraint_entity_types';

/** §10.1 and the limits of a search. */
export type SearchReason =
  | 'loop'
  | 'hints_exhausted'
  | 'fetches_exhausted'
  | 'bytes_exhausted'
  | 'time_exhausted'
  | 'depth_exhausted'
  | 'paths_exhausted'
  | 'no_authority_hints'
  | 'no_fetch_endpoint'
  | 'superior_address'
  | 'superior_is_self'
  | 'unknown_trust_anchor';

/** §7. */
export type TrustMarkReason = 'trust_mark_absent' | 'trust_mark_invalid' | 'trust_mark_issuer';

/** What is wrong with the client that would be registered, after trust in its entity. */
export type RegistrationReason = 'metadata_not_allowed' | 'metadata_not_valid' | 'entity_id_taken';

export interface Reason {
  readonly code: ReasonCode;
  /** A sentence for the one who asked: no cause, no address of the inside, nothing that was sent as a secret. */
  readonly words: string;
  /** For the log and for the operator only. */
  readonly detail?: string;
}

/** One numbered rule of a section, and how it went. */
export interface CheckTrace {
  /** `§3.2`. */
  readonly section: string;
  readonly number: number;
  readonly name: string;
  /** Absent where the rule holds. */
  readonly reason?: Reason;
}
