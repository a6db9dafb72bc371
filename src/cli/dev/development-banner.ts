import type { RunningServer } from '../../process/serve.ts';
import type { DevelopmentAccount, DevelopmentTokens, Invitation } from './development-data.ts';

export interface BannerNeeds {
  readonly issuer: string;
  readonly folder: string;
  readonly tokens: DevelopmentTokens;
  readonly account: DevelopmentAccount;
  readonly invitation: Invitation;
  readonly server: RunningServer;
}

const RULE = '='.repeat(96);

/** What a newcomer needs: where the server is, what opens it, and four commands to paste. */
export function developmentBanner(needs: BannerNeeds): string {
  const { issuer, folder, tokens, account, invitation, server } = needs;
  const management = `http://${server.managementAddress.address}:${server.managementAddress.port}`;
  return [
    RULE,
    '  CHANCERY IN DEVELOPMENT MODE. Its tokens are printed here, and it accepts http. Not for production.',
    RULE,
    '',
    `  Issuer                      ${issuer}`,
    `  Data                        ${folder}`,
    `  Health and metrics          ${management}/health/ready  ${management}/metrics`,
    `  Master token (registry)     ${tokens.master.token}`,
    `  Direct authorisation token  ${tokens.directAuthorization.token}`,
    `  Initial access token        ${invitation.initial_access_token}`,
    `  Account (name, password)    ${account.username}  ${account.password}`,
    '',
    '  Register a client (once), get it a token, introspect the token, see the keys:',
    '',
    ...commands(issuer, invitation),
    '',
  ].join('\n');
}

function commands(
  issuer: string,
  { initial_access_token, client_id, client_secret }: Invitation,
): readonly string[] {
  const metadata = JSON.stringify({
    client_name: 'Demo',
    grant_types: ['client_credentials'],
    scope: `${issuer}/token/introspect`,
    preferred_client_id: client_id,
    preferred_client_secret: client_secret,
  });
  const user = `-u ${client_id}:${client_secret}`;
  const token = `curl -s ${user} -d grant_type=client_credentials ${issuer}/token`;
  const accessToken = `$(${token} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;
  return [
    `curl -s -H 'Authorization: Bearer ${initial_access_token}' -H 'Content-Type: application/json' -d '${metadata}' ${issuer}/clients`,
    token,
    `curl -s ${user} -d "token=${accessToken}" ${issuer}/token/introspect`,
    `curl -s ${issuer}/jwks.json`,
  ];
}
