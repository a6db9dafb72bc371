import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as openid from 'openid-client';
import { initialAccessToken } from '../journeys/initial-access-token.ts';
import { REPOSITORY } from '../journeys/launcher.ts';
import type { Program } from '../program/start.ts';
import { CERTIFIED, CLIENT_AUTHORITY, headerOf, SUBJECT } from '../tls/tls-program.ts';

/** For a development server that takes certificates of clients from a proxy (RFC 9440). The test is the proxy. */
export const BEHIND_PROXY = {
  CHANCERY_CLIENT_AUTHENTICATION_CERTIFICATE_HEADER: 'Client-Cert',
  CHANCERY_LISTEN_TRUSTED_PROXIES: '127.0.0.1/32',
  CHANCERY_LISTEN_TLS_CLIENT_CA: CLIENT_AUTHORITY.certificate,
  CHANCERY_CLIENT_AUTHENTICATION_MTLS_ORIGIN: 'https://mtls.example.com',
} as const;

/** A client of the APIs in `examples`. */
export interface Caller {
  /** @param resource the API; none if undefined */
  token(scope: string, resource: string | undefined): Promise<string>;
  /** Returns a token that is bound to a certificate (RFC 8705 §3), for another client of the same kind. */
  boundToken(scope: string, resource: string): Promise<string>;
  revoke(token: string): Promise<void>;
}

/** Registers one of the clients of `examples/caller` with openid-client. */
export async function registerCaller(program: Program, file: string): Promise<Caller> {
  const metadata = JSON.parse(
    readFileSync(join(REPOSITORY, 'examples/caller', file), 'utf8'),
  ) as Partial<openid.ClientMetadata>;
  const server = await openid.dynamicClientRegistration(
    new URL(program.issuer),
    metadata,
    openid.ClientSecretBasic(),
    {
      initialAccessToken: await initialAccessToken(program, ['client-reg']),
      execute: [openid.allowInsecureRequests],
    },
  );
  return {
    async token(scope, resource) {
      const { access_token } = await openid.clientCredentialsGrant(server, {
        scope,
        ...(resource === undefined ? {} : { resource }),
      });
      return access_token;
    },
    boundToken: async (scope, resource) => await boundToken(program, metadata, { scope, resource }),
    revoke: async (token) => await openid.tokenRevocation(server, token),
  };
}

/** Returns an access token that is bound to a certificate (RFC 8705 §3), for a new client with this metadata. */
export async function boundToken(
  program: Program,
  metadata: Partial<openid.ClientMetadata>,
  request: Readonly<Record<string, string>>,
): Promise<string> {
  const registered = await fetch(`${program.url}/clients`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await initialAccessToken(program, ['client-reg'])}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ ...metadata, ...CERTIFIED, tls_client_certificate_bound_access_tokens: true }),
  });
  const { client_id = '' } = (await registered.json()) as Record<string, string>;
  const issued = await fetch(`${program.url}/token`, {
    method: 'POST',
    headers: { 'client-cert': headerOf(CLIENT_AUTHORITY.issue(SUBJECT)) },
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id, ...request }),
  });
  const { access_token } = (await issued.json()) as Record<string, string>;
  if (access_token === undefined) throw new Error(`no bound token: ${registered.status} ${issued.status}`);
  return access_token;
}
