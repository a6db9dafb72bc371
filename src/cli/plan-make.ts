import type { DeclaredClient } from '../clients/declared/declared-client.ts';
import type { ClientPlan, PlannedClient } from '../clients/declared/plan-clients.ts';
import type { Environment } from '../config/environment.ts';
import type { DeclaredTenant, PlannedTenant } from '../ports/declared-tenants.ts';
import type { ClientId } from '../spec/identifiers.ts';
import type { ClientDeclaration, ClientGroup, Declarations } from './declarations.ts';
import type { GroupName, PlanBackend, TakingOver } from './plan-backend.ts';
import { type PlannedTenants, planTenantGroup } from './plan-tenant-group.ts';
import { secretOf } from './secret-reference.ts';
import type { SecretReference, TenantDeclaration } from './tenant-declarations.ts';

/** A step for a client, with everything that an apply needs. It holds no secret. */
export interface Step extends PlannedClient, GroupName {
  /** The declared metadata; absent for a deletion. */
  readonly metadata?: string;
  readonly client_secret?: SecretReference;
}

/** A step for a tenant, with everything that an apply needs. It holds no secret. */
export interface TenantStep extends PlannedTenant {
  readonly owner: string;
  /** Absent for a deletion. */
  readonly declared?: TenantDeclaration;
}

export interface Plan {
  readonly issuer: string;
  /** In the order of owner and id. */
  readonly tenants: readonly TenantStep[];
  /** In the order of tenant, owner and client_id. */
  readonly steps: readonly Step[];
  /** Declared clients and tenants that are as they should be. */
  readonly unchanged: number;
}

export interface PlanNeeds {
  readonly backend: PlanBackend;
  readonly environment: Environment;
  /** Whether secret files that all users of the machine can read are accepted. */
  readonly worldReadable: boolean;
  /** Receives each mistake. A plan with mistakes must not be used. */
  readonly report: (line: string) => void;
  /** Receives each member that the server does not take. */
  readonly warn: (line: string) => void;
}

export interface PlanWishes {
  readonly taking: TakingOver;
  readonly prune: boolean;
}

/** Compares declarations with a registry. */
export async function makePlan(
  needs: PlanNeeds,
  { tenants, groups }: Declarations,
  wishes: PlanWishes,
): Promise<Plan> {
  const planned: PlannedTenants[] = [];
  for (const group of tenants) planned.push(await planTenantGroup(needs, group, wishes));
  const world: TenantsOfPlan = {
    fresh: new Map(planned.flatMap(({ fresh }) => [...fresh])),
    wrong: new Set(planned.flatMap(({ wrong }) => wrong)),
    gone: new Set(
      planned.flatMap(({ steps }) => steps.flatMap(({ action, id }) => (action === 'delete' ? [id] : []))),
    ),
  };
  const steps: Step[] = [];
  let unchanged = planned.reduce((sum, one) => sum + one.unchanged, 0);
  for (const group of groups) {
    const made = await planGroup(needs, group, wishes, world);
    steps.push(...made);
    unchanged += group.clients.length - made.filter(({ action }) => action !== 'delete').length;
  }
  return { issuer: needs.backend.issuer, tenants: planned.flatMap((one) => one.steps), steps, unchanged };
}

/** The tenants that the same plan is about. */
interface TenantsOfPlan {
  /** Those that it creates. */
  readonly fresh: ReadonlyMap<string, DeclaredTenant>;
  /** Those whose declaration has a mistake. */
  readonly wrong: ReadonlySet<string>;
  /** Those that it deletes. */
  readonly gone: ReadonlySet<string>;
}

async function planGroup(
  needs: PlanNeeds,
  { tenant, owner, clients }: ClientGroup,
  { taking, prune }: PlanWishes,
  { fresh, wrong, gone }: TenantsOfPlan,
): Promise<readonly Step[]> {
  const { backend } = needs;
  const group = { tenant, owner };
  // Its mistakes are reported, and without it nothing can be said of its clients.
  if (wrong.has(tenant)) return [];
  if (gone.has(tenant)) {
    needs.report(
      `${clients[0]?.place ?? tenant}: the files declare clients of ${tenant}, which the plan deletes`,
    );
    return [];
  }
  const known = new Map(clients.map((client) => [client.client_id, client]));
  const declared = clients.flatMap((client) => declaredClient(needs, client) ?? []);
  const newTenant = fresh.get(tenant);
  const { steps, problems, dropped }: ClientPlan =
    newTenant === undefined
      ? await backend.plan(group, declared, taking)
      : await backend.planOfNew(group, declared, newTenant);
  const about = (client_id: string, words: string): string =>
    `${known.get(client_id)?.place ?? tenant}: client ${JSON.stringify(client_id)}: ${words}`;
  for (const { client_id, words } of problems) needs.report(about(client_id, inWords(words)));
  for (const { client_id, words } of dropped) needs.warn(about(client_id, `dropped: ${words}`));
  const prunes = prune && newTenant === undefined;
  const deletions = prunes ? await backend.prune(group, (client_id) => known.has(client_id)) : [];
  const withDeclaration = steps.map((step): Step => {
    const declaration = known.get(step.client_id);
    if (declaration === undefined) throw new Error(`a step for ${step.client_id}, which is not declared`);
    const { metadata, secret } = declaration;
    return { ...group, ...step, metadata, ...(secret === undefined ? {} : { client_secret: secret }) };
  });
  const removals = deletions.map((step): Step => ({ ...group, ...step }));
  return [...withDeclaration, ...removals].toSorted((a, b) => (a.client_id < b.client_id ? -1 : 1));
}

/** Files call the secret of a client by its name in answers. */
const inWords = (words: string): string =>
  words.replaceAll('preferred_client_secret', 'client_secret').replaceAll('preferred_client_id', 'client_id');

function declaredClient(needs: PlanNeeds, declaration: ClientDeclaration): DeclaredClient | undefined {
  const { client_id, metadata, secret, place } = declaration;
  const declared = { client_id: client_id as ClientId, metadata };
  if (secret === undefined) return declared;
  const read = secretOf(secret, needs.environment, needs.worldReadable);
  if ('value' in read) return { ...declared, client_secret: read.value };
  needs.report(`${place}: client ${JSON.stringify(client_id)}: client_secret ${read.problem}`);
  return undefined;
}
