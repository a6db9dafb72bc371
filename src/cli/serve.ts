import { fork } from 'node:child_process';
import { LIFELINE_VARIABLE, WORKER_VARIABLE } from '../config/environment.ts';
import type { ResolvedSettings } from '../config/load-settings.ts';
import type { Settings } from '../config/settings.ts';
import type { FromWorker } from '../process/supervisor.ts';
import { command, type Surroundings } from './command.ts';
import {
  dieWithLauncher,
  exitCodeOf,
  runUntilStopped,
  serveUntil,
  stopOnSignals,
  stopOnUnhandledErrors,
  stopTimeout,
} from './run-until-stopped.ts';
import { CONFIG_OPTION, SETTINGS_VARIABLES, settingsFor } from './settings.ts';

const serve = command({
  words: ['serve'],
  summary: 'Start a production server with one or more worker processes',
  description: [
    'The server runs in the foreground and logs one JSON object per line, or text on a terminal (`log.format`). SIGTERM, SIGINT and SIGHUP stop it: it finishes the requests under way and closes. It refuses to start with a wrong setting, a wrong encryption key, a database that is missing or was made for another issuer, or a database schema that needs `chancery migrate up`.',
    'With several workers, a supervisor process restarts a worker that ends (Linux and FreeBSD). All workers listen on the same ports.',
  ],
  servers:
    'Several servers may share one database: on one machine with SQLite, on any number of machines with PostgreSQL.',
  options: {
    workers: {
      kind: 'text',
      value: 'N',
      words: 'Starts this number of worker processes. Overrides the setting `workers`.',
    },
    create: {
      kind: 'flag',
      words:
        'Creates the SQLite database if there is none, as for the first start. Overrides the setting `storage.create`.',
    },
    ...CONFIG_OPTION,
  },
  environment: SETTINGS_VARIABLES,
  output: 'The log, and one line with the issuer and the address when the server listens.',
  exits: {
    0: 'A signal stopped the server, and it closed in time.',
    1: 'The server could not start, or did not close in time.',
    70: 'The server met an error that no code handled. It logged the error, finished the requests under way and ended: start it again.',
  },
  examples: [
    'chancery serve --config /etc/chancery/chancery.yaml --create',
    'chancery serve --config /etc/chancery/chancery.yaml --workers 4',
  ],
  run: async (call) => {
    const { workers, create } = call.options;
    const { environment } = call;
    const given = {
      ...environment,
      ...(workers === undefined ? {} : { CHANCERY_WORKERS: workers }),
      ...(create ? { CHANCERY_STORAGE_CREATE: 'true' } : {}),
    };
    const resolved = await settingsFor('production', { ...call, environment: given });
    const { settings } = resolved;
    const number = environment[WORKER_VARIABLE];
    if (number !== undefined) return await serveAsWorker(resolved, number);
    if (settings.workers > 1) return await serveWithWorkers(settings, call);
    return await serveAlone(resolved, call);
  },
});

export const SERVE_COMMANDS = [serve];

async function serveAlone({ settings, origins }: ResolvedSettings, { print }: Surroundings): Promise<number> {
  const { startServer } = await import('../process/serve.ts');
  const { serverLog } = await import('../system/log.ts');
  const log = serverLog(settings);
  return await runUntilStopped({ settings, log }, async (stopped) => {
    const server = await startServer(settings, 'production', log, stopped, { origins });
    if (server === undefined) return undefined;
    const { address, port } = server.address;
    print(`chancery serves ${settings.issuer} on ${address}:${port}`);
    return server;
  });
}

async function serveWithWorkers(
  settings: Settings,
  { parameters, print }: Surroundings & { readonly parameters: readonly string[] },
): Promise<number> {
  const { runWorkers } = await import('../process/workers.ts');
  const { serverLog } = await import('../system/log.ts');
  const log = serverLog(settings, { pid: process.pid });
  const stop = stopOnSignals();
  // A hanging worker has time to end on its own before it is killed.
  const stopTimeout_ms = stopTimeout(settings) + 2000;
  stopOnUnhandledErrors(stop, stopTimeout_ms, log);
  dieWithLauncher();
  const { [LIFELINE_VARIABLE]: _lifeline, ...inherited } = process.env;
  const later = parameters.filter((parameter) => parameter !== '--create');
  let first = true;
  const code = await runWorkers({
    settings,
    log,
    start(number) {
      // Only the first process may create the database: if the file vanishes later, a worker must not replace it.
      const env = { ...inherited, [WORKER_VARIABLE]: String(number) };
      const script = process.argv[1] ?? '';
      const child = first
        ? fork(script, ['serve', ...parameters], { env })
        : fork(script, ['serve', ...later], { env: { ...env, CHANCERY_STORAGE_CREATE: 'false' } });
      first = false;
      return child;
    },
    stopTimeout_ms,
    stopped: stop.signal,
    onServing({ address, port }) {
      const { issuer, workers } = settings;
      print(`chancery serves ${issuer} on ${address}:${port} with ${workers} processes`);
    },
  });
  return code === 0 ? exitCodeOf(stop.signal) : code;
}

/** It starts before the others, and checks the database file for all. */
const FIRST_WORKER = '1';

async function serveAsWorker({ settings, origins }: ResolvedSettings, number: string): Promise<number> {
  const { startWorker } = await import('../process/worker.ts');
  const { serverLog } = await import('../system/log.ts');
  const log = serverLog(settings, { worker: Number(number), pid: process.pid });
  const stop = stopOnSignals();
  stopOnUnhandledErrors(stop, stopTimeout(settings), log);
  const parent = {
    send: (message: FromWorker) => {
      // The channel closes when the supervisor ends; the message has no receiver then.
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
      async () => await startWorker(settings, log, { parent, stop, check: number === FIRST_WORKER, origins }),
    );
  } finally {
    // An open channel would keep the process alive.
    if (process.connected) process.disconnect?.();
  }
}
