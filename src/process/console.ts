import { consoleUrl } from '../config/management-address.ts';
import type { Settings } from '../config/settings.ts';
import type { ConsoleNeeds } from '../endpoints/console/endpoint.ts';
import { consoleFiles } from '../pages/console-files.ts';
import { CONSOLE_CLIENT_ID } from '../spec/identifiers.ts';
import { programVersion } from '../system/program-version.ts';

/**
 * Returns what the console of the management listener takes; nothing where it is switched off.
 * @param settings those in effect: the port of the listener is known when the first request comes
 */
export function openConsole(settings: () => Settings): { readonly console?: ConsoleNeeds } {
  if (!settings()['console.enabled']) return {};
  return {
    console: {
      files: consoleFiles(),
      facts: () => ({
        issuer: settings().issuer,
        url: consoleUrl(settings()) ?? '',
        client_id: CONSOLE_CLIENT_ID,
        version: programVersion(),
      }),
    },
  };
}
