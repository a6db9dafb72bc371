import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CONFIG_VARIABLE, environmentName } from '../config/environment.ts';
import type { ResolvedSettings } from '../config/load-settings.ts';
import type { Mode } from '../config/rules.ts';
import type { OptionValues, Surroundings, Variable } from './command.ts';
import { SettingsUnusable } from './failure.ts';
import { SERVER_OPTIONS } from './remote/options.ts';

/** The option of every command that reads settings. */
export const CONFIG_OPTION = {
  config: {
    kind: 'text',
    short: 'c',
    value: 'FILE',
    words: `Reads the settings from this YAML file instead of the one that ${CONFIG_VARIABLE} names.`,
  },
} as const;

export const MODE_OPTION = {
  mode: {
    kind: 'choice',
    values: ['development', 'production'],
    short: 'm',
    words:
      'Selects the defaults and rules for the settings. Without it, the mode is `development` if neither a configuration file nor CHANCERY_ISSUER is given and the folder `data` (or that of CHANCERY_STORAGE_URL) is the one of `chancery dev`. Otherwise it is `production`.',
  },
} as const;

export const JSON_OPTION = {
  json: { kind: 'flag', short: 'j', words: 'Prints JSON for programs instead of text for people.' },
} as const;

/** The options of every command that opens the storage. */
export const STORAGE_OPTIONS = { ...JSON_OPTION, ...CONFIG_OPTION, ...MODE_OPTION } as const;

/** The options of every command about tenants. */
export const TENANTS_OPTIONS = { ...SERVER_OPTIONS, ...STORAGE_OPTIONS } as const;

/** The options of every command on the registry of one tenant. */
export const REGISTRY_OPTIONS = {
  tenant: {
    kind: 'text',
    value: 'ID',
    short: 't',
    words: 'Selects the tenant to work on. Without it, the command works on the default tenant.',
  },
  ...SERVER_OPTIONS,
  ...STORAGE_OPTIONS,
} as const;

/** The variables of every command that reads settings. */
export const SETTINGS_VARIABLES: readonly Variable[] = [
  { name: CONFIG_VARIABLE, words: 'Names the configuration file for a command without --config.' },
  {
    name: 'CHANCERY_…',
    words:
      'Sets one setting, for example CHANCERY_LISTEN_PORT for listen.port. A variable overrides the file. docs/reference/configuration.md describes all settings.',
  },
];

export interface StorageCall extends Surroundings {
  readonly options: OptionValues<typeof STORAGE_OPTIONS>;
}

export interface RegistryCall extends Surroundings {
  readonly options: OptionValues<typeof REGISTRY_OPTIONS>;
}

export interface Access {
  /** Whether to create an absent database. Otherwise a mistyped path would look like an empty registry. */
  readonly create: boolean;
}

/** The data folder of `chancery dev`, unless its database is a file elsewhere. */
export const DEVELOPMENT_FOLDER = 'data';

/** The file that says that a folder is the data folder of `chancery dev`. */
export const DEVELOPMENT_TOKENS_FILE = 'development-tokens.json';

/** Returns the mode of a command: the given one, or the one that suits the data. A guessed development mode is said on standard error. */
export function modeOf({ options, environment, complain }: ModeCall): Mode {
  if (options.mode !== undefined) return options.mode;
  const given = options.config ?? environment[CONFIG_VARIABLE] ?? environment[environmentName('issuer')];
  if (given !== undefined) return 'production';
  const folder = developmentFolder(environment[environmentName('storage.url')]);
  if (!existsSync(join(folder, DEVELOPMENT_TOKENS_FILE))) return 'production';
  complain(`the data of the development server in ${folder} (--mode development)`);
  return 'development';
}

interface ModeCall extends Surroundings {
  readonly options: { readonly config: string | undefined; readonly mode: Mode | undefined };
}

/** Returns the data folder of a development server with this `storage.url`. */
function developmentFolder(url: string | undefined): string {
  return url?.startsWith('sqlite:') === true ? dirname(url.slice('sqlite:'.length)) : DEVELOPMENT_FOLDER;
}

export interface SettingsCall extends Surroundings {
  readonly options: { readonly config: string | undefined };
}

/**
 * Resolves with the settings of a command, from the configuration file and the environment. Rejects with
 * SettingsUnusable, which has a line for each problem.
 */
export async function settingsFor(mode: Mode, call: SettingsCall): Promise<ResolvedSettings> {
  const { problemLine, SettingsError } = await import('../config/settings-error.ts');
  const { resolveSettings } = await import('../config/load-settings.ts');
  const { environment, options } = call;
  const file = options.config ?? environment[CONFIG_VARIABLE];
  try {
    return resolveSettings({ mode, environment, ...(file === undefined ? {} : { file }) });
  } catch (failure) {
    if (failure instanceof SettingsError) throw new SettingsUnusable(failure.problems, problemLine);
    throw failure;
  }
}
