import type {
  ApplicableTenant,
  PreparedTenants,
  TenantApplyOptions,
  TenantStepConflict,
} from '../../ports/declared-tenants.ts';
import type { StoredTenant, TenantChange, TenantConflict } from '../../ports/tenant-store.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { takeNames } from '../tenant-directory.ts';
import {
  changedMembers,
  type DeclaredNeeds,
  examine,
  namesOfOthers,
  type PresentTenants,
  presentTenants,
} from './declared-tenant.ts';

/** Does everything up to the write. */
export async function prepareTenants(
  needs: DeclaredNeeds,
  steps: readonly ApplicableTenant[],
  options: TenantApplyOptions,
): Promise<PreparedTenants> {
  const present = await presentTenants(needs);
  const prepared: { readonly [Part in keyof PreparedTenants]: PreparedTenants[Part][number][] } = {
    changes: [],
    deletions: [],
    states: [],
    conflicts: [],
    problems: [],
  };
  const taken = namesOfOthers(
    needs,
    present,
    steps.map(({ step }) => step.id),
  );
  for (const { step, declared } of steps) {
    const { id } = step;
    const before = present.byId.get(id);
    const reason = conflictOf(step, before, present, options.owner);
    if (reason !== undefined) prepared.conflicts.push({ id, reason });
    else if (step.action === 'delete' && before !== undefined) {
      const detail = `${id} ${before.issuer} audit dropped, declared by ${options.owner}`;
      prepared.deletions.push({ tenant: before, event: options.event({ action: 'tenant.delete', detail }) });
      prepared.states.push({ id, before, after: undefined, changed: [] });
    } else if (declared !== undefined) {
      const examined = examine(needs, declared, before, options.owner);
      const mistakes =
        'mistakes' in examined ? examined.mistakes : [takeNames(examined.wanted, taken) ?? []].flat();
      prepared.problems.push(...mistakes.map((words) => ({ id, words })));
      if (mistakes.length > 0 || 'mistakes' in examined) continue;
      const { wanted } = examined;
      const changed = changedMembers(before, wanted);
      prepared.changes.push(changeOf({ before, wanted, changed }, step, options));
      prepared.states.push({ id, before, after: wanted, changed });
    }
  }
  return prepared;
}

function conflictOf(
  { action, id, seen, adopted_from }: ApplicableTenant['step'],
  present: StoredTenant | undefined,
  { deleted }: PresentTenants,
  owner: string,
): TenantStepConflict['reason'] | undefined {
  if (seen === null) {
    if (deleted.has(id)) return 'id_deleted';
    return present === undefined && action === 'create' ? undefined : 'taken';
  }
  if (present === undefined) return 'absent';
  if (present.version !== seen) return 'changed_meanwhile';
  const expected = adopted_from === undefined ? owner : adopted_from;
  if (present.owner !== expected) return 'other_owner';
  return action === 'delete' && present.disabled_at === null ? 'in_service' : undefined;
}

interface Changing {
  readonly before: StoredTenant | undefined;
  readonly wanted: StoredTenant;
  readonly changed: readonly string[];
}

function changeOf(
  { before, wanted, changed }: Changing,
  { adopted_from }: ApplicableTenant['step'],
  { owner, event }: TenantApplyOptions,
): TenantChange {
  const by = `${adopted_from === undefined ? 'declared' : 'adopted'} by ${owner}`;
  if (before === undefined)
    return {
      kind: 'create',
      tenant: wanted,
      event: event({ action: 'tenant.create', detail: `${wanted.issuer} ${by}` }),
    };
  return {
    kind: 'replace',
    id: wanted.id,
    expectedVersion: before.version,
    content: wanted,
    event: event({ action: 'tenant.update', detail: [...changed, by].join(' ') }),
  };
}

/** Writes prepared steps. Returns why nothing was written. */
export async function storeTenants(
  { tenants, clock }: DeclaredNeeds,
  { changes, deletions, conflicts }: PreparedTenants,
): Promise<readonly TenantStepConflict[]> {
  if (conflicts.length > 0) return conflicts;
  const refused = await tenants.changeTogether(changes);
  if (refused.length > 0) return refused.map(({ index, reason }) => inSteps(changes[index], reason));
  const lost: TenantStepConflict[] = [];
  for (const { tenant, event } of deletions)
    if ((await tenants.beginDeletion(tenant.id, tenant.version, clock.now(), event)) === 'conflict')
      lost.push({ id: tenant.id, reason: 'changed_meanwhile' });
  return lost;
}

const REASONS = {
  id_taken: 'taken',
  id_deleted: 'id_deleted',
  issuer_taken: 'name_taken',
  conflict: 'changed_meanwhile',
} as const;

const inSteps = (change: TenantChange | undefined, reason: TenantConflict['reason']): TenantStepConflict => ({
  id: (change?.kind === 'create' ? change.tenant.id : change?.id) ?? ('' as TenantId),
  reason: REASONS[reason],
});
