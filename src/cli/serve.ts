import { fork } from 'node:child_process';
import { parseArgs } from 'node:util';
import { LIFELINE_VARIABLE, WORKER_VARIABLE } from '../config/environment.ts';
import type { Settings } from '../config/settings.ts';
import { startServer } from '../process/serve.ts';
import type { FromWorker } from '../process/worker-channel.ts';
import { runWorkers, startWorker } from '../process/workers.ts';
import { jsonLog } from '../system/log.ts';
import type { CommandContext, Run } from './commands.ts';
import {
  dieWithLauncher,
  runUntilStopped,
  serveUntil,
  stopOnSignals,
  stopTimeout,
} from './run-until-stopped.ts';
import { CONFIG_OPTION, settingsFor } from './settings-sources.ts';

export const run: Run = async (parameters, context) => {
  const { values } = parseArgs({
    args: [...parameters],
    options: { ...CONFIG_OPTION, workers: { type: 'string' } },
  });
  const { workers, config } = values;
  const { environment } = context;
  const given = workers === undefined ? environment : { ...environment, CHANCERY_WORKERS: workers };
  const resolved = settingsFor('production', config, { ...context, environment: given });
  if (resolved === undefined) return 1;
  const { settings } = resolved;
  const number = environment[WORKER_VARIABLE];
  if (number !== undefined) return await serveAsWorker(settings, number);
  if (settings.workers > 1) return await serveWithWorkers(settings, parameters, context);
  return await serveAlone(settings, context);
};

async function serveAlone(settings: Settings, context: CommandContext): Promise<number> {
  const log = jsonLog(settings['log.level']);
  return await runUntilStopped({ settings, log }, async (stopped) => {
    const server = await startServer(settings, 'production', log, stopped);
    if (server === undefined) return undefined;
    const { address, port } = server.address;
    context.print(`chancery serves ${settings.issuer} on ${address}:${port}`);
    return server;
  });
}

async function serveWithWorkers(
  settings: Settings,
  parameters: readonly string[],
  context: CommandContext,
): Promise<number> {
  const log = jsonLog(settings['log.level'], { pid: process.pid });
  const { signal } = stopOnSignals();
  dieWithLauncher();
  const { [LIFELINE_VARIABLE]: _lifeline, ...inherited } = process.env;
  return await runWorkers({
    settings,
    log,
    start: (number) =>
      fork(process.argv[1] ?? '', ['serve', ...parameters], {
        env: { ...inherited, [WORKER_VARIABLE]: String(number) },
      }),
    // A worker that hangs ends by itself before it is killed.
    stopTimeout_ms: stopTimeout(settings) + 2000,
    stopped: signal,
    onServing({ address, port }) {
      const { issuer, workers } = settings;
      context.print(`chancery serves ${issuer} on ${address}:${port} with ${workers} processes`);
    },
  });
}

async function serveAsWorker(settings: Settings, number: string): Promise<number> {
  const log = jsonLog(settings['log.level'], { worker: Number(number), pid: process.pid });
  const stop = stopOnSignals();
  const parent = {
    // The channel may close at any moment: then nobody asks any more.
    send: (message: FromWorker) => {
      // The channel may close at any moment: then nobody asks any more.
      if (process.connected) process.send?.(message, undefined, {}, () => undefined);
    },
    onMessage: (receive: (message: unknown) => void) => void process.on('message', receive),
    onEnd: (ended: () => void) => void process.on('disconnect', ended),
  };
  try {
    return await serveUntil(
      stop,
      stopTimeout(settings),
      log,
      async () => await startWorker(settings, log, { parent, stop }),
    );
  } finally {
    // An open channel would keep the process.
    if (process.connected) process.disconnect?.();
  }
}
