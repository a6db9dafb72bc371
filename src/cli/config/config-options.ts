import { parseArgs } from 'node:util';
import type { ResolvedSettings } from '../../config/load-settings.ts';
import type { Mode } from '../../config/rules.ts';
import type { CommandContext } from '../commands.ts';
import { CONFIG_OPTION, settingsFor } from '../settings-sources.ts';

/** The settings that `config check` and `config print` are asked about, or the exit code when there are none. */
export function askedSettings(
  parameters: readonly string[],
  context: CommandContext,
): { readonly mode: Mode; readonly resolved: ResolvedSettings } | number {
  const { values } = parseArgs({
    args: [...parameters],
    options: { ...CONFIG_OPTION, mode: { type: 'string', default: 'production' } },
  });
  const { mode } = values;
  if (mode !== 'development' && mode !== 'production') {
    context.complain(`--mode must be development or production, found ${JSON.stringify(mode)}`);
    return 2;
  }
  const resolved = settingsFor(mode, values.config, context);
  return resolved === undefined ? 1 : { mode, resolved };
}
