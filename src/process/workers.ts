import type { ChildProcess } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import type { Settings } from '../config/settings.ts';
import type { Log } from '../ports/log.ts';
import { shorteningLog } from '../system/log.ts';
import { labelled, prometheusMetrics } from '../system/metrics.ts';
import { managementEndpoints } from '../tenant/endpoints.ts';
import { startManagementHost } from './listeners.ts';
import { openMemory } from './memory.ts';
import { type Service, startService } from './serve.ts';
import { type BackOff, type FromWorker, isToWorker, Supervisor } from './supervisor.ts';

export interface WorkersNeeds {
  readonly settings: Settings;
  readonly log: Log;
  /** Starts the worker of this number, with a channel. */
  readonly start: (number: number) => ChildProcess;
  readonly stopTimeout_ms: number;
  readonly stopped: AbortSignal;
  /** Called once: all workers serve. */
  readonly onServing: (address: AddressInfo) => void;
}

const BACK_OFF: BackOff = { first_ms: 250, max_ms: 30_000, attempts: 5 };

/**
 * Supervises the processes that serve, and answers health and metrics for them. It serves no request itself, and does not
 * open the database. Resolves with the exit code when the last worker is gone.
 */
export async function runWorkers(needs: WorkersNeeds): Promise<number> {
  const { settings, log, stopped } = needs;
  const own = prometheusMetrics();
  const workers = new Supervisor({
    workers: settings.workers,
    start: needs.start,
    log,
    stopTimeout_ms: needs.stopTimeout_ms,
    backOff: BACK_OFF,
  });
  const stop = (): void => workers.stop();
  if (stopped.aborted) stop();
  stopped.addEventListener('abort', stop);
  const all = {
    ...own,
    text: async () => labelled('worker', new Map([...(await workers.metrics()), ['none', await own.text()]])),
  };
  const endpoints = managementEndpoints({ metrics: all, state: () => workers.state() });
  try {
    const management = await startManagementHost(settings, endpoints, log);
    stopped.addEventListener('abort', () => management.drain());
    const serving = await workers.serving;
    if (typeof serving !== 'number') needs.onServing(serving);
    const code = await workers.ended;
    await management.close();
    return code;
  } catch (failure) {
    stop();
    await workers.ended;
    throw failure;
  }
}

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
