import { doneEvent } from '../clients/audit-trail.ts';
import type { ApplicableStep, StepConflict } from '../clients/declared/apply-clients.ts';
import { applyClients } from '../clients/declared/apply-clients.ts';
import type { DeclaredClient } from '../clients/declared/declared-client.ts';
import {
  type ClientPlan,
  type PlannedClient,
  type PlanOptions,
  planClients,
  planPrune,
} from '../clients/declared/plan-clients.ts';
import type { Registrant } from '../clients/registration/registration-authority.ts';
import type { RegistryNeeds } from '../clients/registry-needs.ts';
import type { Settings } from '../config/settings.ts';
import type {
  ApplicableTenant,
  DeclaredTenant,
  TenantPlan,
  TenantStepConflict,
} from '../ports/declared-tenants.ts';
import type { ProcessPlatform } from '../process/platform.ts';
import { DEFAULT_TENANT, type TenantId } from '../spec/identifiers.ts';
import { OPERATOR_PRIVILEGES } from '../spec/registration-privileges.ts';
import { systemClock } from '../system/clock.ts';
import { tenantSettings } from '../tenant/settings.ts';
import { openTenant, type Tenant } from '../tenant/tenant.ts';
import type { Surroundings } from './command.ts';
import { DatabaseTenants } from './plan-tenants.ts';
import { complaints, openCommandPlatform, type StorageSession, storedTenant } from './registry-session.ts';
import { ACTOR } from './session.ts';
import { withStandInKeys } from './stand-in-keys.ts';
import { newTenant } from './tenant-file.ts';

/** Names the clients that a part of a plan is about. */
export interface GroupName {
  readonly tenant: string;
  readonly owner: string;
}

export interface TakingOver {
  /** Clients that may be taken over from any owner. */
  readonly adopt: ReadonlySet<string>;
  /** Tenants that may be taken over from any owner. */
  readonly adoptTenants: ReadonlySet<string>;
  /** Whether clients and tenants without an owner may be taken over. */
  readonly adoptUnowned: boolean;
  /** Clients that end and are registered again. */
  readonly replace: ReadonlySet<string>;
}

/** The registry that a plan is compared with: that of a database, or that of a server. */
export interface PlanBackend {
  readonly issuer: string;
  /** The most that one transaction takes, beside `BATCH_MAX`. */
  readonly batch?: { readonly bytes: number; readonly steps: number };
  plan(group: GroupName, declared: readonly DeclaredClient[], taking: TakingOver): Promise<ClientPlan>;
  prune(group: GroupName, isDeclared: (client_id: string) => boolean): Promise<readonly PlannedClient[]>;
  /** Applies the steps together; returns why nothing was applied. */
  apply(group: GroupName, steps: readonly ApplicableStep[]): Promise<readonly StepConflict[]>;
  /** Plans clients of a tenant that is not there yet. */
  planOfNew(
    group: GroupName,
    declared: readonly DeclaredClient[],
    tenant: DeclaredTenant,
  ): Promise<ClientPlan>;
  readonly tenants: TenantBackend;
}

/** The tenants that a plan is compared with. */
export interface TenantBackend {
  plan(owner: string, declared: readonly DeclaredTenant[], taking: TakingOver): Promise<TenantPlan>;
  ownedBy(owner: string): Promise<readonly OwnedTenant[]>;
  /** Applies the steps together; returns why nothing was applied. */
  apply(owner: string, steps: readonly ApplicableTenant[]): Promise<readonly TenantStepConflict[]>;
}

/** A tenant of an owner, as a deletion needs it. */
export interface OwnedTenant {
  readonly id: TenantId;
  readonly version: number;
  readonly disabled: boolean;
}

/** The command line may give every privilege. */
const REGISTRANT: Registrant = { kind: 'master', name: ACTOR, privileges: OPERATOR_PRIVILEGES };

/** Tenants that are open at the same time. A plan goes through them one after the other. */
const OPEN_MAX = 20;

/** Plans on the database of this machine, beside the servers that may be running on it. */
export class DatabaseBackend implements PlanBackend {
  readonly issuer: string;
  readonly tenants: TenantBackend;
  readonly #session: StorageSession;
  readonly #request_id: string;
  readonly #platform: ProcessPlatform;
  /** Grows with each tenant that is opened: the command does not fetch from the servers of its tenants. */
  readonly #origins = new Set<string>();
  readonly #open = new Map<string, Tenant>();

  constructor(session: StorageSession, surroundings: Surroundings, request_id: string) {
    this.issuer = session.settings.issuer;
    this.#session = session;
    this.#request_id = request_id;
    this.#platform = withStandInKeys(openCommandPlatform(session, complaints(surroundings), this.#origins));
    this.tenants = new DatabaseTenants(session, request_id);
  }

  async plan(
    { tenant, owner }: GroupName,
    declared: readonly DeclaredClient[],
    taking: TakingOver,
  ): Promise<ClientPlan> {
    return await planClients(await this.#registry(tenant), declared, planOptions(owner, taking));
  }

  async planOfNew(
    { tenant: id, owner }: GroupName,
    declared: readonly DeclaredClient[],
    tenant: DeclaredTenant,
  ): Promise<ClientPlan> {
    const { settings, mode } = this.#session;
    const given = Object.entries(tenant.settings).filter(([, value]) => value !== null);
    const would = newTenant({ ...tenant, settings: Object.fromEntries(given) }, systemClock.now());
    const own = tenantSettings(settings, would, mode);
    const opened = await this.#opened(id, own);
    try {
      return await planClients(opened.registry, declared, planOptions(owner, NOTHING_TAKEN));
    } finally {
      await opened.close();
    }
  }

  async prune(
    { tenant, owner }: GroupName,
    isDeclared: (client_id: string) => boolean,
  ): Promise<readonly PlannedClient[]> {
    return await planPrune(await this.#registry(tenant), owner, isDeclared);
  }

  async apply(
    { tenant, owner }: GroupName,
    steps: readonly ApplicableStep[],
  ): Promise<readonly StepConflict[]> {
    const needs = await this.#registry(tenant);
    const trail = { request_id: this.#request_id, actor: ACTOR };
    return await applyClients(needs, steps, {
      owner,
      registrant: REGISTRANT,
      event: ({ detail, ...members }) => doneEvent(needs, { ...trail, ...members }, detail),
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(async (tenant) => await tenant.close()));
  }

  async #registry(id: string): Promise<RegistryNeeds> {
    const open = this.#open.get(id);
    if (open !== undefined) return open.registry;
    const [oldest] = this.#open;
    if (oldest !== undefined && this.#open.size >= OPEN_MAX) {
      this.#open.delete(oldest[0]);
      await oldest[1].close();
    }
    const { settings, storage, mode } = this.#session;
    const own =
      id === DEFAULT_TENANT ? settings : tenantSettings(settings, await storedTenant(storage, id), mode);
    const opened = await this.#opened(id, own);
    this.#open.set(id, opened);
    return opened.registry;
  }

  async #opened(id: string, settings: Settings): Promise<Tenant> {
    this.#origins.add(new URL(settings.issuer).origin);
    return await openTenant(this.#platform, { id: id as TenantId, settings });
  }
}

/** A tenant that is not there has no clients to take over. */
const NOTHING_TAKEN: TakingOver = {
  adopt: new Set(),
  adoptTenants: new Set(),
  adoptUnowned: false,
  replace: new Set(),
};

const planOptions = (owner: string, { adopt, adoptUnowned, replace }: TakingOver): PlanOptions => ({
  owner,
  registrant: REGISTRANT,
  adopts: (client_id, other) => adopt.has(client_id) || (adoptUnowned && other === null),
  replaces: (client_id) => replace.has(client_id),
});
