import { parseArgs } from 'node:util';
import { startServer } from '../main.ts';
import { jsonLog } from '../system/log.ts';
import type { Run } from './commands.ts';
import { runUntilStopped } from './run-until-stopped.ts';
import { CONFIG_OPTION, settingsFor } from './settings-sources.ts';

export const run: Run = async (parameters, context) => {
  const { values } = parseArgs({ args: [...parameters], options: CONFIG_OPTION });
  const resolved = settingsFor('production', values.config, context);
  if (resolved === undefined) return 1;
  const { settings } = resolved;
  const log = jsonLog(settings['log.level']);
  return await runUntilStopped(async () => {
    const server = await startServer(settings, 'production', log);
    const { address, port } = server.address;
    context.print(`chancery serves ${settings.issuer} on ${address}:${port}`);
    return server;
  });
};
