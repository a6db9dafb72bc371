import { parseArgs } from 'node:util';
import { operands } from './command-input.ts';
import type { CommandContext, Run } from './commands.ts';
import { REGISTRY_OPTIONS, type RegistrySession, withRegistry } from './registry-session.ts';

/** How a command was called. */
export interface RegistryCall {
  /** One for each of its names, in their order. */
  readonly operands: readonly string[];
  readonly json: boolean;
  readonly context: CommandContext;
}

/** A command on a registry that is there, which takes operands of these names and no options of its own. */
export function onRegistry(
  names: readonly string[],
  act: (session: RegistrySession, call: RegistryCall) => Promise<void>,
): Run {
  return async (parameters, context) => {
    const { values, positionals } = parseArgs({
      args: [...parameters],
      allowPositionals: true,
      options: REGISTRY_OPTIONS,
    });
    const given = operands(positionals, names);
    const { config, mode, tenant, json } = values;
    return await withRegistry({ config, mode, tenant, create: false }, context, async (session) => {
      await act(session, { operands: given, json, context });
      return 0;
    });
  };
}
