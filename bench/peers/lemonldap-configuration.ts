import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PEER_CLIENT } from './peer.ts';

/** The configuration that the package installs. */
const SHIPPED = '/var/lib/lemonldap-ng/conf/lmConf-1.json';
const LIFETIME_S = 86_400;

/** As its documentation makes it, but logged: the documentation proposes a table that a crash empties. */
export const SESSION_TABLE = `
  CREATE TABLE sessions (id varchar(64) PRIMARY KEY, a_session text, _whatToTrace text, _session_kind text, _utime bigint);
  CREATE INDEX ON sessions (_whatToTrace);
  CREATE INDEX ON sessions (_session_kind);
  CREATE INDEX ON sessions (_utime);`;

/** Returns the shipped configuration with OpenID Connect, one client, and sessions in the database. */
export function portalConfiguration(folder: string, port: number, database: string): object {
  const shipped = JSON.parse(readFileSync(SHIPPED, 'utf8')) as { localSessionStorageOptions: object };
  const { port: databasePort, username, pathname } = new URL(database);
  const sessions = {
    DataSource: `dbi:Pg:dbname=${pathname.slice(1)};host=127.0.0.1;port=${databasePort}`,
    UserName: username,
    Password: '',
    Commit: 1,
    TableName: 'sessions',
    Index: '_whatToTrace _session_kind _utime',
  };
  const storage = 'Apache::Session::Browseable::Postgres';
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    ...shipped,
    portal: `http://127.0.0.1:${port}/`,
    timeout: LIFETIME_S,
    notification: 0,
    globalStorage: storage,
    globalStorageOptions: sessions,
    persistentStorage: storage,
    persistentStorageOptions: sessions,
    localSessionStorageOptions: { ...shipped.localSessionStorageOptions, cache_root: join(folder, 'cache') },
    issuerDBOpenIDConnectActivation: 1,
    issuerDBOpenIDConnectPath: '^/oauth2/',
    issuerDBOpenIDConnectRule: 1,
    oidcServicePrivateKeySig: privateKey.export({ type: 'pkcs1', format: 'pem' }),
    oidcServicePublicKeySig: publicKey.export({ type: 'spki', format: 'pem' }),
    oidcServiceKeyIdSig: 'bench',
    oidcRPMetaDataOptions: {
      bench: {
        oidcRPMetaDataOptionsClientID: PEER_CLIENT.client_id,
        oidcRPMetaDataOptionsClientSecret: PEER_CLIENT.client_secret,
        oidcRPMetaDataOptionsAllowClientCredentialsGrant: 1,
        oidcRPMetaDataOptionsAccessTokenExpiration: LIFETIME_S,
      },
    },
    oidcRPMetaDataExportedVars: { bench: {} },
    oidcRPMetaDataScopeRules: { bench: { [PEER_CLIENT.scope]: '1' } },
  };
}

export const portalSettings = (folder: string): string => `
[all]
logLevel = error
[configuration]
type = File
dirName = ${folder}/conf
localStorage = Cache::FileCache
localStorageOptions = { 'namespace' => 'lemonldap-ng-config', 'default_expires_in' => 600, 'directory_umask' => '007', 'cache_root' => '${folder}/cache', 'cache_depth' => 3 }
[portal]
staticPrefix = /static
templateDir = /usr/share/lemonldap-ng/portal/templates
languages = en
[handler]
`;

export const nginxConfiguration = (folder: string, port: number, portalPort: number): string => `
daemon off;
worker_processes 1;
user ${process.getuid?.() === 0 ? 'root' : 'nobody'};
pid ${folder}/nginx.pid;
error_log ${folder}/nginx.log error;
events { worker_connections 256; }
http {
  access_log off;
  keepalive_timeout 600;
  keepalive_requests 1000000000;
  client_body_temp_path ${folder}/body;
  fastcgi_temp_path ${folder}/fastcgi;
  proxy_temp_path ${folder}/proxy;
  scgi_temp_path ${folder}/scgi;
  uwsgi_temp_path ${folder}/uwsgi;
  server {
    listen 127.0.0.1:${port};
    location / {
      include /etc/nginx/fastcgi_params;
      fastcgi_param SCRIPT_NAME "";
      fastcgi_param PATH_INFO $uri;
      fastcgi_pass 127.0.0.1:${portalPort};
    }
  }
}
`;
