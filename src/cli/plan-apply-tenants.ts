import type { ApplicableTenant } from '../ports/declared-tenants.ts';
import { CommandFailure } from './failure.ts';
import type { ApplyNeeds, Tally } from './plan-apply.ts';
import { batched } from './plan-batches.ts';
import type { TenantStep } from './plan-make.ts';
import { resolved } from './plan-tenant-group.ts';

/** Tenants of one transaction: other changes of tenants wait for it. A deletion stands alone. */
const TENANTS_MAX = { change: 100, delete: 1 } as const;

/** Applies the steps of each owner in batches. @param kind `delete` if all are deletions, `change` if none is */
export async function applyTenantSteps(
  needs: ApplyNeeds,
  kind: 'change' | 'delete',
  steps: readonly TenantStep[],
  tally: Tally,
): Promise<void> {
  const groups = Map.groupBy(steps, ({ owner }) => owner);
  const most = { steps: TENANTS_MAX[kind], bytes: needs.backend.batch?.bytes ?? Infinity };
  const sizeOf = (step: TenantStep): number => Buffer.byteLength(JSON.stringify(step));
  for (const batch of [...groups.values()].flatMap((group) => [...batched(group, sizeOf, most)])) {
    const owner = batch[0]?.owner ?? '';
    const applicable = batch.map((step) => applicableOf(needs, step));
    const open = await unsettled(needs, owner, applicable);
    tally.settled += applicable.length - open.length;
    const conflicts = open.length === 0 ? [] : await needs.backend.tenants.apply(owner, open);
    if (conflicts.length > 0)
      return void tally.conflicts.push(...conflicts.map(({ id, reason }) => ({ tenant: id, owner, reason })));
    tally.applied += open.length;
    tally.progress(tally.applied);
  }
}

function applicableOf(needs: ApplyNeeds, { declared, ...step }: TenantStep): ApplicableTenant {
  if (declared === undefined) return { step };
  const given = resolved(needs, declared, (id, words) => {
    throw new CommandFailure(`tenant ${id}: ${words}`);
  });
  return { step, ...(given === undefined ? {} : { declared: given }) };
}

/** Returns the steps that the tenants still need: a plan may be applied again after an interruption. */
async function unsettled(
  { backend }: ApplyNeeds,
  owner: string,
  steps: readonly ApplicableTenant[],
): Promise<readonly ApplicableTenant[]> {
  const declared = steps.flatMap((one) => one.declared ?? []);
  const adopted = steps.flatMap(({ step }) => (step.adopted_from === undefined ? [] : [step.id]));
  const { steps: fresh, problems } = await backend.tenants.plan(owner, declared, {
    adopt: new Set(),
    adoptTenants: new Set<string>(adopted),
    adoptUnowned: false,
    replace: new Set(),
  });
  const needed = new Set<string>([...fresh, ...problems].map(({ id }) => id));
  const hasRemovals = steps.some(({ step }) => step.action === 'delete');
  const owned = new Set<string>(
    hasRemovals ? (await backend.tenants.ownedBy(owner)).map(({ id }) => id) : [],
  );
  return steps.filter(({ step: { action, id } }) => (action === 'delete' ? owned.has(id) : needed.has(id)));
}
