import { spawn } from 'node:child_process';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { freePort } from '../test/program/free-port.ts';
import { basic } from './http-subject.ts';
import { PEER_CLIENT, type Peer } from './peers.ts';
import { firstAnswer, stopChild } from './processes/measured-process.ts';

export const GLEWLWYD = 'glewlwyd, SQLite';

/** Where the Debian package puts things. */
const PROGRAM = '/usr/bin/glewlwyd';
const TABLES = '/usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz';
const MODULES = '/usr/lib/glewlwyd';

/** The administrator that the package's tables begin with. */
const ADMINISTRATOR = { username: 'admin', password: 'password' };

/**
 * Glewlwyd with a database of its own and its OAuth 2.0 plugin, whose access tokens are JWTs with records. Secrets of
 * clients are hashed once, so that it does less than it does by default.
 * @returns undefined where it is not installed
 */
export async function startGlewlwyd(parent: string, tokens: number): Promise<Peer | undefined> {
  if (!existsSync(PROGRAM) || !existsSync(TABLES)) return undefined;
  const folder = mkdtempSync(join(parent, 'glewlwyd-'));
  const database = new DatabaseSync(join(folder, 'glewlwyd.db'));
  database.exec(gunzipSync(readFileSync(TABLES)).toString());
  // By default each authentication of a client hashes its secret so often that a few fit into a second.
  database.exec(`UPDATE g_client_module_instance
    SET gcmi_parameters = json_set(gcmi_parameters, '$."pbkdf2-iterations"', 1)`);
  database.close();
  const port = await freePort();
  const configuration = join(folder, 'glewlwyd.conf');
  writeFileSync(configuration, configurationOf(port, folder));
  const child = spawn(PROGRAM, [`--config-file=${configuration}`], { stdio: 'ignore' });
  try {
    const answering = firstAnswer(
      port,
      'GET /config HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
    );
    const ended = once(child, 'exit').then(() => 'ended' as const);
    if ((await Promise.race([answering, ended])) === 'ended') throw new Error(`${PROGRAM} ended`);
    await configure(`http://127.0.0.1:${port}/api`);
    return {
      name: GLEWLWYD,
      pid: child.pid ?? 0,
      port,
      ...PEER_CLIENT,
      tokens: await issue(`http://127.0.0.1:${port}/api/glwd/token`, tokens),
      close: async () => await stopChild(child),
    };
  } catch (failure) {
    await stopChild(child);
    throw failure;
  }
}

const configurationOf = (port: number, folder: string): string => `
port=${port}
bind_address="127.0.0.1"
external_url="http://localhost:${port}"
api_prefix="api"
log_mode="file"
log_level="ERROR"
log_file="${join(folder, 'glewlwyd.log')}"
cookie_domain="localhost"
cookie_secure=0
session_expiration=2419200
session_key="GLEWLWYD2_SESSION_ID"
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="${MODULES}/user"
user_middleware_module_path="${MODULES}/user_middleware"
client_module_path="${MODULES}/client"
user_auth_scheme_module_path="${MODULES}/scheme"
plugin_module_path="${MODULES}/plugin"
use_secure_connection=false
secure_connection_key_file="unused"
secure_connection_pem_file="unused"
hash_algorithm="SHA512"
database = { type = "sqlite3"; path = "${join(folder, 'glewlwyd.db')}"; };
`;

async function configure(api: string): Promise<void> {
  const signedIn = await post(`${api}/auth`, {}, ADMINISTRATOR);
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const { client_id, client_secret, scope } = PEER_CLIENT;
  await post(`${api}/scope`, { cookie }, { name: scope, display_name: scope, password_required: false });
  await post(`${api}/mod/plugin`, { cookie }, { ...PLUGIN, parameters: parametersOfPlugin() });
  await post(
    `${api}/client?source=database`,
    { cookie },
    {
      client_id,
      name: client_id,
      enabled: true,
      confidential: true,
      password: client_secret,
      scope: [scope],
      authorization_type: ['client_credentials'],
    },
  );
}

const PLUGIN = { module: 'oauth2-glewlwyd', name: 'glwd', display_name: 'Glewlwyd OAuth2 plugin' };

function parametersOfPlugin(): object {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const off = ['code', 'implicit', 'password', 'refresh', 'device'];
  return {
    'jwt-type': 'rsa',
    'jwt-key-size': '256',
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }),
    'access-token-duration': 86_400,
    'refresh-token-duration': 86_400,
    'code-duration': 600,
    'refresh-token-rolling': true,
    'allow-non-confidential': false,
    ...Object.fromEntries(off.map((type) => [`auth-type-${type}-enabled`, false])),
    'auth-type-client-enabled': true,
    'introspection-revocation-allowed': true,
    'introspection-revocation-allow-target-client': true,
  };
}

async function post(url: string, headers: Readonly<Record<string, string>>, body: object): Promise<Response> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status} ${await response.text()}`);
  return response;
}

async function issue(url: string, count: number): Promise<string[]> {
  const { client_id, client_secret, scope } = PEER_CLIENT;
  const tokens: string[] = [];
  while (tokens.length < count) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: basic(client_id, client_secret) },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
    });
    if (!response.ok) throw new Error(`${url} answered ${response.status} ${await response.text()}`);
    tokens.push(((await response.json()) as { access_token: string }).access_token);
  }
  return tokens;
}
