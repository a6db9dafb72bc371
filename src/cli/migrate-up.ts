import type { Run } from './commands.ts';
import { withSchema } from './schema-session.ts';

export const run: Run = (parameters, context) =>
  withSchema(parameters, context, async (schema) => {
    const done = await schema.up(Math.floor(Date.now() / 1000));
    for (const { version, name } of done) context.print(`done: ${version} ${name}`);
    context.print(`schema version ${await schema.version()}`);
    return 0;
  });
