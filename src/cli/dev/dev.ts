import { parseArgs } from 'node:util';
import type { Settings } from '../../config/settings.ts';
import { startServer } from '../../process/serve.ts';
import { jsonLog } from '../../system/log.ts';
import type { Run } from '../commands.ts';
import { federationBanner, portOf, settingsOfLab, withLab } from '../federation-lab/dev-federation.ts';
import { federationLab } from '../federation-lab/lab-data.ts';
import { runUntilStopped } from '../run-until-stopped.ts';
import { CONFIG_OPTION, settingsFor } from '../settings-sources.ts';
import { developmentBanner } from './development-banner.ts';
import { developmentAccount, developmentTokens, usableInvitation } from './development-data.ts';
import { dataFolder, developmentSettings } from './development-settings.ts';

/** Of the trust anchor, the intermediate and the relying party that --federation starts. */
const LAB_PORT = '8090';

/** The development server: what an operator would have to provide is made, kept in the data folder, and printed. */
export const run: Run = async (parameters, context) => {
  const { values } = parseArgs({
    args: [...parameters],
    options: {
      ...CONFIG_OPTION,
      federation: { type: 'boolean', default: false },
      'federation-port': { type: 'string', default: LAB_PORT },
    },
  });
  const resolved = settingsFor('development', values.config, context);
  if (resolved === undefined) return 1;
  const folder = dataFolder(resolved.settings);
  const tokens = developmentTokens(folder);
  const lab = values.federation ? federationLab(folder, portOf(values['federation-port'])) : undefined;
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
  };
  const log = jsonLog(settings['log.level']);
  return await runUntilStopped({ settings, log }, async (stopped) => {
    const started = await startServer(settings, 'development', log, stopped);
    if (started === undefined) return undefined;
    const server = lab === undefined ? started : await withLab(started, lab);
    try {
      const { registry } = server.tenant;
      const invitation = await usableInvitation(folder, { ...registry.accessTokens, log: registry.log });
      const account = await developmentAccount(folder, server.tenant.endUsers.accounts);
      const { issuer } = settings;
      context.print(developmentBanner({ issuer, folder, tokens, account, invitation, server }));
      if (lab !== undefined) context.print(federationBanner(lab, folder));
      return server;
    } catch (failure) {
      // The open listeners would keep the process alive behind its own error message.
      await server.close();
      throw failure;
    }
  });
};
