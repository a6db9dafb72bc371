import { existsSync } from 'node:fs';
import type { Mode } from '../config/rules.ts';
import type { Settings } from '../config/settings.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { Storage } from '../ports/storage.ts';
import type { StoredTenant } from '../ports/tenant-store.ts';
import { openStorage, requireRightKey, sealerOf, sqlitePath } from '../process/storage.ts';
import { CommandFailure, calledWrongly } from './command-failure.ts';
import type { CommandContext } from './commands.ts';
import { developmentSettings } from './dev/development-settings.ts';
import { settingsFor } from './settings-sources.ts';

/** A data folder, opened beside the servers that may be running on it. */
export interface StorageSession {
  readonly settings: Settings;
  readonly mode: Mode;
  readonly storage: Storage;
  readonly sealer: Sealer;
}

export interface StorageAccess {
  readonly config: string | undefined;
  readonly mode: string;
  /** Whether a database that is not there is made; otherwise a mistyped path would answer like an empty registry. */
  readonly create: boolean;
}

/** Opens the storage, acts, closes it. */
export async function withStorage(
  access: StorageAccess,
  context: CommandContext,
  act: (session: StorageSession) => Promise<number>,
): Promise<number> {
  const given = storageSettings(access, context);
  if (given === undefined) return 1;
  const sealer = sealerOf(given.settings);
  // What a command writes depends on what it reads: a standby may be behind.
  const settings = { ...given.settings, 'storage.replica-url': 'none' };
  const storage = await openStorage(settings, { check: false, mode: given.mode });
  try {
    await requireRightKey(storage, sealer);
    return await act({ ...given, storage, sealer });
  } finally {
    await storage.close();
  }
}

export async function storedTenant(storage: Storage, id: string): Promise<StoredTenant> {
  const found = (await storage.tenants.all()).find((tenant) => tenant.id === id);
  if (found === undefined) throw new CommandFailure(`there is no tenant ${JSON.stringify(id)}`);
  return found;
}

function storageSettings(
  { mode, config, create }: StorageAccess,
  context: CommandContext,
): { readonly settings: Settings; readonly mode: Mode } | undefined {
  if (!isMode(mode)) {
    throw calledWrongly(`--mode must be development or production, found ${JSON.stringify(mode)}`);
  }
  const resolved = settingsFor(mode, config, context);
  if (resolved === undefined) return undefined;
  // First of all: the development mode makes a key for a data folder that has none.
  if (!create) requireDatabase(resolved.settings);
  const settings = mode === 'development' ? developmentSettings(resolved) : resolved.settings;
  return { settings, mode };
}

const isMode = (text: string): text is Mode => text === 'development' || text === 'production';

function requireDatabase(settings: Settings): void {
  const path = sqlitePath(settings);
  if (path !== undefined && !existsSync(path))
    throw new CommandFailure(`there is no database at ${path} (storage.url)`);
}
