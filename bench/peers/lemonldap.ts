import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withChildren } from '../../src/testing/postgres/server.ts';
import { freePort } from '../../test/program/free-port.ts';
import { type OnPostgres, query } from '../postgres.ts';
import { firstAnswer, stopChild } from '../processes/measured-process.ts';
import type { Compared, Missing } from './compared.ts';
import { debianVersion } from './debian.ts';
import { issueTokens } from './issue-tokens.ts';
import {
  nginxConfiguration,
  portalConfiguration,
  portalSettings,
  SESSION_TABLE,
} from './lemonldap-configuration.ts';
import { PEER_CLIENT } from './peer.ts';
import { spawnPeer } from './spawn-peer.ts';

const PERL = '/usr/bin/perl';
const NGINX = '/usr/sbin/nginx';
const APPLICATION = fileURLToPath(new URL('../processes/lemonldap.psgi', import.meta.url));
const PATHS = { introspection: '/oauth2/introspect', token: '/oauth2/token' };
const PROCESSES = 2;

/** The package only recommends some of the modules that it does not start without. */
const MODULES = [
  'Lemonldap::NG::Portal',
  'Plack::Handler::FCGI',
  'FCGI::ProcManager',
  'DBD::Pg',
  'Apache::Session::Browseable',
  'GD::SecurityImage',
  'Image::Magick',
  'String::Random',
  'IO::String',
];
const MISSING: Missing = {
  name: 'lemonldap-ng',
  install:
    'apt-get install --no-install-recommends nginx-light liblemonldap-ng-portal-perl lemonldap-ng-fastcgi-server libdbd-pg-perl libapache-session-browseable-perl libgd-securityimage-perl libimage-magick-perl libmime-tools-perl libemail-sender-perl libstring-random-perl libio-string-perl',
};

export function missingLemonldap(): readonly Missing[] {
  const found = spawnSync(PERL, [...MODULES.map((name) => `-M${name}`), '-e', '1'], { stdio: 'ignore' });
  return found.status === 0 && existsSync(NGINX) ? [] : [MISSING];
}

/** Starts LemonLDAP::NG behind nginx, as its package proposes. */
export async function lemonldapOnPostgres(
  parent: string,
  tokens: number,
  postgres: OnPostgres,
): Promise<Compared> {
  const url = await postgres.createDatabase();
  await query(url, SESSION_TABLE);
  const folder = mkdtempSync(join(parent, 'lemonldap-'));
  const port = await freePort();
  const portalPort = await freePort();
  const portal = spawnPeer(PERL, fastcgi(portalPort), { env: writePortal(folder, port, url) });
  const nginxFile = join(folder, 'nginx.conf');
  writeFileSync(nginxFile, nginxConfiguration(folder, port, portalPort));
  const nginx = spawnPeer(NGINX, ['-p', folder, '-c', nginxFile]);
  const name = 'lemonldap-ng, PostgreSQL';
  const close = async (): Promise<void> => {
    await stopChild(nginx);
    await stopChild(portal);
  };
  try {
    await listening(port);
    return {
      name,
      pid: portal.pid ?? 0,
      family: () => [...withChildren(portal.pid), ...withChildren(nginx.pid)],
      databaseCpu: postgres.cpuSeconds,
      port,
      ...PEER_CLIENT,
      paths: PATHS,
      tokens: await issueTokens(port, PATHS.token, PEER_CLIENT, tokens),
      described: { name, version: version(), storage: postgres.described, settings: SETTINGS },
      close,
    };
  } catch (failure) {
    await close();
    throw failure;
  }
}

const SETTINGS = [
  `nginx with one worker before ${PROCESSES} FastCGI processes of Perl; no access log; log level error`,
  'access tokens: identifiers of sessions; 24 hours. A token of client_credentials writes two sessions',
  'sessions in PostgreSQL (its default is files) with three indexes, and its cache of sessions in files (the default)',
  'client secrets: plain text in its configuration file',
  'not measured: registration. It names a client by the second, so of two in one second the later replaces the former',
];

/** nginx listens before the portal does, and answers 502 until then. */
async function listening(port: number): Promise<void> {
  const request = 'GET /oauth2/jwks HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n';
  for (let asked = 0; asked < ASKED_MAX; asked += 1) {
    if ((await firstAnswer(port, request)).status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the portal of LemonLDAP::NG does not answer');
}

const ASKED_MAX = 300;

/** Returns the environment in which the portal finds its configuration. */
function writePortal(folder: string, port: number, database: string): NodeJS.ProcessEnv {
  const configuration = join(folder, 'conf');
  mkdirSync(configuration);
  mkdirSync(join(folder, 'cache'));
  writeFileSync(
    join(configuration, 'lmConf-1.json'),
    JSON.stringify(portalConfiguration(folder, port, database)),
  );
  const settings = join(folder, 'lemonldap-ng.ini');
  writeFileSync(settings, portalSettings(folder));
  return {
    PATH: process.env['PATH'],
    LLNG_DEFAULTCONFFILE: settings,
    LLNG_DEFAULTLOGGER: 'Lemonldap::NG::Common::Logger::Std',
  };
}

const fastcgi = (port: number): readonly string[] => [
  '/usr/bin/plackup',
  '--server=FCGI',
  `--listen=127.0.0.1:${port}`,
  `--nproc=${PROCESSES}`,
  '--env=deployment',
  APPLICATION,
];

function version(): string {
  const told = spawnSync(
    PERL,
    ['-MLemonldap::NG::Portal', '-e', 'printf "%s, Perl %vd", $Lemonldap::NG::Portal::VERSION, $^V'],
    { encoding: 'utf8' },
  );
  return `lemonldap-ng ${told.stdout} (Debian ${debianVersion('liblemonldap-ng-portal-perl')}), nginx ${debianVersion('nginx-common')}`;
}
