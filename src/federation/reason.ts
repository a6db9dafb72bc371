import type { OutboundFailure } from '../ports/outbound-http.ts';
import type { PolicyProblemCode } from './metadata-policy/policy-problem.ts';

/** Codes of everything that can fail in a federation. They are stable: `error_description` shows them and scripts read them. */
export type ReasonCode =
  | StatementReason
  | ChainReason
  | OwnConstraintReason
  | SearchReason
  | TrustMarkReason
  | RegistrationReason
  | PolicyProblemCode
  | `fetch_${OutboundFailure}`;

/** A statement that breaks a rule of §3.2, in the order of its numbers. */
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

/** A chain that breaks a rule of §4, §6.2 or §10.2. */
export type ChainReason =
  | 'chain_claims'
  | 'chain_not_yet_valid'
  | 'chain_expired'
  | 'chain_subject'
  | 'chain_links'
  | 'chain_signature'
  | 'chain_anchor'
  | 'chain_anchor_key'
  | 'peer_chain_subject'
  | 'peer_chain_anchor'
  | 'constraint_path_length'
  | 'constraint_naming'
  | 'constraint_entity_types';

/** A chain that breaks a constraint of this server's settings. */
export type OwnConstraintReason =
  | 'own_constraint_path_length'
  | 'own_constraint_naming'
  | 'own_constraint_entity_types';

/** A search that ends without a chain, by §10.1 or by a limit. */
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

/** A required trust mark that is absent or not valid (§7). */
export type TrustMarkReason =
  | 'trust_mark_absent'
  | 'trust_mark_invalid'
  | 'trust_mark_issuer'
  /** Its issuer says that it is not active (§8.4). */
  | 'trust_mark_revoked'
  /** Its status is not known. */
  | 'trust_mark_status';

/** A client that cannot be registered although its entity is trusted. */
export type RegistrationReason = 'metadata_not_allowed' | 'metadata_not_valid' | 'entity_id_taken';

export interface Reason {
  readonly code: ReasonCode;
  /** A sentence for the client. Contains no cause, no internal address and no secret. */
  readonly words: string;
  /** More detail, for the log and the operator only. */
  readonly detail?: string;
  /** Seconds until a retry. Present if a document could not be had now, so that nothing is known about the trust. */
  readonly retryAfter?: number;
}

/** The result of one numbered rule of a section. */
export interface CheckTrace {
  /** For example `§3.2`. */
  readonly section: string;
  readonly number: number;
  readonly name: string;
  /** Why the rule failed. Absent if it holds. */
  readonly reason?: Reason;
}
