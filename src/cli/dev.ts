import { environmentName } from '../config/environment.ts';
import type { Settings } from '../config/settings.ts';
import type { RunningServer } from '../process/serve.ts';
import { programVersion } from '../system/program-version.ts';
import { command, type OptionValues, type Surroundings } from './command.ts';
import type { DevelopmentAccount, DevelopmentTokens, Invitation } from './development.ts';
import { calledWrongly } from './failure.ts';
import { runUntilStopped } from './run-until-stopped.ts';
import { CONFIG_OPTION, SETTINGS_VARIABLES, settingsFor } from './settings.ts';

const DEV_OPTIONS = {
  port: {
    kind: 'text',
    value: 'PORT',
    short: 'p',
    words: 'Sets `listen.port`, and with it the issuer if the settings name none.',
  },
  federation: {
    kind: 'flag',
    words:
      'Also starts a trust anchor, an intermediate and two relying parties on loopback (OpenID Federation).',
  },
  'second-anchor': {
    kind: 'flag',
    words: 'Also starts a second trust anchor above the intermediate. Needs --federation.',
  },
  'federation-port': {
    kind: 'text',
    value: 'PORT',
    default: '8091',
    words: 'Sets the port of these entities.',
  },
  ...CONFIG_OPTION,
} as const;

const dev = command({
  words: ['dev'],
  summary: 'Start a development server, with tokens and keys created for it',
  description: [
    'The first start creates a SQLite database, an encryption key, three administration tokens, an initial access token and the account `developer`, all in the data folder (`data`, or the folder of `storage.url`). Later starts use them again. The server prints them: never use this mode in production.',
    'The issuer is http://127.0.0.1:8080 unless the settings say otherwise. --port changes the port. SIGTERM and SIGINT stop the server.',
    'Other commands find this data by themselves if they run in the same folder; elsewhere, give them the same settings and `--mode development`.',
  ],
  servers: 'Run one development server on a data folder. Other commands may run meanwhile.',
  options: DEV_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'A banner with the addresses, the tokens, and commands to paste; then the log.',
  exits: {
    0: 'A signal stopped the server, and it closed in time.',
    1: 'The server could not start, or did not close in time.',
  },
  examples: ['chancery dev', 'chancery dev --port 9000 --federation --federation-port 9090'],
  run: async (call) => await startDevelopment(withPort(call)),
});

export const DEV_COMMANDS = [dev];

interface DevCall extends Surroundings {
  readonly options: OptionValues<typeof DEV_OPTIONS>;
}

/** An option on the command line is nearer than the environment. */
function withPort(call: DevCall): DevCall {
  const { port } = call.options;
  if (port === undefined) return call;
  return { ...call, environment: { ...call.environment, [environmentName('listen.port')]: port } };
}

async function startDevelopment(call: DevCall): Promise<number> {
  const resolved = await settingsFor('development', call);
  const {
    DEVELOPER,
    dataFolder,
    developmentAccount,
    developmentSettings,
    developmentTokens,
    rememberIssuer,
    usableInvitation,
  } = await import('./development.ts');
  const { federationLab } = await import('./federation-lab.ts');
  const { settingsOfLab, writeLabSettings } = await import('./lab-settings.ts');
  const { federationBanner, portOf, withLab } = await import('./lab-server.ts');
  const { startServer } = await import('../process/serve.ts');
  const { systemClock } = await import('../system/clock.ts');
  const { serverLog } = await import('../system/log.ts');
  const { rememberingRefusals } = await import('../system/recent-refusals.ts');
  const { federation, 'second-anchor': secondAnchor, 'federation-port': port } = call.options;
  if (secondAnchor && !federation) throw calledWrongly('--second-anchor needs --federation');
  const { issuer } = resolved.settings;
  const folder = dataFolder(resolved.settings);
  const tokens = developmentTokens(folder);
  const lab = federation ? federationLab(folder, { port: portOf(port), issuer, secondAnchor }) : undefined;
  if (lab !== undefined) writeLabSettings(folder, lab, resolved);
  const settings: Settings = {
    ...developmentSettings(resolved),
    ...(lab === undefined ? {} : settingsOfLab(lab, resolved.settings)),
    'registration.master-token-sha256': [
      ...resolved.settings['registration.master-token-sha256'],
      `development:${tokens.master.sha256}`,
    ],
    'direct-authorization.token-sha256': [
      ...resolved.settings['direct-authorization.token-sha256'],
      `development:${tokens.directAuthorization.sha256}`,
    ],
    'admin.token-sha256': [
      ...resolved.settings['admin.token-sha256'],
      `development:${tokens.administration.sha256}`,
    ],
  };
  const { log, refusals } = rememberingRefusals(serverLog(settings), () => systemClock.now());
  const development = {
    version: programVersion(),
    data: folder,
    management: `http://${settings['management.listen-host']}:${settings['management.listen-port']}`,
    account: DEVELOPER,
    refusals,
  };
  return await runUntilStopped({ settings, log }, async (stopped) => {
    const started = await startServer(settings, 'development', log, stopped, {
      origins: resolved.origins,
      development,
    });
    if (started === undefined) return undefined;
    const server = lab === undefined ? started : await withLab(started, lab);
    try {
      const { registry } = server.tenant;
      const invitation = await usableInvitation(folder, { ...registry.accessTokens, log: registry.log });
      const account = await developmentAccount(folder, server.tenant.endUsers.accounts);
      rememberIssuer(settings);
      developmentBanner({ issuer, folder, tokens, account, invitation, server }).forEach(call.print);
      if (lab !== undefined) federationBanner(lab, folder).forEach(call.print);
      return server;
    } catch (failure) {
      // The open listeners would keep the process alive after its error message.
      await server.close();
      throw failure;
    }
  });
}

interface BannerNeeds {
  readonly issuer: string;
  readonly folder: string;
  readonly tokens: DevelopmentTokens;
  readonly account: DevelopmentAccount;
  readonly invitation: Invitation;
  readonly server: RunningServer;
}

const RULE = '='.repeat(96);

/** Returns the banner: the addresses, the tokens, and four commands to paste. */
function developmentBanner(needs: BannerNeeds): readonly string[] {
  const { issuer, folder, tokens, account, invitation, server } = needs;
  const management = `http://${server.managementAddress.address}:${server.managementAddress.port}`;
  return [
    RULE,
    '  CHANCERY IN DEVELOPMENT MODE. Its tokens are printed here, and it accepts http. Not for production.',
    RULE,
    '',
    `  Issuer                      ${issuer}`,
    `  Data                        ${folder}`,
    `  Console (sign in below)     ${management}/console/`,
    `  Health and metrics          ${management}/health/ready  ${management}/metrics`,
    `  Administration API          ${management}/admin/v1/`,
    `  Master token (registry)     ${tokens.master.token}`,
    `  Direct authorisation token  ${tokens.directAuthorization.token}`,
    `  Administration token        ${tokens.administration.token}`,
    `  Initial access token        ${invitation.initial_access_token}`,
    `  Account (name, password)    ${account.username}  ${account.password}`,
    '',
    '  Open the issuer in a browser for the same commands, the latest refusals, and more.',
    '  Register a client (once), get it a token, introspect the token, see the keys:',
    '',
    ...commands(issuer, invitation),
    '',
  ];
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
