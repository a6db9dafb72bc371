import type { Run } from './commands.ts';
import { withSchema } from './schema-session.ts';

export const run: Run = (parameters, context) =>
  withSchema(parameters, context, async (schema) => {
    const pending = await schema.pending();
    context.print(`schema version ${await schema.version()}, ${pending.length} pending`);
    for (const { version, name } of pending) context.print(`pending: ${version} ${name}`);
    return pending.length === 0 ? 0 : 1;
  });
