import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { withChildren } from '../../src/testing/postgres/server.ts';
import { freePort } from '../../test/program/free-port.ts';
import type { OnPostgres } from '../postgres.ts';
import { firstAnswer, stopChild } from '../processes/measured-process.ts';
import type { Compared, Missing } from './compared.ts';
import { introspectOnce } from './issue-tokens.ts';
import { PEER_CLIENT } from './peer.ts';
import { spawnPeer } from './spawn-peer.ts';

/** Debian's own Python: another one does not see the packages of Debian. */
const PYTHON = '/usr/bin/python3';
const FOLDER = fileURLToPath(new URL('../processes', import.meta.url));
const MODULE = 'django_oauth_toolkit';
const PATHS = { introspection: '/o/introspect/', token: '/o/token/' };
const WORKERS = 2;
const THREADS = 8;

const MISSING: Missing = {
  name: 'django-oauth-toolkit',
  install: 'apt-get install --no-install-recommends python3-django-oauth-toolkit gunicorn python3-psycopg2',
};

export function missingDjango(): readonly Missing[] {
  const found = spawnSync(PYTHON, ['-c', 'import oauth2_provider, gunicorn, psycopg2'], { stdio: 'ignore' });
  return found.status === 0 ? [] : [MISSING];
}

/** Starts Django OAuth Toolkit in gunicorn. It has no registration of clients by the clients themselves. */
export async function djangoOnPostgres(tokens: number, postgres: OnPostgres): Promise<Compared> {
  const environment = environmentFor(await postgres.createDatabase());
  const { tokens: issued, version } = prepare(environment, tokens);
  const port = await freePort();
  const child = spawnPeer(PYTHON, gunicorn(port), { cwd: FOLDER, env: environment });
  const name = 'django-oauth-toolkit, PostgreSQL';
  const close = async (): Promise<void> => await stopChild(child);
  try {
    await firstAnswer(port, 'GET /o/ HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n');
    await warmUp(port, issued);
    return {
      name,
      pid: child.pid ?? 0,
      family: () => withChildren(child.pid),
      databaseCpu: postgres.cpuSeconds,
      port,
      ...PEER_CLIENT,
      paths: PATHS,
      tokens: issued,
      described: { name, version, storage: postgres.described, settings: SETTINGS },
      close,
    };
  } catch (failure) {
    await close();
    throw failure;
  }
}

/** Lets each thread open its database connection. */
async function warmUp(port: number, [token = '']: readonly string[]): Promise<void> {
  const asking = Array.from(
    { length: WORKERS * THREADS * 4 },
    async () => await introspectOnce(port, PATHS.introspection, PEER_CLIENT, token),
  );
  await Promise.all(asking);
}

const SETTINGS = [
  `gunicorn with ${WORKERS} workers of ${THREADS} threads, the fastest of nine combinations (1 to 4 workers); no access log`,
  'DEBUG off, one middleware, each thread keeps its database connection (CONN_MAX_AGE None)',
  'access tokens: random identifiers (the default); 24 hours',
  'client secrets: plain text, as this version ships',
  'clients cannot register themselves: not in that table',
];

function environmentFor(url: string): NodeJS.ProcessEnv {
  const { port, username, pathname } = new URL(url);
  return {
    PATH: process.env['PATH'],
    PYTHONDONTWRITEBYTECODE: '1',
    BENCH_DJANGO_KEY: randomBytes(32).toString('hex'),
    BENCH_DATABASE_PORT: port,
    BENCH_DATABASE_USER: username,
    BENCH_DATABASE_NAME: pathname.slice(1),
  };
}

function prepare(
  environment: NodeJS.ProcessEnv,
  count: number,
): { readonly tokens: readonly string[]; readonly version: string } {
  const { status, stdout, stderr } = spawnSync(PYTHON, [`${MODULE}.py`], {
    cwd: FOLDER,
    env: environment,
    input: JSON.stringify({ ...PEER_CLIENT, count }),
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(`${MODULE}.py ended with ${status}: ${stderr}`);
  return JSON.parse(stdout) as ReturnType<typeof prepare>;
}

/** Only gunicorn's workers with threads keep connections open between requests. */
const gunicorn = (port: number): readonly string[] => [
  '-m',
  'gunicorn',
  `--bind=127.0.0.1:${port}`,
  `--workers=${WORKERS}`,
  `--threads=${THREADS}`,
  '--worker-class=gthread',
  '--keep-alive=600',
  '--log-level=error',
  `${MODULE}:application`,
];
