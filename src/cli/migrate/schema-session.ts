import { parseArgs } from 'node:util';
import { openSchema } from '../../process/storage.ts';
import type { Schema } from '../../storage/schema.ts';
import { calledWrongly } from '../command-failure.ts';
import type { CommandContext } from '../commands.ts';
import { settingsFor } from '../settings-sources.ts';

/** Opens the schema of the database that is configured, acts, closes it. */
export async function withSchema(
  parameters: readonly string[],
  context: CommandContext,
  act: (schema: Schema, json: boolean) => Promise<number>,
): Promise<number> {
  const { values } = parseArgs({
    args: [...parameters],
    options: {
      config: { type: 'string' },
      mode: { type: 'string', default: 'production' },
      json: { type: 'boolean', default: false },
    },
  });
  const { config, mode, json } = values;
  if (mode !== 'development' && mode !== 'production') {
    throw calledWrongly(`--mode must be development or production, found ${JSON.stringify(mode)}`);
  }
  const resolved = settingsFor(mode, config, context);
  if (resolved === undefined) return 1;
  const schema = openSchema(resolved.settings);
  try {
    return await act(schema, json);
  } finally {
    await schema.close();
  }
}
