import type { ChildProcess } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import type { Settings } from '../config/settings.ts';
import type { Log } from '../ports/log.ts';
import { labelled, prometheusMetrics } from '../system/metrics.ts';
import { managementEndpoints } from '../tenant/management-endpoints.ts';
import { openConsole } from './console.ts';
import { forwardingTenancy } from './forwarding.ts';
import { startManagementHost } from './listeners.ts';
import { type BackOff, Supervisor } from './supervisor.ts';

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
 * Supervises the processes that serve, and answers health and metrics for them. It passes the other requests of the management
 * listener on, serves no request itself, and does not
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
  const forwarding = forwardingTenancy(() => workers.administrations());
  const endpoints = managementEndpoints({
    metrics: all,
    state: () => workers.state(),
    ...openConsole(() => settings),
  });
  try {
    const management = await startManagementHost({
      settings,
      endpoints,
      administration: () => forwarding,
      log,
      measured: own,
    });
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
