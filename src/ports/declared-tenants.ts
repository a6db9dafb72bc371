import type { TenantId } from '../spec/identifiers.ts';
import type { JsonChange } from '../spec/json-changes.ts';
import type { AuditEvent } from './audit-log.ts';
import type { StoredTenant, TenantChange } from './tenant-store.ts';

/** A tenant as a file declares it. */
export interface DeclaredTenant {
  readonly id: string;
  readonly issuer: string;
  readonly aliases: readonly string[];
  /** Its own settings by path, all of them. A secret one stays as it is if it is absent, and goes if it is null. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Absent: it stays as it is. Operators disable a tenant in an incident. */
  readonly disabled?: boolean | undefined;
}

/** One step of a plan for a tenant. */
export interface PlannedTenant {
  readonly action: 'create' | 'change' | 'delete';
  readonly id: TenantId;
  /** The version that the plan has seen; null for a tenant that is not there. */
  readonly seen: number | null;
  /** Present if the step takes over a tenant from another owner, or from none. */
  readonly adopted_from?: string | null;
  readonly changes: readonly JsonChange[];
  /** The secret settings that change, by path. No plan has their values. */
  readonly secrets: Readonly<Record<string, 'given' | 'removed'>>;
}

/** Something about one tenant that keeps a plan from being made. */
export interface TenantProblem {
  readonly id: string;
  readonly words: string;
}

/** The steps for some tenants. Tenants that are as declared have none. */
export interface TenantPlan {
  /** In the order of the declarations. */
  readonly steps: readonly PlannedTenant[];
  readonly problems: readonly TenantProblem[];
}

export interface TenantPlanOptions {
  readonly owner: string;
  /** Says whether a tenant of another owner, or of none (null), may be taken over. */
  readonly adopts: (id: string, owner: string | null) => boolean;
}

/** A step, with the declaration that it brings about; a deletion has none. */
export interface ApplicableTenant {
  readonly step: Pick<PlannedTenant, 'action' | 'id' | 'seen' | 'adopted_from'>;
  readonly declared?: DeclaredTenant;
}

/** Why a step cannot be applied. */
export interface TenantStepConflict {
  readonly id: TenantId;
  readonly reason:
    | 'taken'
    | 'absent'
    | 'changed_meanwhile'
    | 'other_owner'
    | 'name_taken'
    | 'in_service'
    | 'id_deleted';
}

export interface TenantApplyOptions {
  readonly owner: string;
  /** Makes the audit event of one change. */
  readonly event: (members: Pick<AuditEvent, 'action' | 'detail'>) => AuditEvent;
}

/** Steps that may be applied, and are not yet. */
export interface PreparedTenants {
  readonly changes: readonly TenantChange[];
  readonly deletions: readonly { readonly tenant: StoredTenant; readonly event: AuditEvent }[];
  /** The tenants of the steps before and after, in the order of the steps; undefined where there is none. */
  readonly states: readonly {
    readonly id: TenantId;
    readonly before: StoredTenant | undefined;
    readonly after: StoredTenant | undefined;
    /** The members and settings that differ, by name. */
    readonly changed: readonly string[];
  }[];
  /** Why they cannot be applied. */
  readonly conflicts: readonly TenantStepConflict[];
  /** Why a declaration is not valid. */
  readonly problems: readonly TenantProblem[];
}

/** Tenants that files declare. */
export interface TenantDeclarations {
  /** Compares declared tenants with those that are there. Changes nothing. */
  plan(declared: readonly DeclaredTenant[], options: TenantPlanOptions): Promise<TenantPlan>;
  /** Returns the tenants of an owner, in the order of their ids. */
  ownedBy(owner: string): Promise<readonly StoredTenant[]>;
  /** Does everything up to the write. */
  prepare(steps: readonly ApplicableTenant[], options: TenantApplyOptions): Promise<PreparedTenants>;
  /**
   * Writes prepared steps: creations and changes in one transaction, all of them or none. A deletion, which stands alone, begins. Returns
   * why nothing was written.
   */
  store(prepared: PreparedTenants): Promise<readonly TenantStepConflict[]>;
}
