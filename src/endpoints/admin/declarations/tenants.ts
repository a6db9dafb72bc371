import type {
  ApplicableTenant,
  DeclaredTenant,
  PreparedTenants,
  TenantDeclarations,
  TenantStepConflict,
} from '../../../ports/declared-tenants.ts';
import type { StoredTenant } from '../../../ports/tenant-store.ts';
import { ADMIN_SCOPES, type AdminScope, permitsAdmin } from '../../../spec/admin-scopes.ts';
import { Problem } from '../../../spec/problems.ts';
import { insufficientScope } from '../../../tokens/bearer-token.ts';
import type { AdminCaller } from '../authenticate.ts';
import { acting, type Item, listing } from '../operation.ts';
import { invalidParameters } from '../parameters.ts';
import { type AdminTenantNeeds, conflict, rendered } from '../tenants/tenant-item.ts';
import { ownedTenantList, tenantDeclarationApply, tenantDeclarationPlan } from './contract.ts';

export interface AdminTenantDeclarationNeeds extends AdminTenantNeeds {
  readonly declarations: TenantDeclarations;
}

type Needs = AdminTenantDeclarationNeeds;

export const adminTenantDeclarations = [
  listing<Needs>(ownedTenantList, async ({ declarations }, { query: { owner }, page }) => {
    if (owner === undefined) throw invalidParameters([{ pointer: 'owner', detail: 'is required' }]);
    const after = String(page.after?.[0] ?? '');
    const found = (await declarations.ownedBy(owner)).filter(({ id }) => id > after);
    const shown = found.slice(0, page.limit);
    return {
      items: shown.map(({ id, version, disabled_at }) => ({ id, version, disabled: disabled_at !== null })),
      next: found.length > shown.length ? shown.slice(-1).map(({ id }) => id) : undefined,
    };
  }),
  acting<Needs>(tenantDeclarationPlan, async ({ declarations }, { body }) => {
    const { owner, tenants, adopt, adopt_unowned } = body as unknown as PlanBody;
    const adopted = new Set(adopt);
    const plan = await declarations.plan(tenants, {
      owner,
      adopts: (id, other) => adopted.has(id) || (adopt_unowned === true && other === null),
    });
    const item = { ...plan };
    return { before: item, after: item, commit: async () => await Promise.resolve({ item }) };
  }),
  acting<Needs>(tenantDeclarationApply, async ({ declarations, directory }, call) => {
    const { owner, steps } = call.body as unknown as ApplyBody;
    requireLoneDeletion(steps);
    const prepared = await declarations.prepare(steps.map(stepOf), {
      owner,
      event: (members) => call.event(members),
    });
    requireScope(call.caller, prepared, new Set(steps.map(({ id }) => id)).size);
    refuseProblems(prepared);
    refuseConflicts(prepared.conflicts);
    const tenants = (at: 'before' | 'after'): Item =>
      Object.fromEntries(prepared.states.map((state) => [state.id, shown(directory, state[at])]));
    const result = { applied: steps.length, tenants: tenants('after') };
    return {
      before: { applied: 0, tenants: tenants('before') },
      after: result,
      commit: async () => {
        refuseConflicts(await declarations.store(prepared));
        for (const { tenant } of prepared.deletions) await directory.removeSome(tenant.id, call.by);
        return { item: result };
      },
    };
  }),
];

/** The schemas of the bodies have been checked. */
interface PlanBody {
  readonly owner: string;
  readonly tenants: readonly DeclaredTenant[];
  readonly adopt?: readonly string[];
  readonly adopt_unowned?: boolean;
}

interface ApplyBody {
  readonly owner: string;
  readonly steps: readonly (ApplicableTenant['step'] & Partial<Omit<DeclaredTenant, 'id'>>)[];
}

function stepOf(members: ApplyBody['steps'][number], index: number): ApplicableTenant {
  const { id, action, seen, adopted_from, issuer, aliases = [], settings = {}, disabled } = members;
  const step = { action, id, seen, ...(adopted_from === undefined ? {} : { adopted_from }) };
  if (action === 'delete') return { step };
  if (issuer !== undefined) return { step, declared: { id, issuer, aliases, settings, disabled } };
  const pointer = `/steps/${index}/issuer`;
  const detail = 'is required, unless the action is delete';
  throw new Problem('invalid_body', `${pointer} ${detail}`, { errors: [{ pointer, detail }] });
}

/** A deletion is no part of a transaction: its rows go in batches. */
function requireLoneDeletion(steps: ApplyBody['steps']): void {
  const index = steps.findIndex(({ action }) => action === 'delete');
  if (index === -1 || steps.length === 1) return;
  const pointer = `/steps/${index}/action`;
  const detail = 'must not be delete beside other steps: a deletion is a request of its own';
  throw new Problem('invalid_body', `${pointer} ${detail}`, { errors: [{ pointer, detail }] });
}

/** Settings with tokens and keys of a tenant, and the scope without which they would open more to the caller than it has. */
const OPENING: Readonly<Record<string, readonly AdminScope[]>> = {
  'admin.token-sha256': ADMIN_SCOPES,
  'direct-authorization.token-sha256': ['admin:tokens', 'admin:sessions', 'admin:all-tenants'],
  'keys.jwk-set': ['admin:keys', 'admin:all-tenants'],
  'registration.master-token-sha256': ['admin:clients:write', 'admin:all-tenants'],
  'sign-in.token-sha256': ['admin:accounts', 'admin:sessions', 'admin:all-tenants'],
};

/** @throws OAuthError insufficient_scope for steps that need more than `admin:tenants` */
function requireScope(caller: AdminCaller, { states }: PreparedTenants, tenants: number): void {
  const changed = states.flatMap(({ changed: names }) => names);
  const needed: readonly AdminScope[] = [
    ...(tenants > 1 ? (['admin:all-tenants'] as const) : []),
    ...(changed.some((name) => name.startsWith('federation.')) ? (['admin:federation'] as const) : []),
    ...changed.flatMap((name) => (Object.hasOwn(OPENING, name) ? (OPENING[name] ?? []) : [])),
  ];
  const missing = [...new Set(needed)].filter((scope) => !permitsAdmin(caller.scope, scope));
  if (missing.length > 0) throw insufficientScope(missing, caller.client_id ?? undefined);
}

function refuseProblems({ problems }: PreparedTenants): void {
  if (problems.length === 0) return;
  const errors = problems.map(({ id, words }) => ({ pointer: id, detail: words }));
  const words = errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join('; ');
  throw new Problem('invalid_body', words, { errors });
}

const REASONS: Readonly<Record<TenantStepConflict['reason'], string>> = {
  taken: 'is there already',
  absent: 'was deleted meanwhile',
  changed_meanwhile: 'was changed meanwhile',
  other_owner: 'has another owner now',
  name_taken: 'has an issuer or an alias of another tenant',
  in_service: 'is in service: disable it before its deletion',
  id_deleted: 'has the id of a tenant that was deleted, which is never used again',
};

function refuseConflicts(conflicts: readonly TenantStepConflict[]): void {
  if (conflicts.length === 0) return;
  const errors = conflicts.map(({ id, reason }) => ({ pointer: id, detail: REASONS[reason] }));
  const words = errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
  throw conflict(`nothing was applied: ${words}`, errors);
}

const shown = (directory: Needs['directory'], tenant: StoredTenant | undefined): Item | null =>
  tenant === undefined ? null : rendered(directory, { ...tenant, cleared_at: null });
