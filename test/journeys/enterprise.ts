import assert from 'node:assert/strict';
import * as openid from 'openid-client';
import { JWT_BEARER_GRANT, TOKEN_EXCHANGE_GRANT } from '../../src/spec/grant-types.ts';
import { developer } from '../program/developer.ts';
import { plainBrowser } from '../program/plain-browser.ts';
import { type Program, startProgram } from '../program/start.ts';

const CALLBACK = 'https://wiki.example/cb';
export const GATEWAY = 'https://gateway.example';
export const LEDGER = 'https://ledger.example';
export const NOTES = 'https://chat.example/mcp';

/** An enterprise: a server where its people sign in, a server of another application, and the clients of both. */
export interface Enterprise {
  readonly idp: Program;
  readonly chat: Program;
  /** The application that people sign in to. */
  readonly wiki: openid.Configuration;
  /** The same application at the other server. */
  readonly connector: openid.Configuration;
  /** A service at the first server that receives tokens of the application, exchanges and inspects them. */
  readonly gateway: openid.Configuration;
  /** Signs the person in at the application. */
  readonly signIn: () => Promise<openid.TokenEndpointResponse>;
  readonly stop: () => Promise<void>;
}

const secretOf = (client: openid.Configuration): string => String(client.clientMetadata().client_secret);

/** The credentials of a client. */
export const credentialsOf = (
  client: openid.Configuration,
): { readonly client_id: string; readonly client_secret: string } => ({
  client_id: client.clientMetadata().client_id,
  client_secret: secretOf(client),
});

async function registered(
  program: Program,
  metadata: Partial<openid.ClientMetadata>,
): Promise<openid.Configuration> {
  return await openid.dynamicClientRegistration(
    new URL(program.issuer),
    metadata,
    openid.ClientSecretBasic(),
    { initialAccessToken: program.masterToken, execute: [openid.allowInsecureRequests] },
  );
}

/** Starts both servers. The second one fetches the keys of the first. */
export async function startEnterprise(): Promise<Enterprise> {
  const idp = await startProgram({
    mode: 'dev',
    environment: { CHANCERY_TOKEN_EXCHANGE_ENABLED: 'true' },
  });
  const provider = {
    issuer: idp.issuer,
    kind: 'jwt',
    'jwks-uri': `${idp.issuer}/jwks.json`,
    uses: ['id-jag'],
    'subject-prefix': 'staff:',
    scope: ['notes:read', 'notes:write'],
  };
  const chat = await startProgram({
    mode: 'dev',
    environment: {
      CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
      CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
      CHANCERY_OUTBOUND_PORTS: 'any',
      CHANCERY_ASSERTION_GRANTS_ISSUERS: JSON.stringify([provider]),
    },
  });
  const connector = await registered(chat, {
    grant_types: [JWT_BEARER_GRANT, 'client_credentials'],
    scope: `notes:read notes:write ${chat.issuer}/token/introspect`,
  });
  const wiki = await registered(idp, {
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT],
    scope: 'openid read write',
    chancery_token_exchange: {
      id_jag: [
        {
          audience: chat.issuer,
          client_id: connector.clientMetadata().client_id,
          resources: [NOTES],
          scope: 'notes:read',
        },
      ],
    },
  });
  const gateway = await registered(idp, {
    grant_types: [TOKEN_EXCHANGE_GRANT, 'client_credentials'],
    scope: `read ${idp.issuer}/token/introspect`,
    resource_identifiers: [GATEWAY],
    chancery_token_exchange: { audiences: [LEDGER], scope: 'read' },
  });
  return {
    idp,
    chat,
    wiki,
    connector,
    gateway,
    signIn: async () => await signIn(idp, wiki),
    async stop() {
      await idp.stop();
      await chat.stop();
    },
  };
}

async function signIn(
  { issuer, ...program }: Program,
  wiki: openid.Configuration,
): Promise<openid.TokenEndpointResponse> {
  const account = await developer({ issuer, ...program });
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const url = openid.buildAuthorizationUrl(wiki, {
    redirect_uri: CALLBACK,
    scope: 'openid read write',
    resource: GATEWAY,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  const browser = plainBrowser(issuer);
  let page = await browser.open(url.href);
  page = await browser.submit(page, 'sign-in', account);
  if (page.html.includes('value="allow"')) page = await browser.submit(page, 'allow');
  const answered = new URL(page.location ?? assert.fail('no answer'));
  return await openid.authorizationCodeGrant(wiki, answered, { pkceCodeVerifier });
}
