import type { ClientChange, ClientConflict, ClientStore, StoredClient } from '../../ports/client-store.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { clientsOf, conflictsOf } from '../client-conflicts.ts';
import type { OfTenant, ResultOf, ValuesOf } from '../verbs.ts';
import { GO_INTERACTIVE, type PostgresWrite, type Transaction } from './noun.ts';
import { Refused, statement } from './statement.ts';

const VERSIONS = statement(
  'client_versions',
  'SELECT client_id, instance, version FROM client WHERE tenant = :tenant AND client_id = ANY(:client_ids::text[])',
);

type Verbs = OfTenant<ClientStore>;
type Single = { readonly [Verb in 'create' | 'replace' | 'delete']: PostgresWrite<Verbs[Verb]> };

/** Changes clients together, in a transaction that holds the lock of the tenant. It finds every conflict before it writes anything. */
export async function changeTogether(
  transaction: Transaction,
  tenant: TenantId,
  changes: readonly ClientChange[],
  single: Single,
): Promise<readonly ClientConflict[]> {
  const { rows } = await transaction.query(VERSIONS, { tenant, client_ids: clientsOf(changes) });
  const stored = rows as unknown as readonly Pick<StoredClient, 'client_id' | 'instance' | 'version'>[];
  const conflicts = conflictsOf(changes, new Map(stored.map((row) => [row.client_id, row])));
  if (conflicts.length > 0) return conflicts;
  for (const change of changes) {
    const outcome = await execute(single, transaction, tenant, change);
    // The transaction is rolled back.
    if (outcome !== 'created' && outcome !== 'done')
      throw new Refused(`a batch of clients was refused: ${outcome}`);
  }
  return [];
}

async function execute(
  { create, replace, delete: remove }: Single,
  transaction: Transaction,
  tenant: TenantId,
  change: ClientChange,
): Promise<string> {
  const { event } = change;
  if (change.kind === 'create') {
    const conditions = { reuseDeletedId: true, now: event.at, event };
    return await alone(create, transaction, tenant, change.client, conditions);
  }
  if (change.kind === 'replace')
    return await alone(
      replace,
      transaction,
      tenant,
      change.client,
      change.expectedVersion,
      event,
      change.versionsMax,
    );
  return await alone(remove, transaction, tenant, change.client, event, change.isKept);
}

/** Executes one write inside this transaction, in either form. */
async function alone<Verb>(
  { interactive, pipelined }: PostgresWrite<Verb>,
  transaction: Transaction,
  ...values: ValuesOf<Verb>
): Promise<ResultOf<Verb> | 'absent'> {
  const first = await pipelined?.(transaction, ...values);
  const outcome =
    first === undefined || first === GO_INTERACTIVE ? await interactive?.(transaction, ...values) : first;
  return typeof outcome === 'symbol' || outcome === undefined ? 'absent' : outcome;
}
