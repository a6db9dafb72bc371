import type { AuditTrail } from '../clients/audit-trail.ts';
import { audited } from '../clients/audit-trail.ts';
import type { RegistryNeeds } from '../clients/registry-needs.ts';
import type { Settings } from '../config/settings.ts';
import type { AuditEvent } from '../ports/audit-log.ts';
import type { Log } from '../ports/log.ts';
import { openPlatform } from '../process/platform.ts';
import { AccountRefused } from '../sessions/manage-account.ts';
import { NotFound, OAuthError, TooManyRequests } from '../spec/errors.ts';
import { DEFAULT_TENANT, type TenantId } from '../spec/identifiers.ts';
import { systemRandom } from '../system/random.ts';
import { tenantSettings } from '../tenant/settings.ts';
import { openTenant, type Tenant } from '../tenant/tenant.ts';
import { CommandFailure } from './command-failure.ts';
import type { CommandContext } from './commands.ts';
import { CONFIG_OPTION } from './settings-sources.ts';
import { type StorageAccess, type StorageSession, storedTenant, withStorage } from './storage-session.ts';

/** For `parseArgs` of every command of the registry. */
export const REGISTRY_OPTIONS = {
  ...CONFIG_OPTION,
  mode: { type: 'string', default: 'production' },
  json: { type: 'boolean', default: false },
  tenant: { type: 'string' },
} as const;

/** How the audit and the clients name whoever uses the command line. */
export const ACTOR = 'cli';

const REQUEST_ID_LENGTH = 16;

/** The registry of a data folder, opened beside the servers that may be running on it. */
export interface RegistrySession {
  readonly settings: Settings;
  readonly tenant: Tenant;
  readonly needs: RegistryNeeds;
  /** Of everything that this call of the command does, in the audit. */
  readonly request_id: string;
}

export interface RegistryAccess extends StorageAccess {
  /** The id of a tenant; undefined for the default one. */
  readonly tenant: string | undefined;
}

/** Opens the registry, acts, closes it; what the registry refuses is one line. */
export async function withRegistry(
  access: RegistryAccess,
  context: CommandContext,
  act: (session: RegistrySession) => Promise<number>,
): Promise<number> {
  return await withStorage(access, context, async (session) => {
    const { id, settings } = await tenantOf(session, access.tenant);
    try {
      const tenant = await openTenantOf(session, id, settings, complaints(context));
      const request_id = newRequestId();
      const code = await act({ settings, tenant, needs: tenant.registry, request_id });
      await tenant.close();
      return code;
    } catch (failure) {
      throw refusalInWords(failure);
    }
  });
}

/** A tenant beside the servers that may be serving it. */
export async function openTenantOf(
  { storage, sealer, settings: whole }: StorageSession,
  id: TenantId,
  settings: Settings,
  log: Log,
): Promise<Tenant> {
  const platform = openPlatform({
    settings: whole,
    storage,
    sealer,
    log,
    // A command serves no requests: nothing is measured, and no client shows a certificate.
    metrics: { countServerKeyEvent: () => undefined, countLogoutAttempt: () => undefined },
    certificateAuthorities: () => [],
    ownOrigins: new Set([new URL(settings.issuer).origin]),
  });
  return await openTenant(platform, { id, settings });
}

export const newRequestId = (): string => systemRandom.alphanumeric(REQUEST_ID_LENGTH);

/** A disabled tenant can be looked after, too. */
async function tenantOf(
  { settings, storage, mode }: StorageSession,
  id: string | undefined,
): Promise<{ readonly id: TenantId; readonly settings: Settings }> {
  if (id === undefined || id === DEFAULT_TENANT) return { id: DEFAULT_TENANT, settings };
  const stored = await storedTenant(storage, id);
  return { id: stored.id, settings: tenantSettings(settings, stored, mode) };
}

/** One act, recorded with the command line as its actor. */
export async function auditedAct<T>(
  { needs, request_id }: RegistrySession,
  action: AuditEvent['action'],
  act: (trail: AuditTrail) => Promise<T>,
): Promise<T> {
  return await audited(needs, action, request_id, async (trail) => {
    trail.actor = ACTOR;
    return await act(trail);
  });
}

/** What a server would log as an error is a line for the operator; the audit is in the database. */
function complaints(context: CommandContext): Log {
  const complain = (members: Readonly<Record<string, unknown>>, message: string): void => {
    const { client_id, cause } = members;
    const about = typeof client_id === 'string' ? `${client_id}: ` : '';
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    context.complain(`${about}${message}${why}`);
  };
  return { info: () => undefined, warn: complain, error: complain };
}

function refusalInWords(failure: unknown): unknown {
  if (failure instanceof OAuthError) {
    const detail = failure.detail === undefined ? '' : ` (${failure.detail})`;
    return new CommandFailure(`${failure.message}${detail}`);
  }
  if (failure instanceof AccountRefused) return new CommandFailure(failure.message);
  if (failure instanceof TooManyRequests) return new CommandFailure(failure.message);
  return failure instanceof NotFound
    ? new CommandFailure(failure.message || 'there is no such client')
    : failure;
}
