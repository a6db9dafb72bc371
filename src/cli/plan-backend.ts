import { doneEvent } from '../clients/audit-trail.ts';
import type { ApplicableStep, StepConflict } from '../clients/declared/apply-clients.ts';
import { applyClients } from '../clients/declared/apply-clients.ts';
import type { DeclaredClient } from '../clients/declared/declared-client.ts';
import {
  type ClientPlan,
  type PlannedClient,
  planClients,
  planPrune,
} from '../clients/declared/plan-clients.ts';
import type { Registrant } from '../clients/registration/registration-authority.ts';
import type { RegistryNeeds } from '../clients/registry-needs.ts';
import { DEFAULT_TENANT, type TenantId } from '../spec/identifiers.ts';
import { OPERATOR_PRIVILEGES } from '../spec/registration-privileges.ts';
import { tenantSettings } from '../tenant/settings.ts';
import type { Tenant } from '../tenant/tenant.ts';
import type { Surroundings } from './command.ts';
import { complaints, openTenantOf, type StorageSession, storedTenant } from './registry-session.ts';
import { ACTOR } from './session.ts';

/** Names the clients that a part of a plan is about. */
export interface GroupName {
  readonly tenant: string;
  readonly owner: string;
}

export interface TakingOver {
  /** Clients that may be taken over from any owner. */
  readonly adopt: ReadonlySet<string>;
  /** Whether clients without an owner may be taken over. */
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
}

/** The command line may give every privilege. */
const REGISTRANT: Registrant = { kind: 'master', name: ACTOR, privileges: OPERATOR_PRIVILEGES };

/** Plans on the database of this machine, beside the servers that may be running on it. */
export class DatabaseBackend implements PlanBackend {
  readonly issuer: string;
  readonly #session: StorageSession;
  readonly #surroundings: Surroundings;
  readonly #request_id: string;
  readonly #open = new Map<string, Tenant>();

  constructor(session: StorageSession, surroundings: Surroundings, request_id: string) {
    this.issuer = session.settings.issuer;
    this.#session = session;
    this.#surroundings = surroundings;
    this.#request_id = request_id;
  }

  async plan(
    { tenant, owner }: GroupName,
    declared: readonly DeclaredClient[],
    { adopt, adoptUnowned, replace }: TakingOver,
  ): Promise<ClientPlan> {
    return await planClients(await this.#registry(tenant), declared, {
      owner,
      registrant: REGISTRANT,
      adopts: (client_id, other) => adopt.has(client_id) || (adoptUnowned && other === null),
      replaces: (client_id) => replace.has(client_id),
    });
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
    const open = this.#open.get(id) ?? (await this.#openTenant(id));
    this.#open.set(id, open);
    return open.registry;
  }

  async #openTenant(id: string): Promise<Tenant> {
    const { settings, storage, mode } = this.#session;
    const own =
      id === DEFAULT_TENANT ? settings : tenantSettings(settings, await storedTenant(storage, id), mode);
    return await openTenantOf(this.#session, id as TenantId, own, complaints(this.#surroundings));
  }
}
