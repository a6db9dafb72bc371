import type { Run } from '../commands.ts';
import { withSchema } from './schema-session.ts';

export const run: Run = (parameters, context) =>
  withSchema(parameters, context, async (schema, json) => {
    const done = await schema.up(Math.floor(Date.now() / 1000));
    const { version } = await schema.state();
    if (json) {
      const steps = done.map((step) => ({ version: step.version, name: step.name }));
      context.print(JSON.stringify({ version, done: steps }));
    } else {
      for (const step of done) context.print(`done: ${step.version} ${step.name}`);
      context.print(`schema version ${version}`);
    }
    return 0;
  });
