import type { ResolvedSettings } from '../config/load-settings.ts';
import type { Settings } from '../config/settings.ts';
import type { Log } from '../ports/log.ts';
import { shorteningLog } from '../system/log.ts';
import { prometheusMetrics } from '../system/metrics.ts';
import { systemRandom } from '../system/random.ts';
import { startManagementHost } from './listeners.ts';
import { openMemory } from './memory.ts';
import { type Service, startService } from './serve.ts';
import { type FromWorker, isToWorker } from './supervisor.ts';

/** The channel to the process that started this one. */
export interface Parent {
  send(message: FromWorker): void;
  onMessage(receive: (message: unknown) => void): void;
  /** Called when the other end is gone. */
  onEnd(ended: () => void): void;
}

/** Characters of the secret that opens a worker's part of the management listener to its supervisor. */
const SECRET_LENGTH = 43;

/** Serves as one of several processes: the parent has the management listener, and passes its requests on. */
export async function startWorker(
  settings: Settings,
  wholeLog: Log,
  {
    parent,
    stop,
    check,
    origins,
  }: {
    readonly parent: Parent;
    readonly stop: AbortController;
    /** Whether this worker checks the SQLite file, for all of them. */
    readonly check: boolean;
    /** The source of each setting. */
    readonly origins: ResolvedSettings['origins'];
  },
): Promise<Service | undefined> {
  const log = shorteningLog(wholeLog, settings);
  const memory = openMemory(settings);
  const measured = prometheusMetrics(() => memory.caches.figures());
  let service: Service | undefined;
  const answers = {
    state: async (): Promise<string> => JSON.stringify((await service?.state()) ?? { status: 'starting' }),
    metrics: async (): Promise<string> => await measured.text(),
  };
  parent.onMessage((message) => {
    if (!isToWorker(message)) return;
    if (message.kind === 'stop') return stop.abort();
    if (message.kind === 'stop-writes') return service?.stopWrites(message.reason);
    const { id, what } = message;
    void answers[what]().then((value) => parent.send({ kind: 'answer', id, value }));
  });
  // Without its parent nothing would stop this process.
  parent.onEnd(() => stop.abort());
  service = await startService({
    settings,
    mode: 'production',
    log,
    measured,
    memory,
    shared: true,
    check,
    stopped: stop.signal,
    origins,
  });
  if (service === undefined) return undefined;
  const serving = service;
  const { administration, damage, address } = serving;
  const secret = systemRandom.alphanumeric(SECRET_LENGTH);
  const management = await startManagementHost({
    settings,
    endpoints: [],
    administration: () => administration,
    log,
    measured,
    behindSupervisor: { secret },
  });
  const { address: host, port } = management.address;
  parent.send({ kind: 'serving', address, administration: `http://${host}:${port}/${secret}` });
  void damage.then((reason) => parent.send({ kind: 'damage', reason }));
  return {
    ...serving,
    async close(atOnce) {
      management.drain();
      await serving.close(atOnce);
      await management.close();
    },
  };
}
