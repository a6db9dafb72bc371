import type { Clock } from '../../../ports/clock.ts';
import type { TenantDirectory } from '../../../ports/tenant-directory.ts';
import type { StoredTenant, TenantRecord, TenantState } from '../../../ports/tenant-store.ts';
import type { TenantId } from '../../../spec/identifiers.ts';
import { type Mistaken, notFound, Problem } from '../../../spec/problems.ts';
import { timeOrNever, timeText } from '../../../spec/time-text.ts';
import type { AdminCall, Item } from '../operation.ts';

export interface AdminTenantNeeds {
  readonly clock: Clock;
  readonly directory: TenantDirectory;
}

/** Returns a tenant as readers see it. */
export function rendered(directory: TenantDirectory, tenant: TenantRecord): Item {
  const state = stateOf(tenant);
  const { id, issuer, aliases, owner, created_at, disabled_at, deleted_at, cleared_at } = tenant;
  return {
    id,
    issuer: state === 'deleted' ? null : issuer,
    aliases,
    settings: directory.shownSettings(tenant),
    owner,
    state,
    created_at: timeText(created_at),
    disabled_at: timeOrNever(disabled_at),
    deleted_at: timeOrNever(deleted_at),
    cleared_at: timeOrNever(cleared_at),
  };
}

export function stateOf({ disabled_at, deleted_at, cleared_at }: TenantRecord): TenantState {
  if (cleared_at !== null) return 'deleted';
  if (deleted_at !== null) return 'deleting';
  return disabled_at === null ? 'active' : 'disabled';
}

/** Returns the tenant of a request, also a deleted one. @throws Problem not_found */
export async function stored(directory: TenantDirectory, { segments }: AdminCall): Promise<TenantRecord> {
  const tenant = await directory.store.find((segments['id'] ?? '') as TenantId);
  if (tenant === undefined) throw notFound('tenant');
  return tenant;
}

/** Returns the tenant that a request changes. @throws Problem conflict if its deletion has begun */
export async function storedTenant(directory: TenantDirectory, call: AdminCall): Promise<TenantRecord> {
  const tenant = await stored(directory, call);
  const state = stateOf(tenant);
  if (state === 'deleting') throw conflict('the tenant is being deleted');
  if (state === 'deleted') throw conflict('the tenant is deleted');
  return tenant;
}

/** Returns the tenant as it will be stored. @throws Problem with every mistake */
export async function checkedTenant(directory: TenantDirectory, tenant: StoredTenant): Promise<StoredTenant> {
  const checked = await directory.checked(tenant);
  if (!('mistakes' in checked)) return checked;
  const { kind, mistakes } = checked;
  if (kind === 'taken') throw conflict(mistakes.map(({ detail }) => detail).join('; '));
  throw new Problem(
    'invalid_body',
    mistakes.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; '),
    {
      errors: mistakes,
    },
  );
}

export const conflict = (detail: string, errors?: readonly Mistaken[]): Problem =>
  new Problem('conflict', detail, errors === undefined ? {} : { errors });

export const lostRace = (): Problem =>
  new Problem('precondition_failed', 'the tenant has changed meanwhile: read it again');
