import type { Log } from '../ports/log.ts';
import { StorageUnavailable } from '../ports/storage.ts';
import { type PublicHostNeeds, startPublicHosts } from './listeners.ts';

/** Nobody is known yet: each request is 500, as with a database that went away later. */
const NOBODY_YET: PublicHostNeeds['tenancy'] = {
  several: () => true,
  names() {
    throw new StorageUnavailable('the database is away', { mayComeBack: true });
  },
  router() {
    throw new StorageUnavailable('the database is away', { mayComeBack: true });
  },
};

/** Answers at the ports of the protocol while nothing can be served. @returns what closes them */
export async function startWaitingHosts(
  needs: Omit<PublicHostNeeds, 'sites' | 'tenancy'>,
): Promise<() => Promise<void>> {
  // That the database is away was said once; not again for each request.
  const log: Log = { ...needs.log, error: () => undefined };
  const hosts = await startPublicHosts({ ...needs, log, sites: [], tenancy: NOBODY_YET });
  return async () => void (await Promise.all(hosts.map((host) => host.close())));
}
