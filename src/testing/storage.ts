import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { TenantStorage } from '../ports/storage.ts';
import type { TenantId } from '../spec/identifiers.ts';
import { openSqliteStorage } from '../storage/sqlite/open.ts';

// In memory where the machine has such a folder: what a disk does under load is tested by the storage floor.
const folder = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'chancery-endpoints-'));
const storage = await openSqliteStorage(join(folder, 'registry.sqlite'), { writer: 'main' });

after(async () => {
  await storage.close();
  await rm(folder, { recursive: true });
});

/** The list of tenants in the one database of this process: tests give theirs ids of their own. */
export const sharedTenants = storage.tenants;

let tenants = 0;

/** Returns an unused tenant in the one database of this process. Opening a database for each test would take most of a run's time. */
export function emptyTenantStorage(): TenantStorage {
  tenants += 1;
  return storage.forTenant(`test-${tenants}` as TenantId);
}
