import type { AuditEvent } from './audit-log.ts';

/** The observations of one trust anchor's keys, and the decisions about them. */
export interface StoredTrustAnchor {
  readonly entity_id: string;
  /** Grows by one with each change. */
  readonly version: number;
  /** JSON text. */
  readonly content: string;
}

export interface TrustAnchorStore {
  /** Returns every record, ordered by entity identifier. */
  all(): Promise<readonly StoredTrustAnchor[]>;
  /**
   * Adds a record whose `version` is 1, or replaces the record whose version is one less, and records the events. Returns false and
   * changes nothing if the stored version is another one: of two callers that have read the same version, one succeeds.
   */
  put(anchor: StoredTrustAnchor, events: readonly AuditEvent[]): Promise<boolean>;
  /** Removes a record. Returns false if there is none. */
  remove(entityId: string, event: AuditEvent): Promise<boolean>;
}
