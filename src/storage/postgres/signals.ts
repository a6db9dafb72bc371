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
import type { Transaction } from './noun.ts';
import { statement } from './statement.ts';

const appendingTo = (name: string, recipients: string): ReturnType<typeof statement> =>
  statement(
    name,
    `WITH raised AS (
       UPDATE event_stream SET ${APPENDED.replace(':full_reason', ':full_reason::text')}
       WHERE ${WANTED} AND ${recipients} RETURNING id, sequence, status)
     INSERT INTO security_event (tenant, stream_id, sequence, kind, content, at)
     SELECT :tenant::text, id, sequence,
       CASE WHEN status = 'disabled' THEN 'stream-updated' ELSE :kind::text END,
       CASE WHEN status = 'disabled' THEN :full_content::text ELSE :content::text END, :at::bigint FROM raised`,
  );
const TO_SESSION = appendingTo('signal_to_session', OF_SESSION);
const TO_SUBJECT = appendingTo('signal_to_subject', OF_SUBJECT);
const TO_CLIENT = appendingTo('signal_to_client', OF_CLIENT);

/** Appends the end of a session to the streams of its clients, inside the transaction of the act. */
export async function signalSession(
  transaction: Transaction,
  tenant: TenantId,
  { sid, sub }: { readonly sid: string; readonly sub: string },
  cause: Cause,
): Promise<void> {
  const values = appended({ kind: 'session-revoked', sub, sid }, cause);
  await transaction.query(TO_SESSION, { tenant, sid, ...values });
}

/** Appends an event to the streams of a client. */
export async function signalClient(
  transaction: Transaction,
  tenant: TenantId,
  { client_id, instance }: { readonly client_id: ClientId; readonly instance: ClientInstance },
  { facts, cause }: { readonly facts: Facts; readonly cause: Cause },
): Promise<void> {
  await transaction.query(TO_CLIENT, { tenant, client_id, instance, ...appended(facts, cause) });
}

/** Appends an event to the streams of the clients that have a session or a grant of an account, before these end. */
export async function signalAccount(
  transaction: Transaction,
  tenant: TenantId,
  { kind, sub, facts }: AccountSignal,
  cause: Cause,
): Promise<void> {
  await transaction.query(TO_SUBJECT, { tenant, sub, ...appended({ ...facts, kind, sub }, cause) });
}
