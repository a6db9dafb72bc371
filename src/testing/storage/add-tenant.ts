import type { Storage } from '../../ports/storage.ts';
import type { TenantId } from '../../spec/identifiers.ts';

/** A tenant as a test names it. `settings` has the paths and values of its own settings. */
export interface NewTenant {
  readonly id: string;
  readonly issuer: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** When it was created. A sweep that runs now removes the audit event of a tenant from long ago. */
  readonly at?: number;
}

/** Creates a tenant as `chancery tenants create` does, with its audit event. One with the identifier that is there stays. */
export async function addTenant(
  { tenants }: Pick<Storage, 'tenants'>,
  { id, issuer, settings = {}, at = 0 }: NewTenant,
): Promise<void> {
  await tenants.create(
    {
      id: id as TenantId,
      version: 1,
      issuer,
      aliases: [],
      settings: JSON.stringify(settings),
      owner: null,
      created_at: at,
      disabled_at: null,
      deleted_at: null,
    },
    {
      at,
      action: 'tenant.create',
      outcome: 'done',
      actor: 'cli',
      client_id: null,
      request_id: 'test',
      detail: null,
    },
  );
}
