import { CONFIG_VARIABLE } from '../config/environment.ts';
import { type ResolvedSettings, resolveSettings } from '../config/load-settings.ts';
import type { Mode } from '../config/rules.ts';
import { problemLine, SettingsError } from '../config/settings-error.ts';
import type { CommandContext } from './commands.ts';

/** For `parseArgs` of every command that reads settings. */
export const CONFIG_OPTION = { config: { type: 'string' } } as const;

/**
 * The settings a command runs with, from the file of `--config` (or `CHANCERY_CONFIG`) and the environment.
 * Undefined when there are problems, which it has then printed, one in a line: the command ends with exit code 1.
 */
export function settingsFor(
  mode: Mode,
  config: string | undefined,
  context: CommandContext,
): ResolvedSettings | undefined {
  const file = config ?? context.environment[CONFIG_VARIABLE];
  try {
    return resolveSettings({
      mode,
      environment: context.environment,
      ...(file === undefined ? {} : { file }),
    });
  } catch (failure) {
    if (!(failure instanceof SettingsError)) throw failure;
    for (const problem of failure.problems) context.complain(problemLine(problem));
    return undefined;
  }
}
