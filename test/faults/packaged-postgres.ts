import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPostgresSchema } from '../../src/storage/postgres/migrations.ts';
import { createDatabase } from '../../src/testing/postgres/server.ts';
import { freePort } from '../program/free-port.ts';

/** Where Debian keeps what the package registry's PostgreSQL has not: pg_dump, pg_restore, pg_basebackup. */
const PROGRAMS = '/usr/lib/postgresql/15/bin';
const START_TIMEOUT_MS = 60_000;

/** A PostgreSQL with its own tools, as an operator has it. */
export interface PackagedPostgres {
  /** The URL of a database with a schema that the program's role owns. */
  readonly url: string;
  /** `pg_dump` into a file. */
  dump(file: string): Promise<void>;
  /** `pg_restore` of such a file into a new database; its URL. */
  restoreDump(file: string): Promise<string>;
  /** `pg_basebackup` of the whole server into a folder of its own; the folder. */
  baseBackup(name: string): Promise<string>;
  /** A second server on such a folder; the URL of the registry in it. */
  startOn(folder: string): Promise<string>;
  stop(): Promise<void>;
}

/** Why there can be none here; undefined where there can. */
export function noPackagedPostgres(): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root, to become the user postgres';
  return existsSync(join(PROGRAMS, 'pg_dump'))
    ? undefined
    : `${PROGRAMS} is not there (apt-get install postgresql)`;
}

export async function startPackagedPostgres(): Promise<PackagedPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-packaged-'));
  const owner = ownerOf('postgres');
  chmodSync(folder, 0o755);
  chownSync(folder, owner.uid, owner.gid);
  const children: ChildProcess[] = [];
  const run = async (name: string, ...words: readonly string[]): Promise<void> => {
    const child = spawn(join(PROGRAMS, name), words, {
      ...owner,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`${name} ended with ${code}`);
  };
  const serve = async (data: string): Promise<number> => {
    const port = await freePort();
    const options = ['-p', String(port), '-k', '', '-h', '127.0.0.1'];
    children.push(
      spawn(join(PROGRAMS, 'postgres'), ['-D', data, ...options], { ...owner, cwd: data, stdio: 'ignore' }),
    );
    await untilReady(port);
    return port;
  };
  const data = join(folder, 'data');
  await run('initdb', '-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C');
  const port = await serve(data);
  const server = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres'];
  await run('createuser', ...server, 'chancery');
  const url = await createDatabase(port);
  const schema = openPostgresSchema(url, 5000);
  await schema.up(0);
  await schema.close();
  const database = new URL(url).pathname.slice(1);
  return {
    url,
    dump: (file) => run('pg_dump', ...server, '-Fc', database, '-f', join(folder, file)),
    async restoreDump(file) {
      const restored = await createDatabase(port);
      const into = new URL(restored).pathname.slice(1);
      await run('pg_restore', ...server, '--exit-on-error', '-d', into, join(folder, file));
      return restored;
    },
    async baseBackup(name) {
      const copy = join(folder, name);
      await run('pg_basebackup', ...server, '-D', copy, '-X', 'stream', '--checkpoint=fast');
      return copy;
    },
    startOn: async (copy) => url.replace(`:${port}/`, `:${await serve(copy)}/`),
    async stop() {
      for (const child of children) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const exited = once(child, 'exit');
        child.kill('SIGQUIT');
        await exited;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function ownerOf(user: string): { readonly uid: number; readonly gid: number } {
  const [uid, gid] = ['-u', '-g'].map((option) =>
    Number(execFileSync('id', [option, user], { encoding: 'utf8' })),
  );
  return { uid: uid ?? 0, gid: gid ?? 0 };
}

async function untilReady(port: number): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      execFileSync(join(PROGRAMS, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)], {
        stdio: 'ignore',
      });
      return;
    } catch {
      if (Date.now() > deadline) throw new Error(`PostgreSQL did not start on port ${port}`);
      await sleep(50);
    }
  }
}
