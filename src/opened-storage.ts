import type { Mode } from './config/rules.ts';
import type { Settings } from './config/settings.ts';
import { SealBroken, type Sealer } from './ports/sealer.ts';
import { type Storage, StorageUnavailable } from './ports/storage.ts';
import type { TableDump } from './ports/table-dump.ts';
import { openPostgresStorage, type PostgresOptions } from './storage/postgres/open.ts';
import { openPostgresSchema } from './storage/postgres/postgres-schema.ts';
import { postgresTables } from './storage/postgres/table-dump.ts';
import type { Schema } from './storage/schema.ts';
import { openSqliteStorage } from './storage/sqlite/open.ts';
import { openSqliteSchema } from './storage/sqlite/sqlite-schema.ts';
import { sqliteTables } from './storage/sqlite/table-dump.ts';
import { sealerWith } from './system/sealer.ts';

const CANARY_PLACE = 'canary';

export function sealerOf(settings: Settings): Sealer {
  return sealerWith((settings['encryption.key'] ?? []).map((key) => Buffer.from(key, 'hex')));
}

/** The path of the SQLite file; undefined for another engine. */
export function sqlitePath(settings: Settings): string | undefined {
  return sqlitePathOf(settings['storage.url']);
}

function sqlitePathOf(url: string): string | undefined {
  return url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : undefined;
}

/** In production a schema that is behind the program is refused: an operator decides when it changes (`chancery migrate`). */
export async function openStorage(
  settings: Settings,
  { check, mode }: { readonly check: boolean; readonly mode: Mode },
): Promise<Storage> {
  const path = sqlitePath(settings);
  const migrate = mode === 'development';
  if (path !== undefined) return await openSqliteStorage(path, { check, migrate });
  return await openPostgresStorage(settings['storage.url'], { ...postgresLimits(settings), migrate });
}

function postgresLimits(settings: Settings): Omit<PostgresOptions, 'migrate'> {
  return {
    connections_max: settings['storage.connections'],
    deadline_ms: settings['storage.deadline'],
    replica: settings['storage.replica-url'] === 'none' ? '' : settings['storage.replica-url'],
  };
}

/** The schema of the database that the settings name. */
export function openSchema(settings: Settings): Schema {
  return openSchemaAt(settings['storage.url'], settings['storage.deadline']);
}

const SCHEMA_DEADLINE_MS = 2000;

/** The schema of the database at a `storage.url`. */
export function openSchemaAt(url: string, deadline_ms = SCHEMA_DEADLINE_MS): Schema {
  const path = sqlitePathOf(url);
  return path === undefined ? openPostgresSchema(url, deadline_ms) : openSqliteSchema(path);
}

/** The rows of the database at a `storage.url`. */
export function tablesAt(url: string): TableDump {
  const path = sqlitePathOf(url);
  return path === undefined ? postgresTables(url) : sqliteTables(path);
}

/** A wrong key is noticed here, in one clear line, and not by the first client that reads its secret. */
export async function requireRightKey(storage: Storage, sealer: Sealer): Promise<void> {
  const kept = await storage.sealCanary(sealer.seal(CANARY_PLACE, CANARY_PLACE));
  try {
    sealer.open(kept, CANARY_PLACE);
  } catch (cause) {
    if (!(cause instanceof SealBroken)) throw cause;
    throw new StorageUnavailable(
      'encryption.key does not open what the database holds: it was sealed with another key',
      { cause },
    );
  }
}

export async function resealCanary(storage: Storage, sealer: Sealer): Promise<void> {
  await storage.replaceSealCanary(sealer.seal(CANARY_PLACE, CANARY_PLACE));
}
