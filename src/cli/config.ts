import type { Settings } from '../config/settings.ts';
import { command } from './command.ts';
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
    call.print(`The settings are good for ${mode}: issuer ${settings.issuer}`);
  },
});

const print = command({
  words: ['config', 'print'],
  summary: 'Print every setting with its value and source',
  description: [
    'The source is `default`, the name of the file, or the name of the environment variable. Secrets are masked.',
  ],
  servers: SERVERS,
  options: { ...CONFIG_OPTION, ...MODE_OPTION },
  environment: SETTINGS_VARIABLES,
  output: 'One line for each setting: `path = JSON value (source)`.',
  exits: { 1: 'At least one setting is wrong. Nothing is printed.' },
  examples: ['chancery config print --mode development', 'chancery config print | grep listen'],
  run: async (call) => {
    const { settings, origins } = await settingsFor(call.options.mode, call);
    const { SETTING_PATHS, settingAt } = await import('../config/settings.ts');
    for (const path of SETTING_PATHS)
      call.print(`${path} = ${shown(settings[path], settingAt(path).secret)} (${origins[path]})`);
  },
});

/** Returns a value as JSON, or a mask for a secret. An unset secret is shown as unset. */
function shown(value: Settings[keyof Settings], secret: boolean): string {
  if (value === undefined) return 'not set';
  const empty = Array.isArray(value) && value.length === 0;
  return secret && !empty ? MASK : JSON.stringify(value);
}

export const CONFIG_COMMANDS = [check, print];
