import type { ClientId, ClientInstance, Subject } from '../spec/identifiers.ts';
import type { AuditEvent } from './audit-log.ts';
import type { Listing, ListRange } from './listing.ts';

/** An end-user's consent to one instance of a client. A client registered again under the same id inherits nothing. */
export interface StoredConsent {
  readonly sub: Subject;
  readonly client_id: ClientId;
  readonly instance: ClientInstance;
  /** In alphabetical order, without repetition. */
  readonly scope: readonly string[];
  /** Names of individually requested claims (OpenID Connect Core 1.0 §5.5), ordered like `scope`. */
  readonly claims: readonly string[];
  /** Resources that the client's tokens may be for (RFC 8707), ordered like `scope`. */
  readonly resources: readonly string[];
  readonly granted_at: number;
  readonly updated_at: number;
}

/** The rows that a list has: of a subject, of an instance of a client, of both, or all. */
export interface ConsentFilter {
  readonly sub?: Subject | undefined;
  readonly client?: { readonly client_id: ClientId; readonly instance: ClientInstance } | undefined;
}

export interface ConsentStore {
  /** Returns a page of the consents in the order of subject and client, without those to deleted clients. */
  list(filter: ConsentFilter, range: ListRange): Promise<Listing<StoredConsent>>;
  find(
    sub: Subject,
    client: Pick<StoredConsent, 'client_id' | 'instance'>,
  ): Promise<StoredConsent | undefined>;
  /** Returns the consents of a subject by client id, without those to deleted clients. */
  ofSubject(sub: Subject): Promise<readonly StoredConsent[]>;
  /**
   * Adds to earlier consent; concurrent calls both count. Returns the whole consent. Returns undefined and stores nothing
   * if the client was deleted.
   * @param event recorded in the same transaction if the consent is stored
   */
  grant(
    consent: Pick<StoredConsent, 'sub' | 'client_id' | 'instance' | 'scope' | 'claims' | 'resources'>,
    at: number,
    event?: AuditEvent,
  ): Promise<StoredConsent | undefined>;
  /**
   * Deletes a consent and returns whether it existed.
   * @param event recorded in the same transaction if it existed
   */
  revoke(
    sub: Subject,
    client: Pick<StoredConsent, 'client_id' | 'instance'>,
    event?: AuditEvent,
  ): Promise<boolean>;
  /**
   * Deletes a consent, and ends every grant that the subject gave the client, with all tokens. Returns whether there was a
   * consent or a grant. A grant that is stored meanwhile ends too, or follows a new consent.
   * @param event recorded in the same transaction if there was one
   */
  withdraw(
    sub: Subject,
    client: Pick<StoredConsent, 'client_id' | 'instance'>,
    event: AuditEvent,
  ): Promise<boolean>;
}
