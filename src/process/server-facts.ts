import type { Settings } from '../config/settings.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { ServerFacts } from '../ports/server-facts.ts';
import type { Storage } from '../ports/storage.ts';
import { systemClock } from '../system/clock.ts';
import { programVersion } from '../system/program-version.ts';
import { certificateEnds, engineOf } from './figures.ts';
import type { OpenedTls } from './tls.ts';

interface FactsNeeds {
  readonly settings: Settings;
  /** The source of each setting; absent for a server that tests start. */
  readonly origins?: Readonly<Record<string, string>>;
  readonly storage: Pick<Storage, 'objects'>;
  readonly measured: Pick<Metrics, 'answers'>;
  readonly tls: OpenedTls;
  readonly refusals: ServerFacts['refusals'];
}

/** Returns what the administration shows of this process. */
export function serverFacts(needs: FactsNeeds): ServerFacts {
  const { settings, origins = {}, storage, measured, tls, refusals } = needs;
  return {
    version: programVersion(),
    node: process.versions.node,
    storage: engineOf(settings),
    workers: settings.workers,
    pid: process.pid,
    started_at: systemClock.now() - Math.floor(process.uptime()),
    origins,
    requests: () => measured.answers(),
    objects: async () => await storage.objects(),
    certificates: () => certificateEnds(tls),
    refusals,
  };
}
