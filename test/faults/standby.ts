import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { endedWithTests } from '../program/children.ts';
import { freePort } from '../program/free-port.ts';

const START_TIMEOUT_MS = 60_000;
/** The user that runs the test server when root starts it. */
const UNPRIVILEGED = { uid: 65_534, gid: 65_534 };

/** A standby that follows a test server by streaming. */
export interface Standby {
  readonly port: number;
  /** Holds back what comes from the primary; and lets it through again. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** PostgreSQL documentation, "Making a Base Backup Using the Low Level API": the package has no pg_basebackup. */
export async function startStandby(primaryPort: number): Promise<Standby> {
  const primary = await connected(primaryPort);
  const { rows } = await primary.query<{ data_directory: string }>('SHOW data_directory');
  const data = rows[0]?.data_directory ?? '';
  const folder = dirname(data);
  const copy = join(folder, 'standby');
  await primary.query("SELECT pg_backup_start('standby', true)");
  cpSync(data, copy, { recursive: true, filter: (file) => !file.endsWith('postmaster.pid') });
  const stopped = await primary.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
  await primary.end();
  writeFileSync(join(copy, 'backup_label'), stopped.rows[0]?.labelfile ?? '');
  writeFileSync(join(copy, 'standby.signal'), '');
  const port = await freePort();
  const child = start(folder, copy, port, primaryPort);
  await untilFollowing(port);
  const command = async (statement: string): Promise<void> => {
    const client = await connected(port);
    await client.query(statement);
    await client.end();
  };
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGQUIT');
    await exited;
  };
  return {
    port,
    pause: () => command('SELECT pg_wal_replay_pause()'),
    resume: () => command('SELECT pg_wal_replay_resume()'),
    kill,
    async stop() {
      await kill();
      rmSync(copy, { recursive: true, force: true });
    },
  };
}

function start(folder: string, data: string, port: number, primaryPort: number): ChildProcess {
  const asRoot = process.getuid?.() === 0;
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 300,
    primary_conninfo: `host=127.0.0.1 port=${primaryPort} user=postgres sslmode=disable`,
  };
  const parameters = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const program = join(folder, 'programs/bin/postgres');
  if (asRoot) execFileSync('chown', ['-R', `${UNPRIVILEGED.uid}:${UNPRIVILEGED.gid}`, data]);
  return endedWithTests(
    spawn(program, ['-D', data, ...parameters], {
      ...(asRoot ? UNPRIVILEGED : {}),
      cwd: data,
      stdio: 'ignore',
    }),
  );
}

async function connected(port: number): Promise<Client> {
  const client = new Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function untilFollowing(port: number): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      const client = await connected(port);
      const { rowCount } = await client.query(
        "SELECT 1 FROM pg_stat_wal_receiver WHERE status = 'streaming'",
      );
      await client.end();
      if (rowCount === 1) return;
    } catch {
      // It does not answer before it has caught up with the copy.
    }
    if (Date.now() > deadline) throw new Error('the standby does not follow');
    await sleep(100);
  }
}
