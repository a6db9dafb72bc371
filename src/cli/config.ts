import type { ResolvedSettings } from '../config/load-settings.ts';
import { MASK, maskedValue } from '../config/masked-value.ts';
import type { Mode } from '../config/rules.ts';
import type { Settings } from '../config/settings.ts';
import { command } from './command.ts';
import { SettingsUnusable } from './failure.ts';
import { withStorage } from './session.ts';
import {
  CONFIG_OPTION,
  JSON_OPTION,
  MODE_OPTION,
  modeOf,
  SETTINGS_VARIABLES,
  type SettingsCall,
  STORAGE_OPTIONS,
  type StorageCall,
  settingsFor,
} from './settings.ts';

const SERVERS = 'The command only reads the settings. Servers may run meanwhile.';

const check = command({
  words: ['config', 'check'],
  summary: 'Check the settings and list every problem',
  description: [
    'The command checks the configuration file and the environment as a server does at its start, and opens no database. Run it before a restart.',
  ],
  servers: SERVERS,
  options: { ...JSON_OPTION, ...CONFIG_OPTION, ...MODE_OPTION },
  environment: SETTINGS_VARIABLES,
  output:
    'One line if all settings are good. Otherwise standard error has one line for each problem: the setting, the rule, the value and its source. With --json, one JSON object with `mode`, `issuer`, `problems` and `warnings`.',
  exits: { 1: 'At least one setting is wrong.' },
  examples: ['chancery config check --config /etc/chancery/chancery.yaml'],
  run: async (call) => {
    const mode = modeOf(call);
    const { json } = call.options;
    try {
      const { issuer, warnings } = await checked(mode, call);
      if (json) {
        call.print(JSON.stringify({ mode, issuer, problems: [], warnings }));
        return 0;
      }
      for (const warning of warnings) call.complain(`warning: ${warning}`);
      call.print(`The settings are good for ${mode}: issuer ${issuer}`);
      return 0;
    } catch (failure) {
      if (!json || !(failure instanceof SettingsUnusable)) throw failure;
      call.print(JSON.stringify({ mode, problems: failure.problems, warnings: [] }));
      return 1;
    }
  },
});

interface Checked {
  readonly issuer: string;
  readonly warnings: readonly string[];
}

/** Rejects with SettingsUnusable for settings that no server starts with. */
async function checked(mode: Mode, call: SettingsCall): Promise<Checked> {
  const { settings } = await settingsFor(mode, call);
  const { systemJose } = await import('../process/platform.ts');
  const { configuredKeys } = await import('../tenant/parts.ts');
  await configuredKeys(settings, systemJose.keyMaker);
  const { tlsKeyProblem } = await import('../process/tls.ts');
  const open = tlsKeyProblem(settings);
  return {
    issuer: settings.issuer,
    warnings: [
      ...(open === undefined ? [] : [`listen.tls-key ${open}`]),
      ...(lacksOpenScope(settings) ? [OPEN_SCOPE_ADVICE] : []),
    ],
  };
}

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
    ...STORAGE_OPTIONS,
  },
  environment: SETTINGS_VARIABLES,
  output:
    'One line for each setting: `path = JSON value (source)`. With --json, one JSON object with a member for each path; its members are `value`, absent if it is not set, and `source`.',
  exits: { 1: 'At least one setting is wrong. Nothing is printed.' },
  examples: [
    'chancery config print --mode development',
    'chancery config print | grep profile',
    'chancery config print --tenant acme',
  ],
  run: async (call) => {
    const { settings, origins } = await printedSettings(call);
    const { SETTING_PATHS, settingAt } = await import('../config/settings.ts');
    const rows = SETTING_PATHS.map((path) => ({
      path,
      value: maskedValue(settings[path], settingAt(path).secret),
      source: origins[path],
    }));
    if (call.options.json) {
      const members = rows.map(({ path, value, source }) => [path, { value, source }] as const);
      call.print(JSON.stringify(Object.fromEntries(members)));
      return;
    }
    for (const { path, value, source } of rows)
      call.print(`${path} = ${value === undefined ? 'not set' : shown(value)} (${source})`);
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

type PrintCall = StorageCall & { readonly options: { readonly tenant: string | undefined } };

/** Returns the settings of the process, or of the tenant that the call names, with their sources. */
async function printedSettings(call: PrintCall): Promise<ResolvedSettings> {
  const { tenant: id } = call.options;
  const mode = modeOf(call);
  const resolved = await settingsFor(mode, call);
  if (id === undefined) return resolved;
  const { storedTenant } = await import('./registry-session.ts');
  const { resolvedTenant } = await import('../tenant/settings.ts');
  const stored = await withStorage(
    call,
    { create: false },
    async ({ storage }) => await storedTenant(storage, id),
  );
  return resolvedTenant(resolved, stored, mode);
}

const shown = (value: unknown): string => (value === MASK ? MASK : JSON.stringify(value));

export const CONFIG_COMMANDS = [check, print];
