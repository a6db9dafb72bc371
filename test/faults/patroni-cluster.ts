import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { openPostgresSchema } from '../../src/storage/postgres/migrations.ts';
import { freePort } from '../program/free-port.ts';

/** Where Debian keeps what a Patroni needs and the package registry has not: pg_basebackup and pg_rewind. */
const PROGRAMS = '/usr/lib/postgresql/15/bin';
const MEMBERS = ['one', 'two', 'three'] as const;
const START_TIMEOUT_MS = 120_000;

/** Three PostgreSQL under Patroni, one of the standbys synchronous, and the etcd that they agree in. */
export interface Cluster {
  /** Names all three hosts. */
  readonly url: string;
  /** Returns the URL of the database on the present leader. */
  leaderUrl(): Promise<string>;
  /** The leader's Patroni and everything of its PostgreSQL. */
  leader(): Promise<Member>;
  /** Resolves when there is a leader with a synchronous standby. */
  settled(): Promise<void>;
  killEtcd(): Promise<void>;
  startEtcd(): Promise<void>;
  stop(): Promise<void>;
}

export interface Member {
  readonly name: string;
  signal(signal: NodeJS.Signals): void;
}

interface Running {
  readonly name: string;
  readonly port: number;
  readonly rest: number;
  readonly data: string;
  readonly patroni: ChildProcess;
}

/** Why there can be no cluster here; undefined where there can. */
export function noCluster(): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root, to become the user postgres';
  for (const program of ['patroni', 'etcd']) {
    try {
      execFileSync(program, ['--version'], { stdio: 'ignore' });
    } catch {
      return `${program} is not installed (apt-get install patroni etcd-server postgresql)`;
    }
  }
  return existsSync(join(PROGRAMS, 'pg_basebackup')) ? undefined : `${PROGRAMS} is not there`;
}

export async function startCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-patroni-'));
  const owner = ownerOf('postgres');
  chmodSync(folder, 0o755);
  chownSync(folder, owner.uid, owner.gid);
  const [etcdPort, peerPort] = [await freePort(), await freePort()];
  let etcd = startEtcd(folder, etcdPort, peerPort);
  const members: Running[] = [];
  for (const name of MEMBERS) members.push(await startMember(folder, name, etcdPort, owner));
  const hosts = members.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const leading = async (): Promise<Running> => {
    for (;;) {
      for (const member of members) if ((await role(member)) === 200) return member;
      await sleep(50);
    }
  };
  const cluster: Cluster = {
    url: `postgres://chancery@${hosts}/registry?sslmode=disable`,
    leaderUrl: async () => `postgres://chancery@127.0.0.1:${(await leading()).port}/registry?sslmode=disable`,
    async leader() {
      const member = await leading();
      return { name: member.name, signal: (signal) => signalAll(member, signal) };
    },
    async settled() {
      const deadline = Date.now() + START_TIMEOUT_MS;
      while (!(await hasSynchronousStandby(members))) {
        if (Date.now() > deadline) throw new Error(`the cluster did not settle: ${outputs(folder)}`);
        await sleep(100);
      }
    },
    async killEtcd() {
      const exited = once(etcd, 'exit');
      etcd.kill('SIGKILL');
      await exited;
    },
    async startEtcd() {
      etcd = startEtcd(folder, etcdPort, peerPort);
    },
    async stop() {
      for (const member of members) signalAll(member, 'SIGCONT');
      for (const member of members) signalAll(member, 'SIGKILL');
      etcd.kill('SIGKILL');
      await sleep(200);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await cluster.settled();
    await createRegistry(await cluster.leaderUrl());
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

function ownerOf(user: string): { readonly uid: number; readonly gid: number } {
  const [uid, gid] = ['-u', '-g'].map((option) =>
    Number(execFileSync('id', [option, user], { encoding: 'utf8' })),
  );
  return { uid: uid ?? 0, gid: gid ?? 0 };
}

function startEtcd(folder: string, port: number, peerPort: number): ChildProcess {
  const client = `http://127.0.0.1:${port}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  return spawn(
    'etcd',
    [
      `--data-dir=${join(folder, 'etcd')}`,
      '--enable-v2',
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
    ],
    { stdio: 'ignore' },
  );
}

async function startMember(
  folder: string,
  name: string,
  etcdPort: number,
  owner: { readonly uid: number; readonly gid: number },
): Promise<Running> {
  const place = join(folder, name);
  mkdirSync(place, { mode: 0o700 });
  chownSync(place, owner.uid, owner.gid);
  const [port, rest] = [await freePort(), await freePort()];
  const data = join(place, 'data');
  const configuration = join(folder, `${name}.json`);
  // YAML, as JSON is.
  writeFileSync(
    configuration,
    JSON.stringify(memberConfiguration({ name, etcdPort, port, rest, data, place })),
  );
  const patroni = spawn('sh', ['-c', `exec patroni ${configuration} >${folder}/${name}.log 2>&1`], {
    ...owner,
    cwd: place,
    stdio: 'ignore',
    env: { PATH: `${PROGRAMS}:${process.env['PATH'] ?? ''}`, LANG: 'C.UTF-8' },
  });
  return { name, port, rest, data, patroni };
}

interface MemberPlace {
  readonly name: string;
  readonly etcdPort: number;
  readonly port: number;
  readonly rest: number;
  readonly data: string;
  readonly place: string;
}

/**
 * The second API of etcd: over the third one Patroni 3.0.2 lets a leader that was stopped take back the lock that another
 * one has got meanwhile, and what that one had acknowledged is lost (patroni/patroni#2689).
 *
 * The shortest times that Patroni allows: `ttl` is at least `loop_wait` and twice `retry_timeout`. */
function memberConfiguration({ name, etcdPort, port, rest, data, place }: MemberPlace): object {
  const trusted = ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'];
  return {
    scope: 'chancery',
    name,
    restapi: { listen: `127.0.0.1:${rest}`, connect_address: `127.0.0.1:${rest}` },
    etcd: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ttl: 10,
        loop_wait: 2,
        retry_timeout: 3,
        synchronous_mode: true,
        postgresql: { use_pg_rewind: true, parameters: { max_connections: 100 } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }],
      pg_hba: trusted,
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: data,
      bin_dir: PROGRAMS,
      pg_hba: trusted,
      authentication: {
        superuser: { username: 'postgres' },
        replication: { username: 'replicator' },
      },
      parameters: { unix_socket_directories: place },
    },
  };
}

/** Patroni's REST API, "Health check endpoints": `/primary` is 200 on the leader only. */
async function role({ rest }: Running, path = 'primary'): Promise<number> {
  try {
    const answer = await fetch(`http://127.0.0.1:${rest}/${path}`, { signal: AbortSignal.timeout(1_000) });
    return answer.status;
  } catch {
    return 0;
  }
}

async function hasSynchronousStandby(members: readonly Running[]): Promise<boolean> {
  const primaries = await Promise.all(members.map((member) => role(member)));
  const standbys = await Promise.all(members.map((member) => role(member, 'synchronous')));
  const replicas = await Promise.all(members.map((member) => role(member, 'replica')));
  return (
    primaries.includes(200) &&
    standbys.includes(200) &&
    replicas.filter((status) => status === 200).length === 2
  );
}

function signalAll({ patroni, data }: Running, signal: NodeJS.Signals): void {
  const postmaster = postmasterOf(data);
  const pids = [patroni.pid, ...(postmaster === undefined ? [] : [postmaster, ...childrenOf(postmaster)])];
  for (const pid of pids) {
    try {
      if (pid !== undefined) process.kill(pid, signal);
    } catch {
      // It has gone meanwhile.
    }
  }
}

function postmasterOf(data: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
    // The file of a killed server may name a process id that another program has by now.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(data) ? pid : undefined;
  } catch {
    return undefined;
  }
}

function childrenOf(pid: number): readonly number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return children === '' ? [] : children.split(' ').map(Number);
  } catch {
    return [];
  }
}

const outputs = (folder: string): string =>
  MEMBERS.map((name) => readFileSync(join(folder, `${name}.log`), 'utf8').slice(-600)).join('\n');

async function createRegistry(url: string): Promise<void> {
  await administer(url.replace('//chancery@', '//postgres@').replace('/registry', '/postgres'), [
    'CREATE ROLE chancery LOGIN',
    'CREATE DATABASE registry OWNER chancery',
  ]);
  const schema = openPostgresSchema(url, 10_000);
  await schema.up(0);
  await schema.close();
}

async function administer(connectionString: string, statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
