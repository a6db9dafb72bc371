import type { Mode } from '../../config/rules.ts';
import { SettingsError } from '../../config/settings-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DeclaredTenant } from '../../ports/declared-tenants.ts';
import type { StoredTenant, TenantStore } from '../../ports/tenant-store.ts';
import { DEFAULT_TENANT, type TenantId } from '../../spec/identifiers.ts';
import type { JsonValue } from '../../spec/json.ts';
import { type JsonChange, jsonChanges } from '../../spec/json-changes.ts';
import type { TakenNames } from '../taken-names.ts';
import {
  inStoredForm,
  isSecretSetting,
  overridesOf,
  type TenantRules,
  takenNames,
} from '../tenant-directory.ts';

/** The needs of the acts on tenants that files declare. */
export interface DeclaredNeeds extends TenantRules {
  readonly tenants: TenantStore;
  readonly clock: Clock;
}

/** The tenants that are there, and the ids of those that were deleted. */
export interface PresentTenants {
  readonly all: readonly StoredTenant[];
  readonly byId: ReadonlyMap<string, StoredTenant>;
  readonly deleted: ReadonlySet<string>;
}

/** Returns the tenants that a plan or its steps are compared with. */
export async function presentTenants({ tenants }: DeclaredNeeds): Promise<PresentTenants> {
  const all = (await tenants.all()).filter(({ deleted_at }) => deleted_at === null);
  const deleted = await tenants.deleted();
  return {
    all,
    byId: new Map(all.map((tenant) => [tenant.id, tenant])),
    deleted: new Set(deleted.map(({ id }) => id)),
  };
}

/** Returns the names that other tenants have than those of a plan. */
export const namesOfOthers = (
  needs: DeclaredNeeds,
  { all }: PresentTenants,
  ids: readonly TenantId[],
): TakenNames => {
  const own = new Set(ids);
  return takenNames(
    needs,
    all.filter(({ id }) => !own.has(id)),
  );
};

/** A declaration after its check: the tenant as it would be stored, or the mistakes. */
export type Examined = { readonly wanted: StoredTenant } | { readonly mistakes: readonly string[] };

const TENANT_ID = /^[a-z0-9][a-z0-9-]{0,62}$/u;

/** Checks everything that the declaration itself shows. @param present the tenant as it is */
export function examine(
  rules: { readonly settings: DeclaredNeeds['settings']; readonly mode: Mode; readonly clock: Clock },
  declared: DeclaredTenant,
  present: StoredTenant | undefined,
  owner: string,
): Examined {
  const { id, issuer, aliases, disabled } = declared;
  if (id === DEFAULT_TENANT)
    return { mistakes: ['is the default tenant, and its settings are those of the configuration file'] };
  if (!TENANT_ID.test(id))
    return { mistakes: ['must have an id of at most 63 lower-case letters, digits and hyphens'] };
  if (present !== undefined && present.issuer !== issuer)
    return {
      mistakes: [`has the issuer ${present.issuer}, which cannot change: clients and tokens name it`],
    };
  const now = rules.clock.now();
  const fresh = { version: 1, issuer, created_at: now, disabled_at: null, deleted_at: null };
  const base = present ?? fresh;
  const wanted: StoredTenant = {
    ...base,
    id: id as TenantId,
    aliases,
    owner,
    settings: JSON.stringify(wantedSettings(declared, present)),
    disabled_at: disabled === undefined ? base.disabled_at : disabled ? (base.disabled_at ?? now) : null,
  };
  try {
    return { wanted: inStoredForm(rules, wanted) };
  } catch (failure) {
    if (!(failure instanceof SettingsError)) throw failure;
    const sentences = failure.problems.map(({ path, rule, found }) => {
      const member = MEMBERS.get(path) ?? `settings.${path}`;
      return found === undefined ? `${member} ${rule}` : `${member} ${rule}, found ${found}`;
    });
    return { mistakes: sentences };
  }
}

/** A map, because a path from outside may be the name of a member of every object. */
const MEMBERS: ReadonlyMap<string, string> = new Map([
  ['issuer', 'issuer'],
  ['issuer-aliases', 'aliases'],
]);

/** Returns the declared settings, with the present values of the secret ones that the declaration does not mention. */
function wantedSettings(
  { settings }: DeclaredTenant,
  present: StoredTenant | undefined,
): Readonly<Record<string, unknown>> {
  const kept = Object.entries(present === undefined ? {} : overridesOf(present)).filter(
    ([path]) => isSecretSetting(path) && !Object.hasOwn(settings, path),
  );
  const given = Object.entries(settings).filter(([, value]) => value !== null);
  return Object.fromEntries([...kept, ...given]);
}

/** Returns what differs between a tenant and its declaration, without secrets. */
export const changesTo = (present: StoredTenant | undefined, wanted: StoredTenant): readonly JsonChange[] =>
  present === undefined ? creationOf(wanted) : jsonChanges(shown(present), shown(wanted));

/** Returns the members of a tenant that a plan compares, without secrets. */
function shown({ issuer, aliases, settings, disabled_at }: StoredTenant): JsonShown {
  const own = JSON.parse(settings) as { readonly [path: string]: JsonValue };
  return {
    issuer,
    aliases,
    settings: Object.fromEntries(Object.entries(own).filter(([path]) => !isSecretSetting(path))),
    disabled: disabled_at !== null,
  };
}

type JsonShown = { readonly [member: string]: JsonValue };

/** A new tenant shows what its declaration says, and nothing empty. */
function creationOf(wanted: StoredTenant): readonly JsonChange[] {
  const { settings, ...others } = shown(wanted);
  const members = Object.entries(others).filter(([, value]) => value !== false && !isEmptyList(value));
  const own = Object.entries((settings ?? {}) as JsonShown);
  return [
    ...members.map(([name, after]) => ({ path: `/${name}`, after })),
    ...own.map(([path, after]) => ({ path: `/settings/${path}`, after })),
  ];
}

const isEmptyList = (value: JsonValue): boolean => Array.isArray(value) && value.length === 0;

/** Returns the secret settings that differ. */
export function secretChanges(
  present: StoredTenant | undefined,
  wanted: StoredTenant,
): Readonly<Record<string, 'given' | 'removed'>> {
  const before = present === undefined ? {} : overridesOf(present);
  const after = overridesOf(wanted);
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(isSecretSetting);
  const isSame = (path: string): boolean => JSON.stringify(before[path]) === JSON.stringify(after[path]);
  return Object.fromEntries(
    paths
      .filter((path) => !isSame(path))
      .map((path) => [path, Object.hasOwn(after, path) ? 'given' : 'removed'] as const),
  );
}

/** Returns the names of the members and settings that differ. */
export function changedMembers(before: StoredTenant | undefined, after: StoredTenant): readonly string[] {
  const names = changesTo(before, after).map(({ path }) => {
    const [member = '', setting] = path.slice(1).split('/');
    return member === 'settings' && setting !== undefined ? setting : member;
  });
  return [...new Set([...names, ...Object.keys(secretChanges(before, after))])];
}
