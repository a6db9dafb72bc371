import type { Caller } from '../ours.ts';

const MODULES = '/usr/lib/glewlwyd';
/** The administrator that the package's tables begin with. */
const ADMINISTRATOR = { username: 'admin', password: 'password' };
export const SIGNATURE = 'HS256';

/** Returns its configuration file. @param database the block of that name */
export const glewlwydConfiguration = (port: number, folder: string, database: string): string => `
port=${port}
bind_address="127.0.0.1"
external_url="http://localhost:${port}"
api_prefix="api"
log_mode="file"
log_level="WARNING"
log_file="${folder}/glewlwyd.log"
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
database = ${database};
`;

/** Adds its OpenID Connect plugin. @returns the cookies of the administrator */
export async function configureGlewlwyd(port: number, key: string): Promise<string> {
  const signedIn = await post(port, '/auth', '', ADMINISTRATOR);
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  await post(port, '/mod/plugin', cookie, {
    module: 'oidc',
    name: 'oidc',
    display_name: 'oidc',
    parameters: pluginParameters(port, key),
  });
  return cookie;
}

/** Adds a client that may get tokens and introspect. */
export async function addClient(
  port: number,
  cookie: string,
  { client_id, client_secret, scope }: Caller & { readonly scope: string },
): Promise<void> {
  await post(port, '/client?source=database', cookie, {
    client_id,
    name: client_id,
    enabled: true,
    confidential: true,
    password: client_secret,
    scope: [scope],
    authorization_type: ['client_credentials'],
    token_endpoint_auth_method: ['client_secret_basic'],
  });
}

function pluginParameters(port: number, key: string): object {
  const off = ['token', 'none', 'password', 'refresh', 'device', 'implicit'];
  return {
    iss: `http://localhost:${port}`,
    'jwt-type': 'sha',
    'jwt-key-size': '256',
    key,
    'subject-type': 'public',
    'access-token-duration': 86_400,
    'refresh-token-duration': 86_400,
    'code-duration': 600,
    'refresh-token-rolling': true,
    'allow-non-oidc': true,
    'auth-type-code-enabled': true,
    ...Object.fromEntries(off.map((type) => [`auth-type-${type}-enabled`, false])),
    'auth-type-client-enabled': true,
    'introspection-revocation-allowed': true,
    'introspection-revocation-allow-target-client': true,
    'register-client-allowed': true,
    'register-client-auth-scope': [],
    'register-client-credentials-scope': [],
  };
}

async function post(port: number, path: string, cookie: string, body: object): Promise<Response> {
  const response = await fetch(`http://127.0.0.1:${port}/api${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status} ${await response.text()}`);
  return response;
}
