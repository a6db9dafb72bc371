import type { Storage } from '../../ports/storage.ts';
import type { TenantId } from '../../spec/identifiers.ts';

/** A tenant as a test names it. `settings` has the paths and values of its own settings. */
export interface NewTenant {
  readonly id: string;
  readonly issuer: string;
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** Creates a tenant as `chancery tenants create` does, with its audit event. One with the identifier that is there stays. */
export async function addTenant(
  { tenants }: Pick<Storage, 'tenants'>,
  { id, issuer, settings = {} }: NewTenant,
): Promise<void> {
  await tenants.create(
    {
      id: id as TenantId,
      version: 1,
      issuer,
      aliases: [],
      settings: JSON.stringify(settings),
      owner: null,
      created_at: 0,
      disabled_at: null,
      deleted_at: null,
    },
    {
      at: 0,
      action: 'tenant.create',
      outcome: 'done',
      actor: 'cli',
      client_id: null,
      request_id: 'test',
      detail: null,
    },
  );
}
