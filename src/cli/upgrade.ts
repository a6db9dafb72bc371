import { programVersion } from '../system/program-version.ts';
import { type Command, command } from './command.ts';
import { compatibleFrom, withSchema } from './migrate.ts';
import { SETTINGS_VARIABLES, STORAGE_OPTIONS } from './settings.ts';

type Servers = 'run-on' | 'stop';

interface UpgradeReport {
  readonly program: string;
  /** The version of the schema in the database; 0 for an empty one. */
  readonly schema: number;
  readonly pending: readonly { readonly version: number; readonly name: string }[];
  /** Whether servers of the present schema may run on while and after the steps are executed. */
  readonly servers: Servers;
  readonly next: readonly string[];
}

const check = command({
  words: ['upgrade', 'check'],
  summary: 'Say what this version of the program needs before its servers start',
  description: [
    'Run it with the new version while servers of the old version run. It checks the settings by the rules of the new version, compares the schema of the database, and says whether the old servers may run on while the schema changes. The Debian package runs it at an upgrade.',
  ],
  servers: 'Servers may run on the same database meanwhile. The command changes nothing.',
  options: STORAGE_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output:
    'The version of the schema, the pending steps and the next commands. With --json, one JSON object with `program`, `schema`, `pending`, `servers` (run-on or stop) and `next`.',
  exits: {
    1: 'Servers must be stopped before the schema changes, the settings are not valid, or the command failed.',
  },
  examples: ['chancery upgrade check --config /etc/chancery/chancery.yaml'],
  run: async (call) => {
    const report = await withSchema(call, async (schema): Promise<UpgradeReport> => {
      // Rejects for a database that a newer program has changed.
      const pending = await schema.pending();
      const { version: present } = await schema.state();
      const mayRunOn = pending.every((step) => compatibleFrom(step) <= present);
      const servers = present === 0 || mayRunOn ? 'run-on' : 'stop';
      return {
        program: programVersion(),
        schema: present,
        pending: pending.map(({ version, name }) => ({ version, name })),
        servers,
        next: nextSteps(pending.length, servers),
      };
    });
    if (call.options.json) call.print(JSON.stringify(report));
    else printReport(report, call.print);
    return report.servers === 'run-on' ? 0 : 1;
  },
});

function nextSteps(pending: number, servers: Servers): readonly string[] {
  const restart = 'restart the servers, one after the other';
  if (pending === 0) return [restart];
  const change = ['make a backup (chancery backup create)', 'chancery migrate up'];
  return servers === 'run-on'
    ? [...change, restart]
    : ['stop every server of the old version', ...change, 'start the servers'];
}

function printReport(report: UpgradeReport, print: (line: string) => void): void {
  const { program, schema, pending, servers, next } = report;
  print(`chancery ${program}: the settings are valid; the database has schema version ${schema}`);
  for (const { version, name } of pending) print(`pending: ${version} ${name}`);
  if (pending.length > 0)
    print(
      servers === 'run-on'
        ? 'servers of the old version may run on while the schema changes'
        : 'servers of the old version must be stopped before the schema changes',
    );
  for (const [index, step] of next.entries()) print(`${index + 1}. ${step}`);
}

export const UPGRADE_COMMANDS: readonly Command[] = [check];
