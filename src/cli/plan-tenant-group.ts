import type { DeclaredTenant } from '../ports/declared-tenants.ts';
import type { OwnedTenant } from './plan-backend.ts';
import type { PlanNeeds, PlanWishes, TenantStep } from './plan-make.ts';
import { secretOf } from './secret-reference.ts';
import {
  type PlacedTenant,
  type TenantDeclaration,
  type TenantGroup,
  withSecrets,
} from './tenant-declarations.ts';

/** The plan for the tenants of one owner. */
export interface PlannedTenants {
  /** In the order of their ids. */
  readonly steps: readonly TenantStep[];
  readonly unchanged: number;
  /** Those that the plan creates, by id. */
  readonly fresh: ReadonlyMap<string, DeclaredTenant>;
  /** The ids of those whose declaration has a mistake. */
  readonly wrong: readonly string[];
}

/** Compares the tenants that an owner declares with those that are there. */
export async function planTenantGroup(
  needs: PlanNeeds,
  { owner, tenants }: TenantGroup,
  { taking, prune }: PlanWishes,
): Promise<PlannedTenants> {
  const known = new Map(tenants.map((tenant) => [tenant.id, tenant]));
  const wrong: string[] = [];
  const refuse = (id: string, words: string): void => {
    wrong.push(id);
    needs.report(`${known.get(id)?.place ?? 'tenants'}: tenant ${JSON.stringify(id)}: ${words}`);
  };
  const declared = tenants.flatMap((tenant) => resolved(needs, tenant, refuse) ?? []);
  const { steps, problems } = await needs.backend.tenants.plan(owner, declared, taking);
  for (const { id, words } of problems) refuse(id, words);
  const made = steps.map((step): TenantStep => {
    const declaration = known.get(step.id);
    if (declaration === undefined) throw new Error(`a step for ${step.id}, which is not declared`);
    return { owner, ...step, declared: declarationOf(declaration) };
  });
  const owned = prune ? await needs.backend.tenants.ownedBy(owner) : [];
  const removals = owned.filter(({ id }) => !known.has(id)).map((one) => deletionOf(owner, one, refuse));
  const created = new Set<string>(steps.flatMap(({ action, id }) => (action === 'create' ? [id] : [])));
  return {
    steps: [...made, ...removals].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    unchanged: tenants.length - made.length,
    fresh: new Map(declared.filter(({ id }) => created.has(id)).map((one) => [one.id, one])),
    wrong,
  };
}

/** Returns a declaration without the place that it has in a file. */
function declarationOf({
  id,
  issuer,
  aliases,
  disabled,
  settings,
  secrets,
}: PlacedTenant): TenantDeclaration {
  return { id, issuer, aliases, ...(disabled === undefined ? {} : { disabled }), settings, secrets };
}

/** Returns a declaration with its secrets. @param refuse receives what is wrong with a reference */
export function resolved(
  needs: Pick<PlanNeeds, 'environment' | 'worldReadable'>,
  declaration: TenantDeclaration,
  refuse: (id: string, words: string) => void,
): DeclaredTenant | undefined {
  const found = withSecrets(declaration, (reference) =>
    secretOf(reference, needs.environment, needs.worldReadable),
  );
  if ('issuer' in found) return found;
  for (const words of found) refuse(declaration.id, words);
  return undefined;
}

function deletionOf(
  owner: string,
  { id, version, disabled }: OwnedTenant,
  refuse: (id: string, words: string) => void,
): TenantStep {
  if (!disabled)
    refuse(
      id,
      `belongs to ${owner}, no file declares it, and it is in service: declare it with \`disabled: true\` and apply that first`,
    );
  return { owner, action: 'delete', id, seen: version, changes: [], secrets: {} };
}
