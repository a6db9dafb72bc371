import type { DatabaseSync } from 'node:sqlite';
import type { AccountSignal } from '../../ports/event-stream-store.ts';
import type { ClientId, ClientInstance, TenantId } from '../../spec/identifiers.ts';
import {
  APPENDED,
  appended,
  type Cause,
  type Facts,
  OF_CLIENT,
  OF_SESSION,
  OF_SUBJECT,
  WANTED,
} from '../signal-facts.ts';

/** A client as rows name it. */
export interface Named {
  readonly client_id: ClientId;
  readonly instance: ClientInstance;
}

/** Appends events to the streams of clients, inside the transaction of the act. */
export interface Signalling {
  readonly ofSession: (
    tenant: TenantId,
    session: { readonly sid: string; readonly sub: string },
    cause: Cause,
  ) => void;
  readonly ofClient: (tenant: TenantId, client: Named, facts: Facts, cause: Cause) => void;
  /** For an account, before its sessions and grants end. */
  readonly ofAccount: (tenant: TenantId, signal: AccountSignal, cause: Cause) => void;
}

export function signalling(database: DatabaseSync): Signalling {
  const toClient = appendingTo(database, OF_CLIENT);
  const toSession = appendingTo(database, OF_SESSION);
  const toSubject = appendingTo(database, OF_SUBJECT);
  return {
    ofSession: (tenant, { sid, sub }, cause) =>
      toSession(tenant, { kind: 'session-revoked', sub, sid }, cause, { sid }),
    ofClient: (tenant, { client_id, instance }, facts, cause) =>
      toClient(tenant, facts, cause, { client_id, instance }),
    ofAccount: (tenant, { kind, sub, facts }, cause) =>
      toSubject(tenant, { ...facts, kind, sub }, cause, { sub }),
  };
}

function appendingTo(
  database: DatabaseSync,
  recipients: string,
): (tenant: TenantId, facts: Facts, cause: Cause, of: Readonly<Record<string, string>>) => void {
  const raise = database.prepare(
    `UPDATE event_stream SET ${APPENDED} WHERE ${WANTED} AND ${recipients} RETURNING id, sequence, status`,
  );
  const insert = database.prepare(
    'INSERT INTO security_event (tenant, stream_id, sequence, kind, content, at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  return (tenant, facts, cause, of) => {
    const { kind, wanted, content, at, full_reason, full_content } = appended(facts, cause);
    for (const { id, sequence, status } of raise.all({ tenant, wanted, full_reason, ...of })) {
      const what = status === 'disabled' ? (['stream-updated', full_content] as const) : [kind, content];
      insert.run(tenant, String(id), Number(sequence), ...what, at);
    }
  };
}
