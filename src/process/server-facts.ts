import type { Settings } from '../config/settings.ts';
import type { ServedFacts, ServerFacts } from '../ports/server-facts.ts';
import type { Storage } from '../ports/storage.ts';
import { systemClock } from '../system/clock.ts';
import { programVersion } from '../system/program-version.ts';
import { newestFirst } from '../system/recent-refusals.ts';
import { certificateEnds, engineOf } from './figures.ts';
import type { OpenedTls } from './tls.ts';

interface FactsNeeds {
  readonly settings: Settings;
  /** The source of each setting; absent for a server that tests start. */
  readonly origins?: Readonly<Record<string, string>>;
  readonly storage: Pick<Storage, 'objects'>;
  readonly tls: OpenedTls;
  /** Returns the answers and refusals of this process. */
  readonly served: () => ServedFacts;
  /** Asks the other workers; absent for a server with one process. */
  readonly servedByOthers?: () => Promise<readonly ServedFacts[]>;
}

/** Returns what the administration shows of the server. */
export function serverFacts(needs: FactsNeeds): ServerFacts {
  const { settings, origins = {}, storage, tls, served, servedByOthers } = needs;
  return {
    version: programVersion(),
    node: process.versions.node,
    storage: engineOf(settings),
    workers: settings.workers,
    pid: process.pid,
    started_at: systemClock.now() - Math.floor(process.uptime()),
    origins,
    served: async () => togetherOf([served(), ...((await servedByOthers?.()) ?? [])]),
    objects: async () => await storage.objects(),
    certificates: () => certificateEnds(tls),
  };
}

function togetherOf(processes: readonly ServedFacts[]): ServedFacts {
  const requests: Record<string, number> = {};
  for (const one of processes)
    for (const [status, count] of Object.entries(one.requests))
      requests[status] = (requests[status] ?? 0) + count;
  return { requests, refusals: newestFirst(processes.flatMap(({ refusals }) => refusals)) };
}
