import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as openid from 'openid-client';
import { initialAccessToken } from '../journeys/initial-access-token.ts';
import { REPOSITORY } from '../journeys/launcher.ts';
import type { Program } from '../program/start.ts';

/** A client of the APIs in `examples`. */
export interface Caller {
  /** @param resource the API; none if undefined */
  token(scope: string, resource: string | undefined): Promise<string>;
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
    revoke: async (token) => await openid.tokenRevocation(server, token),
  };
}
