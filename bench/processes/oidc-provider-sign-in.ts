/** oidc-provider with people who have signed in: unused codes and refresh tokens, in memory. */
import { once } from 'node:events';
import { Provider } from 'oidc-provider';
import { MapAdapter, makeKeys } from './oidc-provider-parts.ts';

export interface SignInPeerOptions {
  readonly port: number;
  readonly client_id: string;
  readonly client_secret: string;
  readonly redirect_uri: string;
  /** How many of each. The parent process gets them. */
  readonly codes: number;
  readonly refreshTokens: number;
}

const SCOPE = 'openid';
const ACCOUNT = 'ada';
const TTL_S = 86_400;

const { port, client_id, client_secret, redirect_uri, ...counts } = JSON.parse(
  process.argv[2] ?? '',
) as SignInPeerOptions;

const provider = new Provider(`http://127.0.0.1:${port}`, {
  adapter: MapAdapter,
  clients: [
    {
      client_id,
      client_secret,
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: [redirect_uri],
      response_types: ['code'],
    },
  ],
  jwks: { keys: makeKeys() },
  cookies: { keys: ['not used in these measurements'] },
  ttl: { AuthorizationCode: TTL_S, AccessToken: TTL_S, RefreshToken: TTL_S, IdToken: TTL_S, Grant: TTL_S },
  findAccount: (_context: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
  // Ours does the same: a refresh token for each client that is registered for it, and a new one at each use.
  issueRefreshToken: () => true,
  expiresWithSession: () => false,
  rotateRefreshToken: true,
  features: { devInteractions: { enabled: false }, encryption: { enabled: true } },
});

const client = await provider.Client.find(client_id);
if (client === undefined) throw new Error('oidc-provider does not know its client');

async function granted(): Promise<ConstructorParameters<typeof provider.RefreshToken>[0]> {
  const grant = new provider.Grant({ clientId: client_id, accountId: ACCOUNT });
  grant.addOIDCScope(SCOPE);
  const grantId = await grant.save();
  if (client === undefined) throw new Error('no client');
  const authTime = Math.floor(Date.now() / 1000);
  return { client, accountId: ACCOUNT, scope: SCOPE, grantId, authTime, gty: 'authorization_code' };
}

const codes: string[] = [];
const refreshTokens: string[] = [];
while (codes.length < counts.codes) {
  const { gty: _, ...code } = await granted();
  codes.push(await new provider.AuthorizationCode({ ...code, redirectUri: redirect_uri }).save());
}
while (refreshTokens.length < counts.refreshTokens)
  refreshTokens.push(await new provider.RefreshToken(await granted()).save());
await once(provider.listen(port, '127.0.0.1'), 'listening');
process.send?.({ codes, refreshTokens });
process.on('SIGTERM', () => process.exit());
process.on('disconnect', () => process.exit());
