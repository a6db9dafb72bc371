import type { ClientId, ClientInstance, TenantId } from '../../spec/identifiers.ts';
import type { Transaction } from './act.ts';
import { journal } from './journal-rows.ts';
import { statement } from './statement.ts';

const REMOVE = statement(
  'client_remove',
  'DELETE FROM client WHERE tenant = :tenant AND client_id = :client_id',
);
const UNCOUNT = statement(
  'client_uncount',
  'UPDATE open_client_count SET clients = clients - 1 WHERE tenant = :tenant',
);
const FORGET_USES = statement(
  'client_forget_uses',
  'DELETE FROM client_use WHERE tenant = :tenant AND client_id = :client_id AND instance = :instance',
);
const FORGET_CONSENTS = statement(
  'client_forget_consents',
  'DELETE FROM consent WHERE tenant = :tenant AND client_id = :client_id AND instance = :instance',
);
const LEAVE_ORPHANS = statement(
  'client_leave_orphans',
  `INSERT INTO client_with_orphans (tenant, client_id, instance)
   SELECT DISTINCT tenant, client_id, client_instance FROM authorization_grant
   WHERE tenant = :tenant AND client_id = :client_id AND client_instance = :instance
   ON CONFLICT DO NOTHING`,
);
const BURY = statement(
  'client_bury',
  `INSERT INTO deleted_client (tenant, client_id, instance, deleted_at)
   VALUES (:tenant, :client_id, :instance, :deleted_at)`,
);
export interface EndingClient {
  readonly client_id: ClientId;
  readonly instance: ClientInstance;
  readonly registered_via: unknown;
}

/** Ends a client that is there, and everything that is its own; the caller records why. */
export async function endClient(
  transaction: Transaction,
  tenant: TenantId,
  { client_id, instance, registered_via }: EndingClient,
  at: number,
): Promise<void> {
  const place = { tenant, client_id, instance };
  if (registered_via === 'open') await transaction.ask(UNCOUNT, place);
  for (const step of [REMOVE, FORGET_USES, LEAVE_ORPHANS, FORGET_CONSENTS])
    await transaction.ask(step, place);
  await transaction.ask(BURY, { ...place, deleted_at: at });
  await journal(transaction, tenant, { kind: 'client-ended', client_id, instance });
}
