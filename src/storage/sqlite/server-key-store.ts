import type { RemovedServerKey, ServerKeyStore, StoredServerKey } from '../../ports/server-key-store.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import type { GatheredWrites } from './gathered-writes.ts';

export interface ServerKeyReads {
  all(tenant: TenantId): readonly StoredServerKey[];
  removed(tenant: TenantId): readonly RemovedServerKey[];
}

/** The server keys of one tenant. */
export function serverKeyStore(
  tenant: TenantId,
  reads: ServerKeyReads,
  writes: GatheredWrites,
): ServerKeyStore {
  return {
    all: () => reads.all(tenant),
    removed: () => reads.removed(tenant),
    addFirst: (keys) => writes.write('addFirstServerKeys', { tenant, keys, use: undefined }),
    addFirstOf: (use, keys) => writes.write('addFirstServerKeys', { tenant, keys, use }),
    add: (key, event) => writes.write('addServerKey', { tenant, key, event }),
    succeed: (successor, event) => writes.write('succeedServerKey', { tenant, successor, event }),
    advance: (kid, at, event) => writes.write('advanceServerKey', { tenant, kid, at, event }),
    remove: (kid, removal, event) => writes.write('removeServerKey', { tenant, kid, removal, event }),
    reseal: (kid, sealed) => writes.write('resealServerKey', { tenant, kid, sealed }),
  };
}
