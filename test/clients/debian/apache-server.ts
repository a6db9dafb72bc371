import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endedWithTests } from '../../program/children.ts';
import type { OwnName } from '../https-site.ts';

const RECIPES = join(import.meta.dirname, '../recipes');
const MODULES = [
  'mpm_event',
  'authn_core',
  'authz_core',
  'authz_user',
  'dir',
  'headers',
  'ssl',
  'auth_openidc',
];
const READY_TIMEOUT_MS = 30_000;

/** Apache over TLS with one page at `/protected/`, whose header `x-user` names the person who is signed in. */
export interface Apache {
  readonly base: string;
  /** Its `OIDCMetadataDir`. */
  readonly metadata: string;
  /** Returns its error log. */
  readonly log: () => string;
  stop(): Promise<void>;
}

/** Starts Apache at `base` with a recipe for mod_auth_openidc. `environment` has the values of the recipe. */
export async function startApache(
  name: OwnName,
  base: string,
  recipe: string,
  environment: Readonly<Record<string, string>>,
): Promise<Apache> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-apache-'));
  const log = join(folder, 'error.log');
  mkdirSync(join(folder, 'www/protected'), { recursive: true });
  mkdirSync(join(folder, 'metadata'));
  writeFileSync(join(folder, 'www/protected/index.html'), 'The protected page');
  writeFileSync(join(folder, 'www/signed-out'), 'Signed out');
  writeFileSync(join(folder, 'server.pem'), name.cert);
  writeFileSync(join(folder, 'server.key'), name.key);
  writeFileSync(join(folder, 'httpd.conf'), configuration(name, base, folder, recipe));
  chmodSync(folder, 0o755);
  letWorkersWrite(join(folder, 'metadata'));
  const child = endedWithTests(
    spawn('/usr/sbin/apache2', ['-f', join(folder, 'httpd.conf'), '-DFOREGROUND'], {
      env: { ...process.env, ...environment, METADATA_DIR: join(folder, 'metadata'), BASE_URL: base },
      stdio: 'ignore',
    }),
  );
  const exited = once(child, 'close');
  const apache: Apache = {
    base,
    metadata: join(folder, 'metadata'),
    log: () => readFileSync(log, 'utf8'),
    async stop() {
      child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while ((await fetch(`${base}/signed-out`).catch(() => undefined)) === undefined) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`no Apache:\n${apache.log()}`);
    await sleep(30);
  }
  return apache;
}

/** Returns the configuration around the recipe, as Debian has it. */
function configuration({ host, address }: OwnName, base: string, folder: string, recipe: string): string {
  const { hostname, port } = new URL(base);
  return [
    'ServerRoot /usr/lib/apache2',
    `ServerName ${hostname}`,
    `PidFile ${join(folder, 'pid')}`,
    `ErrorLog ${join(folder, 'error.log')}`,
    'LogLevel warn auth_openidc:debug',
    `Listen ${hostname === host ? address : hostname}:${port}`,
    ...MODULES.map((name) => `LoadModule ${name}_module modules/mod_${name}.so`),
    'User www-data',
    'Group www-data',
    'SSLEngine on',
    `SSLCertificateFile ${join(folder, 'server.pem')}`,
    `SSLCertificateKeyFile ${join(folder, 'server.key')}`,
    `DocumentRoot ${join(folder, 'www')}`,
    'DirectoryIndex index.html',
    'Header set x-user "expr=%{REMOTE_USER} %{env:OIDC_CLAIM_email}"',
    `Include ${join(RECIPES, recipe)}`,
    '',
  ].join('\n');
}

/** Apache started by root serves as www-data. */
function letWorkersWrite(folder: string): void {
  const owner = statSync('/var/cache/apache2/mod_cache_disk', { throwIfNoEntry: false });
  if (process.getuid?.() === 0 && owner !== undefined) chownSync(folder, owner.uid, owner.gid);
}
