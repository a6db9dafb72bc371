/**
 * oidc-provider with everything in memory, or on PostgreSQL. Its own memory adapter keeps only 1,000 records. This one is a
 * map that keeps all of them, and does even less work.
 */
import { once } from 'node:events';
import { Provider } from 'oidc-provider';
import { MapAdapter, makeKeys } from './oidc-provider-parts.ts';
import { openPeerDatabase } from './oidc-provider-postgres.ts';

export interface PeerOptions {
  readonly port: number;
  readonly client_id: string;
  readonly client_secret: string;
  readonly scope: string;
  /** How many access tokens to issue before it listens. The parent process gets them. */
  readonly tokens: number;
  /** The database that holds everything instead of the memory. */
  readonly postgres?: string | undefined;
}

/** How many of the first tokens are issued at once. */
const AT_ONCE = 64;

const options = JSON.parse(process.argv[2] ?? '') as PeerOptions;
const { client_id, client_secret, scope } = options;
const database = options.postgres === undefined ? undefined : await openPeerDatabase(options.postgres);

const provider = new Provider(`http://127.0.0.1:${options.port}`, {
  adapter: database?.adapter ?? MapAdapter,
  clients: [
    {
      client_id,
      client_secret,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      scope,
    },
  ],
  scopes: [scope],
  jwks: { keys: makeKeys() },
  cookies: { keys: ['not used in these measurements'] },
  ttl: { ClientCredentials: 86_400 },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    // Its key set takes `enc` keys only if clients can encrypt to it.
    encryption: { enabled: true },
    requestObjects: { enabled: true },
    introspection: { enabled: true, allowedPolicy: () => true },
    registration: { enabled: true, initialAccessToken: false },
    // With rotation a request could not be repeated. The peer does less than it does by default.
    registrationManagement: { enabled: true, rotateRegistrationAccessToken: false },
  },
});

const client = await provider.Client.find(client_id);
if (client === undefined) throw new Error('oidc-provider does not know its client');
const tokens: string[] = [];
while (tokens.length < options.tokens) {
  const issuing = Array.from({ length: Math.min(AT_ONCE, options.tokens - tokens.length) }, () =>
    new provider.ClientCredentials({ client, scope }).save(),
  );
  tokens.push(...(await Promise.all(issuing)));
}
await database?.beginDurable();
await once(provider.listen(options.port, '127.0.0.1'), 'listening');
process.send?.({ tokens });
process.on('SIGTERM', () => process.exit());
process.on('disconnect', () => process.exit());
