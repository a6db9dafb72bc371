import type { ResolvedSettings } from '../config/load-settings.ts';
import type { Settings } from '../config/settings.ts';
import { command, type OptionValues, type Surroundings } from './command.ts';
import { withStorage } from './session.ts';
import { CONFIG_OPTION, MODE_OPTION, SETTINGS_VARIABLES, settingsFor } from './settings.ts';

const MASK = '******';

const SERVERS = 'The command only reads the settings. Servers may run meanwhile.';

const check = command({
  words: ['config', 'check'],
  summary: 'Check the settings and list every problem',
  description: [
    'The command checks the configuration file and the environment as a server does at its start, and opens no database. Run it before a restart.',
  ],
  servers: SERVERS,
  options: { ...CONFIG_OPTION, ...MODE_OPTION },
  environment: SETTINGS_VARIABLES,
  output:
    'One line if all settings are good. Otherwise standard error has one line for each problem: the setting, the rule, the value and its source.',
  exits: { 1: 'At least one setting is wrong.' },
  examples: ['chancery config check --config /etc/chancery/chancery.yaml'],
  run: async (call) => {
    const { mode } = call.options;
    const { settings } = await settingsFor(mode, call);
    const { systemJose } = await import('../process/platform.ts');
    const { configuredKeys } = await import('../tenant/parts.ts');
    await configuredKeys(settings, systemJose.keyMaker);
    const { tlsKeyProblem } = await import('../process/tls.ts');
    const open = tlsKeyProblem(settings);
    if (open !== undefined) call.complain(`warning: listen.tls-key ${open}`);
    if (lacksOpenScope(settings)) call.complain(`warning: ${OPEN_SCOPE_ADVICE}`);
    call.print(`The settings are good for ${mode}: issuer ${settings.issuer}`);
  },
});

const print = command({
  words: ['config', 'print'],
  summary: 'Print every setting with its value and source',
  description: [
    'The source is `default`, the profile that set the value, the name of the file, or the name of the environment variable. Secrets are masked.',
    'With --tenant, the command opens the database and prints the settings that the tenant uses. The source of a value of its own is `tenant ID`, or the profile of the tenant.',
  ],
  servers: 'The command only reads. Servers may run meanwhile.',
  options: {
    tenant: {
      kind: 'text',
      value: 'ID',
      words: 'Prints the settings of this tenant. Without it, the command prints those of the process.',
    },
    ...CONFIG_OPTION,
    ...MODE_OPTION,
  },
  environment: SETTINGS_VARIABLES,
  output: 'One line for each setting: `path = JSON value (source)`.',
  exits: { 1: 'At least one setting is wrong. Nothing is printed.' },
  examples: [
    'chancery config print --mode development',
    'chancery config print | grep profile',
    'chancery config print --tenant acme',
  ],
  run: async (call) => {
    const { settings, origins } = await printedSettings(call);
    const { SETTING_PATHS, settingAt } = await import('../config/settings.ts');
    for (const path of SETTING_PATHS)
      call.print(`${path} = ${shown(settings[path], settingAt(path).secret)} (${origins[path]})`);
  },
});

const OPEN_SCOPE_ADVICE =
  'registration.open-scope-values is empty: clients that register themselves may ask for no scope of your resource servers';

/** Says whether clients register themselves for resources, as those of MCP servers do, and may have no scope for them. */
function lacksOpenScope(settings: Settings): boolean {
  return (
    settings['registration.allow-open-registration'] &&
    settings['access-token.require-resource'] &&
    settings['registration.open-scope-values'].length === 0
  );
}

type PrintCall = Surroundings & {
  readonly options: OptionValues<typeof CONFIG_OPTION & typeof MODE_OPTION> & {
    readonly tenant: string | undefined;
  };
};

/** Returns the settings of the process, or of the tenant that the call names, with their sources. */
async function printedSettings(call: PrintCall): Promise<ResolvedSettings> {
  const { mode, tenant: id } = call.options;
  const resolved = await settingsFor(mode, call);
  if (id === undefined) return resolved;
  const { storedTenant } = await import('./registry-session.ts');
  const { resolvedTenant } = await import('../tenant/settings.ts');
  const storageCall = { ...call, options: { ...call.options, json: false } };
  const stored = await withStorage(
    storageCall,
    { create: false },
    async ({ storage }) => await storedTenant(storage, id),
  );
  return resolvedTenant(resolved, stored, mode);
}

/** Returns a value as JSON, or a mask for a secret. An unset secret is shown as unset. */
function shown(value: Settings[keyof Settings], secret: boolean): string {
  if (value === undefined) return 'not set';
  const empty = Array.isArray(value) && value.length === 0;
  return secret && !empty ? MASK : JSON.stringify(value);
}

export const CONFIG_COMMANDS = [check, print];
