import type { Settings } from '../config/settings.ts';
import type { Log } from '../ports/log.ts';
import { shorteningLog } from '../system/log.ts';
import { prometheusMetrics } from '../system/metrics.ts';
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

/** Serves as one of several processes: without a management listener, which the parent has. */
export async function startWorker(
  settings: Settings,
  wholeLog: Log,
  {
    parent,
    stop,
    check,
  }: {
    readonly parent: Parent;
    readonly stop: AbortController;
    /** Whether this worker checks the SQLite file, for all of them. */
    readonly check: boolean;
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
  });
  if (service === undefined) return undefined;
  parent.send({ kind: 'serving', address: service.address });
  void service.damage.then((reason) => parent.send({ kind: 'damage', reason }));
  return service;
}
