import type { Run } from '../commands.ts';
import { withSchema } from './schema-session.ts';

export const run: Run = (parameters, context) =>
  withSchema(parameters, context, async (schema, json) => {
    const [pending, { version, compatibleFrom }] = [await schema.pending(), await schema.state()];
    if (json) {
      const steps = pending.map((step) => ({ version: step.version, name: step.name }));
      const { newest } = schema;
      context.print(
        JSON.stringify({ version, compatible_from: compatibleFrom, program: newest, pending: steps }),
      );
    } else {
      const ahead =
        version > schema.newest ? `; this program knows up to ${schema.newest}, which suits it` : '';
      context.print(`schema version ${version}, ${pending.length} pending${ahead}`);
      for (const step of pending) context.print(`pending: ${step.version} ${step.name}`);
    }
    return pending.length === 0 ? 0 : 1;
  });
