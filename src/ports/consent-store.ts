import type { Awaitable } from '../spec/awaitable.ts';
import type { ClientId, ClientInstance, Subject } from '../spec/identifiers.ts';

/** What an end-user allowed a client. An id that is registered again is another instance: it inherits nothing. */
export interface StoredConsent {
  readonly sub: Subject;
  readonly client_id: ClientId;
  readonly instance: ClientInstance;
  /** In alphabetical order, each once. */
  readonly scope: readonly string[];
  /** Names of claims that were asked for one by one (OpenID Connect Core 1.0 §5.5), ordered as `scope`. */
  readonly claims: readonly string[];
  /** Resources that its tokens may be for (RFC 8707), ordered as `scope`. */
  readonly resources: readonly string[];
  readonly granted_at: number;
  readonly updated_at: number;
}

export interface ConsentStore {
  find(
    sub: Subject,
    client: Pick<StoredConsent, 'client_id' | 'instance'>,
  ): Awaitable<StoredConsent | undefined>;
  /** By the client's id; consents to clients that are gone are not among them. */
  ofSubject(sub: Subject): Awaitable<readonly StoredConsent[]>;
  /**
   * Adds to what was granted before; two at once both count. Answers what is granted now; undefined, and keeps nothing,
   * when the client is gone.
   */
  grant(
    consent: Pick<StoredConsent, 'sub' | 'client_id' | 'instance' | 'scope' | 'claims' | 'resources'>,
    at: number,
  ): Promise<StoredConsent | undefined>;
  /** Forgets it; answers whether there was one. */
  revoke(sub: Subject, client: Pick<StoredConsent, 'client_id' | 'instance'>): Promise<boolean>;
}
