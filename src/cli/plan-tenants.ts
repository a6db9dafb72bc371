import type {
  ApplicableTenant,
  DeclaredTenant,
  TenantDeclarations,
  TenantPlan,
  TenantStepConflict,
} from '../ports/declared-tenants.ts';
import type { TenantId } from '../spec/identifiers.ts';
import { systemClock } from '../system/clock.ts';
import { tenantDeclarations } from '../tenant/declared/declarations.ts';
import { removeTenantRows } from '../tenant/tenant-deletion.ts';
import { CommandFailure } from './failure.ts';
import type { OwnedTenant, TakingOver, TenantBackend } from './plan-backend.ts';
import type { StorageSession } from './registry-session.ts';
import { ACTOR } from './session.ts';
import { rulesOf } from './tenant-rules.ts';

/** The tenants of the database of this machine. */
export class DatabaseTenants implements TenantBackend {
  readonly #session: StorageSession;
  readonly #request_id: string;
  #declarations: Promise<TenantDeclarations> | undefined;

  constructor(session: StorageSession, request_id: string) {
    this.#session = session;
    this.#request_id = request_id;
  }

  async plan(
    owner: string,
    declared: readonly DeclaredTenant[],
    { adoptTenants, adoptUnowned }: TakingOver,
  ): Promise<TenantPlan> {
    const adopts = (id: string, other: string | null): boolean =>
      adoptTenants.has(id) || (adoptUnowned && other === null);
    return await (await this.#opened()).plan(declared, { owner, adopts });
  }

  async ownedBy(owner: string): Promise<readonly OwnedTenant[]> {
    const found = await (await this.#opened()).ownedBy(owner);
    return found.map(({ id, version, disabled_at }) => ({ id, version, disabled: disabled_at !== null }));
  }

  async apply(owner: string, steps: readonly ApplicableTenant[]): Promise<readonly TenantStepConflict[]> {
    const declarations = await this.#opened();
    const by = { actor: ACTOR, request_id: this.#request_id };
    const prepared = await declarations.prepare(steps, {
      owner,
      event: (members) => ({ at: systemClock.now(), outcome: 'done', client_id: null, ...members, ...by }),
    });
    const [problem] = prepared.problems;
    if (problem !== undefined) throw new CommandFailure(`tenant ${problem.id}: ${problem.words}`);
    const conflicts = await declarations.store(prepared);
    if (conflicts.length > 0) return conflicts;
    for (const { tenant } of prepared.deletions) await this.#remove(tenant.id, by);
    return [];
  }

  async #remove(id: TenantId, by: { readonly actor: string; readonly request_id: string }): Promise<void> {
    const { settings, storage } = this.#session;
    const needs = { tenants: storage.tenants, clock: systemClock, batch: settings['storage.sweep-batch'] };
    await removeTenantRows(needs, id, { ...by, goOn: () => true });
  }

  async #opened(): Promise<TenantDeclarations> {
    this.#declarations ??= this.#open();
    return await this.#declarations;
  }

  async #open(): Promise<TenantDeclarations> {
    const rules = await rulesOf(this.#session);
    return tenantDeclarations({ ...rules, tenants: this.#session.storage.tenants, clock: systemClock });
  }
}
