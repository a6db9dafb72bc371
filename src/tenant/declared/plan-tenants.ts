import type {
  DeclaredTenant,
  PlannedTenant,
  TenantPlan,
  TenantPlanOptions,
  TenantProblem,
} from '../../ports/declared-tenants.ts';
import type { StoredTenant } from '../../ports/tenant-store.ts';
import { takeNames } from '../tenant-directory.ts';
import {
  changesTo,
  type DeclaredNeeds,
  examine,
  namesOfOthers,
  type PresentTenants,
  presentTenants,
  secretChanges,
} from './declared-tenant.ts';

/** Compares declared tenants with those that are there. Changes nothing. */
export async function planTenants(
  needs: DeclaredNeeds,
  declared: readonly DeclaredTenant[],
  { owner, adopts }: TenantPlanOptions,
): Promise<TenantPlan> {
  const present = await presentTenants(needs);
  const problems: TenantProblem[] = [];
  const planned: { readonly step: PlannedTenant; readonly wanted: StoredTenant }[] = [];
  for (const one of declared) {
    const { id } = one;
    const found = present.byId.get(id);
    const examined = examine(needs, one, found, owner);
    const mistakes = [
      ...('mistakes' in examined ? examined.mistakes : []),
      ...obstacles(one, found, present, { owner, adopts }),
    ];
    problems.push(...mistakes.map((words) => ({ id, words })));
    if (mistakes.length > 0 || 'mistakes' in examined) continue;
    const step = stepFor(found, examined.wanted);
    if (step !== undefined) planned.push({ step, wanted: examined.wanted });
  }
  const taken = namesOfOthers(
    needs,
    present,
    planned.map(({ step }) => step.id),
  );
  for (const { step, wanted } of planned) {
    const words = takeNames(wanted, taken);
    if (words !== undefined) problems.push({ id: step.id, words });
  }
  return { steps: planned.map(({ step }) => step), problems };
}

function obstacles(
  { id }: DeclaredTenant,
  present: StoredTenant | undefined,
  { deleted }: PresentTenants,
  { owner, adopts }: TenantPlanOptions,
): readonly string[] {
  if (present === undefined)
    return deleted.has(id) ? ['has the id of a tenant that was deleted, which is never used again'] : [];
  if (present.owner === owner || adopts(id, present.owner)) return [];
  const whose = present.owner === null ? 'no owner' : `the owner ${present.owner}`;
  return [`is there and has ${whose}: adopt it explicitly, or take it out of the file`];
}

function stepFor(present: StoredTenant | undefined, wanted: StoredTenant): PlannedTenant | undefined {
  const { id, owner } = wanted;
  const changes = changesTo(present, wanted);
  const secrets = secretChanges(present, wanted);
  if (present === undefined) return { action: 'create', id, seen: null, changes, secrets };
  const adopted = present.owner === owner ? {} : { adopted_from: present.owner };
  const isSame = changes.length === 0 && Object.keys(secrets).length === 0 && present.owner === owner;
  return isSame ? undefined : { action: 'change', id, seen: present.version, ...adopted, changes, secrets };
}
