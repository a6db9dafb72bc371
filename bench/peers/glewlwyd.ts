import { type ChildProcess, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { freePort } from '../../test/program/free-port.ts';
import { type OnPostgres, query } from '../postgres.ts';
import { cpuSeconds, firstAnswer, stopChild } from '../processes/measured-process.ts';
import type { Compared, Missing } from './compared.ts';
import { debianVersion } from './debian.ts';
import { addClient, configureGlewlwyd, glewlwydConfiguration, SIGNATURE } from './glewlwyd-configuration.ts';
import { introspectOnce, issueTokens } from './issue-tokens.ts';
import { PEER_CLIENT } from './peer.ts';
import { spawnPeer } from './spawn-peer.ts';

/** The places of the Debian package. */
const PROGRAM = '/usr/bin/glewlwyd';
const TABLES = '/usr/share/doc/glewlwyd/database';
const PATHS = {
  introspection: '/api/oidc/introspect/',
  token: '/api/oidc/token/',
  registration: '/api/oidc/register/',
};

const MISSING: Missing = { name: 'glewlwyd', install: 'apt-get install --no-install-recommends glewlwyd' };

export const missingGlewlwyd = (): readonly Missing[] =>
  existsSync(PROGRAM) && existsSync(TABLES) ? [] : [MISSING];

interface Prepared {
  readonly folder: string;
  /** The block `database` of its configuration. */
  readonly database: string;
}

/** Starts glewlwyd on SQLite. By default it would hash a client's secret 150,000 times for each request. */
export async function glewlwydOnSqlite(parent: string, tokens: number): Promise<Compared> {
  const shipped_ms = await costAsShipped(onSqlite(parent, ''));
  const once = `UPDATE g_client_module_instance
    SET gcmi_parameters = json_set(gcmi_parameters, '$."pbkdf2-iterations"', 1);`;
  return await start('glewlwyd, SQLite', onSqlite(parent, once), tokens, {
    storage: `SQLite ${debianVersion('libsqlite3-0')}; journal WAL (the benchmark sets it; the default is DELETE), synchronous FULL (the default)`,
    secrets: `client secrets: PBKDF2 with 1 iteration. As shipped, an introspection takes ${shipped_ms} ms of CPU`,
  });
}

function onSqlite(parent: string, settings: string): Prepared {
  const folder = mkdtempSync(join(parent, 'glewlwyd-sqlite-'));
  const path = join(folder, 'glewlwyd.db');
  const database = new DatabaseSync(path);
  database.exec(`${tablesFor('sqlite3')} ${settings} PRAGMA journal_mode = WAL`);
  database.close();
  return { folder, database: `{ type = "sqlite3"; path = "${path}"; }` };
}

/** Starts glewlwyd on PostgreSQL, which hashes the secrets of clients itself, with bcrypt. */
export async function glewlwydOnPostgres(
  parent: string,
  tokens: number,
  postgres: OnPostgres,
): Promise<Compared> {
  const folder = mkdtempSync(join(parent, 'glewlwyd-postgres-'));
  const url = await postgres.createDatabase();
  await query(url, `CREATE EXTENSION pgcrypto; ${tablesFor('postgre')}`);
  const prepared = { folder, database: `{ type = "postgre"; conninfo = "${url}"; }` };
  const started = await start('glewlwyd, PostgreSQL', prepared, tokens, {
    storage: postgres.described,
    secrets: 'client secrets: bcrypt with 2^6 rounds inside PostgreSQL, as shipped; no setting changes it',
  });
  return { ...started, databaseCpu: postgres.cpuSeconds };
}

/** Returns the statements of the package, and adds the scope of the client. */
function tablesFor(engine: 'sqlite3' | 'postgre'): string {
  const shipped = gunzipSync(readFileSync(join(TABLES, `init.${engine}.sql.gz`))).toString();
  return `${shipped}
    INSERT INTO g_scope (gs_name, gs_display_name, gs_password_required) VALUES ('${PEER_CLIENT.scope}', '', 0);`;
}

async function start(
  name: string,
  prepared: Prepared,
  tokens: number,
  { storage, secrets }: { readonly storage: string; readonly secrets: string },
): Promise<Compared> {
  const port = await freePort();
  const child = await launch(prepared, port);
  try {
    const cookie = await configureGlewlwyd(port, randomBytes(32).toString('base64url'));
    await addClient(port, cookie, PEER_CLIENT);
    return {
      name,
      pid: child.pid ?? 0,
      port,
      ...PEER_CLIENT,
      paths: PATHS,
      provingGrant: 'client_credentials',
      registeringConnections: 1,
      tokens: await issueTokens(port, PATHS.token, PEER_CLIENT, tokens),
      described: { name, version: version(), storage, settings: [...SETTINGS, secrets] },
      close: async () => await stopChild(child),
    };
  } catch (failure) {
    await stopChild(child);
    throw failure;
  }
}

const SETTINGS = [
  'one process, one thread for each connection (its only way); log level WARNING',
  `access tokens: JWT with ${SIGNATURE}, the cheapest of its signatures, and a row in the database; 24 hours`,
  'plugin oidc with client_credentials, introspection by any client, and open registration',
  'registration over one connection: of 640 over 64 connections, 65 (SQLite) and 98 (PostgreSQL) were answered with 500',
];

/** As the program tells it, with the revision of the package. */
function version(): string {
  const told = execFileSync(PROGRAM, ['--version'], { encoding: 'utf8' }).trim();
  return `${told} (Debian ${debianVersion('glewlwyd')})`;
}

async function launch({ folder, database }: Prepared, port: number): Promise<ChildProcess> {
  const configuration = join(folder, 'glewlwyd.conf');
  writeFileSync(configuration, glewlwydConfiguration(port, folder, database));
  const child = spawnPeer(PROGRAM, [`--config-file=${configuration}`]);
  const answering = firstAnswer(port, 'GET /config HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
  const ended = once(child, 'exit').then(() => 'ended' as const);
  if ((await Promise.race([answering, ended])) === 'ended') throw new Error(`${PROGRAM} ended`);
  return child;
}

const ASKED = 10;

/** Measures an introspection with the settings of the package: under load it would take seconds. */
async function costAsShipped(prepared: Prepared): Promise<string> {
  const started = await start('as shipped', prepared, 1, { storage: '', secrets: '' });
  try {
    const {
      port,
      pid,
      tokens: [token = ''],
    } = started;
    const before = cpuSeconds(pid) ?? Number.NaN;
    for (let asked = 0; asked < ASKED; asked += 1)
      await introspectOnce(port, PATHS.introspection, started, token);
    const seconds = (cpuSeconds(pid) ?? Number.NaN) - before;
    return ((seconds / ASKED) * 1000).toFixed(0);
  } finally {
    await started.close();
  }
}
