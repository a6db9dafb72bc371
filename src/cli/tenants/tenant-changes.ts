import { type SettingPath, settingAt } from '../../config/settings.ts';
import { keptOverrides, overrideFromText, type TenantOverrides } from '../../config/tenant-overrides.ts';
import type { AuditEvent } from '../../ports/audit-log.ts';
import type { Log } from '../../ports/log.ts';
import type { StoredTenant, TenantContent } from '../../ports/tenant-store.ts';
import { DEFAULT_TENANT } from '../../spec/identifiers.ts';
import { systemClock } from '../../system/clock.ts';
import { tenantNameProblem } from '../../tenant/name-problem.ts';
import { tenantSettings } from '../../tenant/settings.ts';
import { CommandFailure, calledWrongly } from '../command-failure.ts';
import { ACTOR, newRequestId, openTenantOf } from '../registry-session.ts';
import type { StorageSession } from '../storage-session.ts';

export function tenantEvent(action: AuditEvent['action'], detail: string | null = null): AuditEvent {
  return {
    at: systemClock.now(),
    action,
    outcome: 'done',
    actor: ACTOR,
    client_id: null,
    request_id: newRequestId(),
    detail,
  };
}

/** `path=value …` as overrides by path; a path given twice is a slip. */
export function assignments(given: readonly string[] = []): TenantOverrides {
  const pairs = given.map((text) => {
    const mark = text.indexOf('=');
    if (mark < 1) throw calledWrongly('--set takes path=value');
    const path = text.slice(0, mark);
    return [path, overrideFromText(path, text.slice(mark + 1))] as const;
  });
  const twice = pairs.find(([path], index) => pairs.findIndex(([other]) => other === path) !== index);
  if (twice !== undefined) throw calledWrongly(`--set ${twice[0]} is given twice`);
  return Object.fromEntries(pairs);
}

/**
 * The tenant as it would be kept. Throws what is wrong with it: a `SettingsError` in the words of the configuration, or
 * one line about a name that would take something from the default tenant or from another one.
 */
export async function checkedTenant(session: StorageSession, tenant: StoredTenant): Promise<StoredTenant> {
  const { settings, storage, mode } = session;
  const own = tenantSettings(settings, tenant, mode);
  const others = (await storage.tenants.all()).filter(({ id }) => id !== tenant.id);
  const taken = [settings.issuer, ...settings['issuer-aliases']].concat(
    others.flatMap(({ issuer, aliases }) => [issuer, ...aliases]),
  );
  const paths = await endpointPaths(session);
  for (const name of [tenant.issuer, ...tenant.aliases]) {
    const problem = tenantNameProblem(name, taken, paths);
    if (problem !== undefined) throw new CommandFailure(problem);
    taken.push(name);
  }
  return { ...tenant, settings: JSON.stringify(keptOverrides(own, overridesOf(tenant))) };
}

/** Every tenant has the same endpoints. */
async function endpointPaths(session: StorageSession): Promise<readonly string[]> {
  const { settings } = session;
  const tenant = await openTenantOf(session, DEFAULT_TENANT, settings, SILENT);
  return tenant.site(settings.issuer).endpoints.map(({ contract }) => contract.path);
}

const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

export function overridesOf({ settings }: Pick<StoredTenant, 'settings'>): TenantOverrides {
  return JSON.parse(settings) as TenantOverrides;
}

export async function replaceTenant(
  { storage }: StorageSession,
  { id, version }: StoredTenant,
  content: TenantContent,
  event: AuditEvent,
): Promise<void> {
  const outcome = await storage.tenants.replace(id, version, content, event);
  if (outcome === 'issuer_taken') throw new CommandFailure('one of the aliases is taken');
  if (outcome === 'conflict') throw new CommandFailure(`the tenant ${id} was changed meanwhile: try again`);
}

/** A tenant for whoever reads it; digests of tokens are masked. */
export function shownTenant(tenant: StoredTenant): Readonly<Record<string, unknown>> {
  const { id, issuer, aliases, created_at, disabled_at } = tenant;
  const settings = Object.entries(overridesOf(tenant)).map(([path, value]) => [
    path,
    isSecret(path) ? '******' : value,
  ]);
  return { id, issuer, aliases, settings: Object.fromEntries(settings), created_at, disabled_at };
}

/** A row that is gone since cannot say that it is no secret. */
function isSecret(path: string): boolean {
  return (settingAt(path as SettingPath) as { secret: boolean } | undefined)?.secret ?? true;
}

const TENANT_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

export function requireTenantId(id: string): void {
  if (id === DEFAULT_TENANT) throw new CommandFailure('the default tenant is the one of the configuration');
  if (!TENANT_ID.test(id)) {
    throw calledWrongly('ID must have lower-case letters, digits and hyphens only, at most 63');
  }
}
