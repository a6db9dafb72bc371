import type { Awaitable } from '../spec/awaitable.ts';

/** What happened to the registry, who did it, and how it ended. Never a secret, never a token. */
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
    | 'storage.restore';
  readonly outcome: 'done' | 'refused';
  /** `master:LABEL`, `initial:LABEL`, `registration`, `statement:ISSUER`, `federation:ENTITY`, `open`, `client:ID`, `end-user`, `cli`, `server`, or `unknown`. */
  readonly actor: string;
  readonly client_id: string | null;
  readonly request_id: string;
  /** For a refusal its error code; otherwise what is worth knowing besides, or null. */
  readonly detail: string | null;
}

export interface RecordedAuditEvent extends AuditEvent {
  /** Grows in the order in which events were recorded. */
  readonly sequence: number;
}

export interface AuditLog {
  /** For what changes nothing else. A change carries its event with it, so that both are there or neither. */
  append(event: AuditEvent): Promise<void>;
  /** At most `limit` events after `sequence`, oldest first. */
  page(sequence: number, limit: number): Awaitable<readonly RecordedAuditEvent[]>;
  /** Removes at most `limit` events from before `at`; answers how many it removed. */
  sweep(at: number, limit: number): Promise<number>;
}
