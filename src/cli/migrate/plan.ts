import type { SchemaStep } from '../../storage/schema.ts';
import type { Run } from '../commands.ts';
import { withSchema } from './schema-session.ts';

export const run: Run = (parameters, context) =>
  withSchema(parameters, context, async (schema, json) => {
    const { version: present } = await schema.state();
    for (const step of await schema.pending()) {
      const { version, name, statements } = step;
      if (json) {
        const line = { version, name, compatible_from: compatibleFrom(step), statements };
        context.print(JSON.stringify(line));
        continue;
      }
      context.print(`-- ${version} ${name} (${stopping(present, step)})`);
      for (const statement of statements) context.print(`${statement.replace(/;$/u, '')};`);
    }
    return 0;
  });

const compatibleFrom = (step: SchemaStep): number => step.compatibleFrom ?? step.version;

/** What is to become of the servers that run on the schema as it is. */
const stopping = (present: number, step: SchemaStep): string =>
  compatibleFrom(step) <= present
    ? 'servers of the present version may run on'
    : 'stop the servers of older versions first';
