import { existsSync } from 'node:fs';
import type { RegistryNeeds } from '../clients/registry-needs.ts';
import type { Mode } from '../config/rules.ts';
import type { Settings } from '../config/settings.ts';
import type { Log } from '../ports/log.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { Storage } from '../ports/storage.ts';
import type { StoredTenant } from '../ports/tenant-store.ts';
import { comparedClock, doubtText } from '../process/clock.ts';
import { openPlatform, type ProcessPlatform } from '../process/platform.ts';
import { openStorage, requireRightKey, sealerOf, sqlitePath } from '../process/storage.ts';
import { AccountRefused } from '../sessions/manage-account.ts';
import { ProcessCaches } from '../spec/caches.ts';
import { NotFound, OAuthError, TooManyRequests } from '../spec/errors.ts';
import { DEFAULT_TENANT, type TenantId } from '../spec/identifiers.ts';
import { Problem } from '../spec/problems.ts';
import { tenantSettings } from '../tenant/settings.ts';
import { openTenant, type Tenant } from '../tenant/tenant.ts';
import type { Surroundings } from './command.ts';
import { developmentDataSettings } from './development.ts';
import { CommandFailure } from './failure.ts';
import { type Access, modeOf, type RegistryCall, type StorageCall, settingsFor } from './settings.ts';

/** The storage of a data folder, opened beside the servers that may be running on it. */
export interface StorageSession {
  readonly settings: Settings;
  readonly mode: Mode;
  readonly storage: Storage;
  readonly sealer: Sealer;
}

/** The registry of one tenant, opened beside the servers that may be running on it. */
export interface RegistrySession {
  readonly settings: Settings;
  readonly tenant: Tenant;
  readonly needs: RegistryNeeds;
  /** Returns why the clock is in doubt: a command that deletes by the time must not go on (ADR 43). */
  readonly clockDoubt: () => Promise<string | undefined>;
  /** The request id in the audit for everything that this call of the command does. */
  readonly request_id: string;
}

/** Opens the storage, acts on it, and closes it. */
export async function openedStorage<T>(
  call: StorageCall,
  access: Access,
  act: (session: StorageSession) => Promise<T>,
): Promise<T> {
  const given = await storageSettings(call, access);
  const sealer = sealerOf(given.settings);
  // A command writes what follows from what it has read. A standby may be behind.
  const settings = { ...given.settings, 'storage.replica-url': 'none' };
  const storage = await openStorage(settings, { check: false, create: access.create, mode: given.mode });
  try {
    await requireRightKey(storage, sealer);
    return await act({ ...given, storage, sealer });
  } finally {
    await storage.close();
  }
}

async function storageSettings(
  call: StorageCall,
  { create }: Access,
): Promise<Pick<StorageSession, 'settings' | 'mode'>> {
  const mode = modeOf(call);
  const resolved = await settingsFor(mode, call);
  // This check comes first: the development mode creates a key for a data folder that has none.
  if (!create) requireDatabase(resolved.settings);
  return { settings: mode === 'development' ? developmentDataSettings(resolved) : resolved.settings, mode };
}

function requireDatabase(settings: Settings): void {
  const path = sqlitePath(settings);
  if (path !== undefined && !existsSync(path))
    throw new CommandFailure(`there is no database at ${path} (storage.url)`);
}

/** Returns the tenant of an id. Rejects with CommandFailure for an unknown id, and for a tenant that is being deleted. */
export async function storedTenant(storage: Storage, id: string): Promise<StoredTenant> {
  const found = await storage.tenants.find(id as TenantId);
  if (found === undefined || found.cleared_at !== null)
    throw new CommandFailure(`there is no tenant ${JSON.stringify(id)}`);
  if (found.deleted_at !== null) throw new CommandFailure(`the tenant ${id} is being deleted`);
  return found;
}

interface RegistryAct<T> {
  readonly request_id: string;
  readonly act: (session: RegistrySession) => Promise<T>;
}

/** Opens the registry of the tenant that `--tenant` names, acts on it, and closes it. */
export async function openedRegistry<T>(
  call: RegistryCall,
  access: Access,
  { request_id, act }: RegistryAct<T>,
): Promise<T> {
  return await openedStorage(call, access, async (session) => {
    const { id, settings } = await tenantOf(session, call.options.tenant);
    try {
      const tenant = await openTenantOf(session, id, settings, complaints(call));
      const clockDoubt = async (): Promise<string | undefined> => {
        const doubt = comparedClock(session.settings, await session.storage.time.remembered()).doubt();
        return doubt && doubtText(doubt);
      };
      const result = await act({ settings, tenant, needs: tenant.registry, clockDoubt, request_id });
      await tenant.close();
      return result;
    } catch (failure) {
      throw refusalInWords(failure);
    }
  });
}

/** A command reads few records more than once. */
const CACHES_BYTES = 32 * 1024 * 1024;

/** Opens the platform of the tenants that a command works on. @param ownOrigins those of their issuers */
export function openCommandPlatform(
  { storage, sealer, settings: whole }: StorageSession,
  log: Log,
  ownOrigins: ReadonlySet<string>,
): ProcessPlatform {
  return openPlatform({
    settings: whole,
    storage,
    caches: new ProcessCaches(CACHES_BYTES),
    sealer,
    log,
    // A command serves no requests: it counts nothing, and no client shows a certificate.
    metrics: {
      count: () => undefined,
      counter: () => () => undefined,
      gauge: () => undefined,
      observe: () => undefined,
      set: () => undefined,
    },
    certificateAuthorities: () => [],
    ownOrigins,
  });
}

/** Opens a tenant beside the servers that may be serving it. */
export async function openTenantOf(
  session: StorageSession,
  id: TenantId,
  settings: Settings,
  log: Log,
): Promise<Tenant> {
  const ownOrigins = new Set([new URL(settings.issuer).origin]);
  return await openTenant(openCommandPlatform(session, log, ownOrigins), { id, settings });
}

/** Commands also work on a disabled tenant. */
async function tenantOf(
  { settings, storage, mode }: StorageSession,
  id: string | undefined,
): Promise<{ readonly id: TenantId; readonly settings: Settings }> {
  if (id === undefined || id === DEFAULT_TENANT) return { id: DEFAULT_TENANT, settings };
  const stored = await storedTenant(storage, id);
  return { id: stored.id, settings: tenantSettings(settings, stored, mode) };
}

/** Returns a log whose warnings and errors are lines for the operator. The audit goes to the database. */
export function complaints({ complain: write }: Surroundings): Log {
  const complain = (members: Readonly<Record<string, unknown>>, message: string): void => {
    const { client_id, cause } = members;
    const about = typeof client_id === 'string' ? `${client_id}: ` : '';
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    write(`${about}${message}${why}`);
  };
  return { info: () => undefined, warn: complain, error: complain };
}

function refusalInWords(failure: unknown): unknown {
  if (failure instanceof OAuthError) {
    const detail = failure.detail === undefined ? '' : ` (${failure.detail})`;
    return new CommandFailure(`${failure.message}${detail}`);
  }
  if (failure instanceof AccountRefused) return new CommandFailure(failure.message);
  if (failure instanceof Problem) return new CommandFailure(failure.detail);
  if (failure instanceof TooManyRequests) return new CommandFailure(failure.message);
  return failure instanceof NotFound
    ? new CommandFailure(failure.message || 'there is no such client')
    : failure;
}
