// Writes one registration per OpenID Connect client of a Keycloak realm export: node from-keycloak.mjs realm-export.json FOLDER
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const [file, folder] = process.argv.slice(2);
const METHODS = {
  'client-secret': 'client_secret_basic',
  'client-secret-jwt': 'client_secret_jwt',
  'client-jwt': 'private_key_jwt',
};
mkdirSync(folder, { mode: 0o700 });
for (const client of JSON.parse(readFileSync(file, 'utf8')).clients) {
  if (client.protocol !== 'openid-connect' || !client.enabled || client.bearerOnly) continue;
  const { attributes = {}, publicClient, secret } = client;
  const scopes = [...(client.defaultClientScopes ?? []), ...(client.optionalClientScopes ?? [])];
  const logout = attributes['post.logout.redirect.uris'];
  const metadata = {
    preferred_client_id: client.clientId,
    // An export of the admin console has asterisks here: then the client gets a new secret.
    preferred_client_secret: publicClient || /^\**$/.test(secret ?? '') ? undefined : secret,
    client_name: client.name || client.clientId,
    client_uri: client.baseUrl || undefined,
    redirect_uris: client.redirectUris,
    post_logout_redirect_uris: logout === undefined || logout === '+' ? undefined : logout.split('##'),
    backchannel_logout_uri: attributes['backchannel.logout.url'],
    token_endpoint_auth_method: publicClient ? 'none' : METHODS[client.clientAuthenticatorType],
    jwks_uri: attributes['jwks.url'],
    grant_types: [
      client.standardFlowEnabled && 'authorization_code',
      client.standardFlowEnabled && 'refresh_token',
      client.implicitFlowEnabled && 'implicit',
      client.directAccessGrantsEnabled && 'password',
      client.serviceAccountsEnabled && 'client_credentials',
    ].filter(Boolean),
    scope: client.standardFlowEnabled ? ['openid', ...scopes].join(' ') : scopes.join(' ') || undefined,
  };
  const name = encodeURIComponent(client.clientId);
  writeFileSync(`${folder}/${name}.json`, JSON.stringify(metadata, null, 2), { mode: 0o600 });
}
