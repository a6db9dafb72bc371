import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROGRAM } from '../../src/testing/program.ts';
import { endedWithTests } from './children.ts';
import { freePort } from './free-port.ts';
import { inheritedEnvironment } from './inherited-environment.ts';
import { masterToken as randomMasterToken } from './master-token.ts';
import { openPipe } from './pipe.ts';
import { asDefaultTenant, createTenant, TENANT_VARIABLE } from './second-tenant.ts';
import { storageUrl } from './storage-place.ts';

const READY_TIMEOUT_MS = 60_000;
const PRINTED_TIMEOUT_MS = 30_000;
/** Names the executable that started programs run on, for trials of another Node; this process's own where it is not set. */
const RUNTIME_VARIABLE = 'CHANCERY_TEST_RUNTIME';

export interface StartOptions {
  readonly mode?: 'serve' | 'dev';
  /** Behind the mode, on the command line. */
  readonly parameters?: readonly string[];
  /** Another version of the program: the path of its `chancery.ts`. */
  readonly program?: string;
  /** Kept when the program stops; a new one, removed with the program, where none is named. */
  readonly folder?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** The path of the issuer, for instance `/c2`. */
  readonly issuerPath?: string;
  /** A descriptor that the log goes to instead of `output`. */
  readonly standardError?: number;
  /** Its log goes through a pipe, as in a container, and not through a socket. */
  readonly logPipe?: boolean;
  /** The executable that it runs on, if not the one of the tests. */
  readonly runtime?: string;
  /** The only CPU that it has (Linux, `taskset`). */
  readonly cpu?: number;
  /** The address that it listens on, if not the loopback one. */
  readonly host?: string;
}

/** The started program, as its operator and its clients see it. */
export interface Program {
  readonly pid: number;
  readonly issuer: string;
  /** The id of the tenant whose issuer that is. */
  readonly tenant: string;
  readonly host: string;
  readonly port: number;
  /** Where the listener is: the issuer's path on plain http, as a proxy in front of it would call it. */
  readonly url: string;
  readonly managementUrl: string;
  readonly folder: string;
  /** Opens the client registry. */
  readonly masterToken: string;
  /** Opens the direct authorisation endpoint. */
  readonly directToken: string;
  /** A break-glass token: it opens the administration. */
  readonly adminToken: string;
  /** Everything printed so far, standard output and log together. */
  output(): string;
  /** Resolves as soon as something is printed that matches: what is in a log comes by another way than the answer it is about. */
  printed(words: RegExp): Promise<void>;
  /** Closes the pipes of its output. */
  closeOutput(): void;
  signal(signal: NodeJS.Signals): void;
  /** Resolves with the exit code, or the signal's name, once the process is gone. */
  readonly exited: Promise<number | string>;
  /** Stops with SIGTERM and removes the folder if it was made here. */
  stop(): Promise<void>;
}

export const ENCRYPTION_KEY = randomBytes(32).toString('hex');

/** Starts the program on free ports and waits until it is ready. Rejects with its output when it ends before that. */
export async function startProgram(options: StartOptions = {}): Promise<Program> {
  const launched = await launchProgram(options);
  await untilReady(launched);
  return launched;
}

/** Starts the program without waiting for it. */
export async function launchProgram(options: StartOptions = {}): Promise<Program> {
  const mode = options.mode ?? 'serve';
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'chancery-test-'));
  const [port, managementPort] = [await freePort(), await freePort()];
  const issuerPath = options.issuerPath ?? '';
  const tenant = mode === 'serve' ? process.env[TENANT_VARIABLE] : undefined;
  const secrets = {
    masterToken: randomMasterToken(),
    directToken: randomMasterToken(),
    adminToken: randomMasterToken(),
  };
  const host = options.host ?? '127.0.0.1';
  const issuer =
    mode === 'dev' ? `http://127.0.0.1:${port}${issuerPath}` : `https://op.example.com${issuerPath}`;
  const environment = {
    ...inheritedEnvironment(),
    CHANCERY_ISSUER: issuer,
    CHANCERY_LISTEN_HOST: host,
    CHANCERY_MANAGEMENT_LISTEN_HOST: host,
    CHANCERY_LISTEN_PORT: String(port),
    CHANCERY_MANAGEMENT_LISTEN_PORT: String(managementPort),
    CHANCERY_STORAGE_URL: options.environment?.['CHANCERY_STORAGE_URL'] ?? (await storageUrl(folder)),
    CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
    CHANCERY_REGISTRATION_MASTER_TOKEN_SHA256: sha256(secrets.masterToken),
    CHANCERY_DIRECT_AUTHORIZATION_TOKEN_SHA256: sha256(secrets.directToken),
    // An earlier version of the program does not know the setting.
    ...(options.program === undefined ? { CHANCERY_ADMIN_TOKEN_SHA256: sha256(secrets.adminToken) } : {}),
    ...options.environment,
  };
  if (tenant !== undefined) await createTenant(folder, tenant, environment);
  const runtime = options.runtime ?? process.env[RUNTIME_VARIABLE] ?? process.execPath;
  // Another version of the program may not know the option, and may need it: its own command makes the database.
  const creating = mode === 'serve' && options.program === undefined ? ['--create'] : [];
  if (options.program !== undefined && mode === 'serve')
    spawnSync(runtime, [options.program, 'migrate', 'up'], { env: environment });
  // `taskset` becomes the program and keeps its id.
  const [command, ...words] =
    options.cpu === undefined ? [runtime] : ['taskset', '-c', String(options.cpu), runtime];
  const pipe = options.logPipe === true ? openPipe() : undefined;
  const child = endedWithTests(
    spawn(command, [...words, options.program ?? PROGRAM, mode, ...creating, ...(options.parameters ?? [])], {
      env: tenant === undefined ? environment : asDefaultTenant(environment),
      // There the development mode keeps its own files, where the data is in no folder.
      cwd: folder,
      stdio: ['ignore', 'pipe', options.standardError ?? pipe?.writeEnd ?? 'pipe'],
    }),
  );
  pipe?.closeWriteEnd();
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await described.exited;
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
  };
  const described = describe(
    { child, log: pipe?.output ?? child.stderr, stop },
    {
      issuer: environment.CHANCERY_ISSUER,
      tenant: tenant ?? 'default',
      host,
      port,
      url: `http://${host}:${port}${issuerPath}`,
      managementUrl: `http://${host}:${managementPort}`,
      folder,
      ...secrets,
    },
  );
  return described;
}

interface Started extends Pick<Program, 'stop'> {
  readonly child: ChildProcess;
  readonly log: Readable | null;
}

function describe(
  { child, log, stop }: Started,
  known: Omit<Program, 'pid' | 'output' | 'printed' | 'closeOutput' | 'signal' | 'exited' | 'stop'>,
): Program {
  let output = '';
  const streams = [child.stdout, log];
  for (const stream of streams) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  const closed = log === null ? undefined : once(log, 'close');
  const exited = once(child, 'close').then(async ([code, signal]) => {
    await closed;
    return (code ?? signal) as number | string;
  });
  return {
    ...known,
    pid: child.pid ?? 0,
    output: () => output,
    printed: async (words) => {
      const deadline = Date.now() + PRINTED_TIMEOUT_MS;
      while (!words.test(output)) {
        if (Date.now() > deadline) throw new Error(`never printed: ${String(words)}\n${output}`);
        await sleep(10);
      }
    },
    closeOutput: () => streams.forEach((stream) => stream?.destroy()),
    signal: (name) => child.kill(name),
    exited,
    stop,
  };
}

async function untilReady(program: Program): Promise<void> {
  let ended: number | string | undefined;
  const noteEnd = async (): Promise<void> => {
    ended = await program.exited;
  };
  void noteEnd();
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (ended !== undefined) throw new Error(`the program ended with ${ended}:\n${program.output()}`);
    const answer = await fetch(`${program.managementUrl}/health/ready`).catch(() => undefined);
    if (answer?.status === 200) return;
    await sleep(20);
  }
  program.signal('SIGKILL');
  throw new Error(`the program was not ready in time:\n${program.output()}`);
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
