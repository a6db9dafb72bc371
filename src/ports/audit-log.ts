/** One audit event: the action, its actor and its outcome. It never holds a secret or a token. */
export interface AuditEvent {
  /** Seconds since the Unix epoch. */
  readonly at: number;
  readonly action:
    | 'client.create'
    | 'client.read'
    | 'client.update'
    | 'client.delete'
    | 'client.list'
    | 'client.secret'
    | 'client.prune'
    | 'client.expire'
    | 'client.supersede'
    | 'client.import'
    | 'account.create'
    | 'account.update'
    | 'account.delete'
    | 'account.locked'
    | 'session.end'
    | 'grant.end'
    | 'token.revoke'
    | 'initial-access-token.create'
    | 'initial-access-token.revoke'
    | 'tenant.create'
    | 'tenant.update'
    | 'tenant.disable'
    | 'tenant.enable'
    | 'server-key.add'
    | 'server-key.announce'
    | 'server-key.activate'
    | 'server-key.remove'
    | 'server-key.revoke'
    | 'storage.restore'
    | 'clock.confirm';
  readonly outcome: 'done' | 'refused';
  /** `master:LABEL`, `initial:LABEL`, `registration`, `statement:ISSUER`, `federation:ENTITY`, `open`, `document`, `client:ID`, `end-user`, `cli`, `server`, or `unknown`. */
  readonly actor: string;
  readonly client_id: string | null;
  readonly request_id: string;
  /** The error code of a refusal; otherwise further facts, or null. */
  readonly detail: string | null;
}

export interface RecordedAuditEvent extends AuditEvent {
  /** Grows in the order in which events are recorded. */
  readonly sequence: number;
}

export interface AuditLog {
  /** Records an event that accompanies no change. A change records its own event in its transaction. */
  append(event: AuditEvent): Promise<void>;
  /** Returns at most `limit` events after `sequence`, oldest first. */
  page(sequence: number, limit: number): Promise<readonly RecordedAuditEvent[]>;
  /** Deletes at most `limit` events from before `at` and returns their number. */
  sweep(at: number, limit: number): Promise<number>;
}
