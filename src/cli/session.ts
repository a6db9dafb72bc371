import type { RegistrySession, StorageSession } from './registry-session.ts';
import type { Access, RegistryCall, StorageCall } from './settings.ts';

/** The sentence about servers for every command that uses the database beside them. */
export const BESIDE_SERVERS =
  'Servers may run on the same database meanwhile. They act on a change from their next request on.';

/** The sentence about servers for commands that only read; the audit may record them. */
export const READS_BESIDE_SERVERS = 'Servers may run on the same database meanwhile. The command only reads.';

/** Opens the storage, acts on it, and closes it. */
export async function withStorage<T>(
  call: StorageCall,
  access: Access,
  act: (session: StorageSession) => Promise<T>,
): Promise<T> {
  const { openedStorage } = await import('./registry-session.ts');
  return await openedStorage(call, access, act);
}

/** Opens the registry of one tenant, acts on it, and closes it. A refusal of the registry becomes one line. */
export async function withRegistry<T>(
  call: RegistryCall,
  access: Access,
  act: (session: RegistrySession) => Promise<T>,
): Promise<T> {
  const { openedRegistry } = await import('./registry-session.ts');
  return await openedRegistry(call, access, act);
}
