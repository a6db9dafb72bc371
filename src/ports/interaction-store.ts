import type { Digest } from '../spec/identifiers.ts';
import type { AuditEvent } from './audit-log.ts';
import type { StoredAuthorizationCode } from './authorization-code-store.ts';
import type { ChangeOutcome } from './client-store.ts';

/** A request that waits for its end-user, or an answer that waits for its repetition. The server stores the pages' actions here instead of in hidden fields (decision 31). */
export interface StoredInteraction {
  /** Digest of the handle in the page's address. */
  readonly key: Digest;
  readonly kind:
    | 'authorization'
    | 'logout'
    | 'pushed'
    | 'client-document'
    | 'answer'
    | 'device'
    | 'user-code';
  /**
   * Digest of the cookie of the browser that started it: the handle works in no other browser. For a pushed request
   * (RFC 9126), a client that no end-user has consented to yet, or a device (RFC 8628), the digest of the client identifier. For an
   * answer, the digest of its request.
   */
  readonly browser: Digest;
  /** Grows by one with every change. Conditional writes compare it. */
  readonly version: number;
  /** JSON text of bounded length. Storage does not read it. */
  readonly content: string;
  readonly created_at: number;
  readonly expires_at: number;
}

export interface InteractionStore {
  begin(interaction: StoredInteraction): Promise<void>;
  /** Returns undefined for an unknown or completed interaction. May return an expired one. */
  find(key: Digest): Promise<StoredInteraction | undefined>;
  /** Returns at most `limit` kept records of devices with a key after this one, ordered by key; of one client, if named by its `browser`. */
  devices(
    filter: { readonly browser?: Digest | undefined },
    after: string,
    limit: number,
  ): Promise<readonly StoredInteraction[]>;
  /** Replaces the content and raises the version by one, if the stored version is still that of `interaction`. */
  change(interaction: Pick<StoredInteraction, 'key' | 'version'>, content: string): Promise<ChangeOutcome>;
  /**
   * Deletes the interaction if its version has not changed. Among concurrent callers exactly one gets `done`, and that
   * caller carries out the interaction's action.
   */
  complete(interaction: Pick<StoredInteraction, 'key' | 'version'>): Promise<ChangeOutcome>;
  /**
   * Deletes the record under the code for people, and replaces the content of its device: both or neither. If a refusal and a
   * `complete` of that record come at once, one gets `done`. `absent`: the code is used.
   * @param event recorded with the refusal; undefined if the caller logs it
   */
  refuseDevice(
    refused: {
      readonly device: Pick<StoredInteraction, 'key' | 'version'>;
      readonly user_code: Digest;
      readonly content: string;
    },
    event: AuditEvent | undefined,
  ): Promise<ChangeOutcome>;
  /**
   * Deletes the record under the code for people if its version has not changed, and issues the code that its device redeems: both
   * or neither. Among concurrent callers, and `refuseDevice` and `complete` of that record, one gets `done`.
   */
  allowDevice(
    user_code: Pick<StoredInteraction, 'key' | 'version'>,
    code: StoredAuthorizationCode,
  ): Promise<ChangeOutcome>;
  /** Deletes at most `limit` interactions that expired before `now` and returns their number. */
  sweepExpired(now: number, limit: number): Promise<number>;
}
