import type { Run } from './commands.ts';
import { withSchema } from './schema-session.ts';

export const run: Run = (parameters, context) =>
  withSchema(parameters, context, async (schema) => {
    for (const { version, name, statements } of await schema.pending()) {
      context.print(`-- ${version} ${name}`);
      for (const statement of statements) context.print(`${statement.replace(/;$/u, '')};`);
    }
    return 0;
  });
