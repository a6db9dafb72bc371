import type { TenantId } from '../../spec/identifiers.ts';
import type { Connection } from './connection.ts';
import { type Question, question, statement } from './statement.ts';

/**
 * Says for which tenant the rest of the transaction is. Row security shows rows of that one only: a statement that forgot
 * its tenant, or has the wrong one, finds nothing (the second lock; the first is that each statement names its tenant).
 */
const ENTER_TENANT = statement('enter_tenant', `SELECT set_config('chancery.tenant', :tenant, true)`);

/**
 * Takes the place of the tenant's changes until the transaction ends: of those that are counted, journalled or depend on
 * what they read, one happens at a time, in any process. What follows in the transaction sees all before it.
 */
const TAKE_TURN = statement(
  'take_turn',
  `INSERT INTO tenant_counter (tenant, journal, audit) VALUES (:tenant, 0, 0)
   ON CONFLICT (tenant) DO UPDATE SET journal = tenant_counter.journal`,
);

/** A superuser and a role with BYPASSRLS are not held by row security. */
const ROLE = statement(
  'role_beyond_row_security',
  'SELECT rolname FROM pg_roles WHERE rolname = CURRENT_USER AND (rolsuper OR rolbypassrls)',
);

/** What is to be said of the role that the connection has. */
export async function concernsOfRole(connection: Connection): Promise<readonly string[]> {
  const [outcome] = await connection.ask([question(ROLE, {})]);
  return (outcome?.rows ?? []).map(
    ({ rolname }) =>
      `the database role ${JSON.stringify(rolname)} is a superuser or has BYPASSRLS: row security, the second lock between tenants, does not hold for it`,
  );
}

export const enterTenant = (tenant: TenantId): Question => question(ENTER_TENANT, { tenant });
export const takeTurn = (tenant: TenantId): Question => question(TAKE_TURN, { tenant });
