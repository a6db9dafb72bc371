import { managementOrigin } from '../config/management-address.ts';
import type { Settings } from '../config/settings.ts';
import { type Command, command } from './command.ts';
import { CommandFailure } from './failure.ts';
import {
  CONFIG_OPTION,
  JSON_OPTION,
  MODE_OPTION,
  modeOf,
  SETTINGS_VARIABLES,
  settingsFor,
} from './settings.ts';

const PATH = '/health/ready';

const health = command({
  words: ['health'],
  summary: 'Ask the server on this machine whether it serves',
  description: [
    `The command asks the management listener that the settings name for ${PATH}, and waits 10 seconds at most for the answer. Use it as the health command of a container, where no other program is.`,
    'It opens no database. Give it the settings of the server.',
  ],
  servers: 'The command asks a running server. It changes nothing.',
  options: { ...JSON_OPTION, ...CONFIG_OPTION, ...MODE_OPTION },
  environment: SETTINGS_VARIABLES,
  output:
    'One line. With --json, one JSON object: `serves`, `url`, and either `answer` (the body that the server sent) or `failure`.',
  exits: {
    0: 'The server serves.',
    1: 'The server does not serve, does not answer, or the settings are wrong.',
  },
  examples: ['chancery health --config /etc/chancery/chancery.yaml', 'chancery health --json'],
  run: async (call) => {
    const { settings } = await settingsFor(modeOf(call), call);
    const { isAnswer, visit } = await import('./doctor/visit.ts');
    const visited = await visit(readinessUrl(settings));
    const { url } = visited;
    const serves = isAnswer(visited) && visited.status === 200;
    if (call.options.json)
      call.print(
        JSON.stringify({
          serves,
          url,
          ...(isAnswer(visited) ? { answer: visited.json ?? null } : { failure: visited.failure }),
        }),
      );
    else if (serves) call.print(`the server serves (${url})`);
    else
      call.complain(
        isAnswer(visited)
          ? `chancery health: ${url} answers ${visited.status}: ${visited.text}`
          : `chancery health: ${url} does not answer: ${visited.failure}`,
      );
    return serves ? 0 : 1;
  },
});

/** Returns the address of the management listener. Throws CommandFailure if the settings do not say its port. */
function readinessUrl(settings: Settings): string {
  if (settings['management.listen-port'] === 0)
    throw new CommandFailure(
      'management.listen-port is 0, so the port of the server is not known: set a port',
    );
  return `${managementOrigin(settings)}${PATH}`;
}

export const HEALTH_COMMANDS: readonly Command[] = [health];
