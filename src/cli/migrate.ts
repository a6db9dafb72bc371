import type { Schema, SchemaStep } from '../storage/schema.ts';
import { command } from './command.ts';
import { modeOf, SETTINGS_VARIABLES, STORAGE_OPTIONS, type StorageCall, settingsFor } from './settings.ts';

const READS = 'Servers may run on the same database meanwhile. The command changes nothing.';

const status = command({
  words: ['migrate', 'status'],
  summary: 'Print the version of the database schema and the pending steps',
  description: ['A step is pending if this program has it and the database does not.'],
  servers: READS,
  options: STORAGE_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'The version, then one line for each pending step. With --json, one JSON object.',
  exits: { 1: 'At least one step is pending, or the command failed.' },
  examples: ['chancery migrate status --json'],
  run: async (call) =>
    await withSchema(call, async (schema) => {
      const [pending, { version, compatibleFrom }] = [await schema.pending(), await schema.state()];
      if (call.options.json) {
        const steps = pending.map((step) => ({ version: step.version, name: step.name }));
        const { newest } = schema;
        call.print(
          JSON.stringify({ version, compatible_from: compatibleFrom, program: newest, pending: steps }),
        );
      } else {
        const ahead =
          version > schema.newest ? `; this program knows up to ${schema.newest}, which suits it` : '';
        call.print(`schema version ${version}, ${pending.length} pending${ahead}`);
        for (const step of pending) call.print(`pending: ${step.version} ${step.name}`);
      }
      return pending.length === 0 ? 0 : 1;
    }),
});

const plan = command({
  words: ['migrate', 'plan'],
  summary: 'Print the SQL statements that `migrate up` would execute',
  description: [
    'Each step begins with a comment line. It says whether servers of the present version may run on while and after the step is executed.',
  ],
  servers: READS,
  options: STORAGE_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'SQL, nothing if no step is pending. With --json, one JSON object for each step, one per line.',
  examples: ['chancery migrate plan'],
  run: async (call) =>
    await withSchema(call, async (schema) => {
      const { version: present } = await schema.state();
      for (const step of await schema.pending()) {
        const { version, name, statements } = step;
        if (call.options.json) {
          const line = { version, name, compatible_from: compatibleFrom(step), statements };
          call.print(JSON.stringify(line));
          continue;
        }
        call.print(`-- ${version} ${name} (${stopping(present, step)})`);
        for (const statement of statements) call.print(`${statement.replace(/;$/u, '')};`);
      }
    }),
});

/** Returns the oldest version whose programs may use the database after a step. */
export const compatibleFrom = (step: SchemaStep): number => step.compatibleFrom ?? step.version;

/** Returns what to do with the servers that run on the present schema. */
const stopping = (present: number, step: SchemaStep): string =>
  compatibleFrom(step) <= present
    ? 'servers of the present version may run on'
    : 'stop the servers of older versions first';

const up = command({
  words: ['migrate', 'up'],
  summary: 'Bring the database schema up to date',
  description: [
    'The command creates the schema in an empty database, and otherwise executes all pending steps. All steps are executed, or none. An interrupted command can be run again; if several run at once, one of them does the work.',
    'There is no way back to an older schema except a backup.',
  ],
  servers:
    'Servers may run meanwhile if `migrate plan` says so for every step. Otherwise stop the servers of older versions first.',
  options: STORAGE_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'One line for each executed step, then the version. With --json, one JSON object.',
  examples: ['chancery migrate up --config /etc/chancery/chancery.yaml'],
  run: async (call) =>
    await withSchema(call, async (schema) => {
      const done = await schema.up(Math.floor(Date.now() / 1000));
      const { version } = await schema.state();
      if (call.options.json) {
        const steps = done.map((step) => ({ version: step.version, name: step.name }));
        call.print(JSON.stringify({ version, done: steps }));
        return;
      }
      for (const step of done) call.print(`done: ${step.version} ${step.name}`);
      call.print(`schema version ${version}`);
    }),
});

/** Opens the schema of the database in the settings, acts on it, and closes it. */
export async function withSchema<T>(call: StorageCall, act: (schema: Schema) => Promise<T>): Promise<T> {
  const { settings } = await settingsFor(modeOf(call), call);
  const { openSchema } = await import('../process/storage.ts');
  const schema = await openSchema(settings);
  try {
    return await act(schema);
  } finally {
    await schema.close();
  }
}

export const MIGRATE_COMMANDS = [status, plan, up];
