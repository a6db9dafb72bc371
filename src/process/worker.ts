import type { Settings } from '../config/settings.ts';
import type { Log } from '../ports/log.ts';
import { prometheusMetrics } from '../system/metrics.ts';
import { type Service, startService } from './service.ts';
import { type FromWorker, isToWorker } from './worker-messages.ts';

/** Whoever started this process is at the other end of its channel. */
export interface Parent {
  send(message: FromWorker): void;
  onMessage(receive: (message: unknown) => void): void;
  /** The other end is gone. */
  onEnd(ended: () => void): void;
}

/** One of several processes that serve: the service without a management listener, which the parent has. */
export async function startWorker(
  settings: Settings,
  log: Log,
  { parent, stop }: { readonly parent: Parent; readonly stop: AbortController },
): Promise<Service | undefined> {
  const measured = prometheusMetrics();
  let service: Service | undefined;
  const answers = {
    state: async (): Promise<string> => (await service?.state()) ?? 'starting',
    metrics: async (): Promise<string> => await measured.text(),
  };
  parent.onMessage((message) => {
    if (!isToWorker(message)) return;
    if (message.kind === 'stop') return stop.abort();
    const { id, what } = message;
    void answers[what]().then((value) => parent.send({ kind: 'answer', id, value }));
  });
  // Nobody looks after this process any more, and nobody would stop it.
  parent.onEnd(() => stop.abort());
  service = await startService({
    settings,
    mode: 'production',
    log,
    measured,
    shared: true,
    stopped: stop.signal,
  });
  if (service !== undefined) parent.send({ kind: 'serving', address: service.address });
  return service;
}
