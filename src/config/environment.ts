import { readFileSync } from 'node:fs';
import { suggestion } from '../spec/nearest.ts';
import { SETTING_PATHS, type SettingPath, settingAt } from './settings.ts';
import type { SettingsProblem } from './settings-error.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A value from a source, before it is checked. */
export interface GivenValue {
  readonly value: unknown;
  readonly source: string;
  /** The file of a secret that `…_FILE` names. */
  readonly secretFile?: string;
}

export type GivenValues = Map<SettingPath, GivenValue>;

const PREFIX = 'CHANCERY_';

/** Names the configuration file. The command line reads it; it is not a setting. */
export const CONFIG_VARIABLE = 'CHANCERY_CONFIG';

/** Variables of commands that a server executes (`--server`). The settings of a server have nothing to do with them. */
const CLIENT_VARIABLES = ['CHANCERY_SERVER', 'CHANCERY_TOKEN_FILE'];

/** A descriptor that closes when the launcher is gone. bin/run.mjs sets it for the server that it starts as its child. */
export const LIFELINE_VARIABLE = 'CHANCERY_LIFELINE';

/** The number of a worker. The supervisor sets it for each worker. */
export const WORKER_VARIABLE = 'CHANCERY_WORKER';

/** `listen.max-connections` → `CHANCERY_LISTEN_MAX_CONNECTIONS`. */
export function environmentName(path: string): string {
  return PREFIX + path.toUpperCase().replaceAll(/[.-]/gu, '_');
}

/** Returns the values of the variables that begin with `CHANCERY_` and ignores all others. */
export function readEnvironment(environment: Environment, problems: SettingsProblem[]): GivenValues {
  const values: GivenValues = new Map();
  for (const path of SETTING_PATHS) {
    const given = readVariable(path, environment, problems);
    if (given !== undefined) values.set(path, given);
  }
  problems.push(...unknownVariables(environment));
  return values;
}

function readVariable(
  path: SettingPath,
  environment: Environment,
  problems: SettingsProblem[],
): GivenValue | undefined {
  const setting = settingAt(path);
  const source = environmentName(path);
  const direct = environment[source];
  const fileSource = `${source}_FILE`;
  const file = setting.secret ? environment[fileSource] : undefined;
  if (file === undefined)
    return direct === undefined ? undefined : { value: setting.fromText(direct), source };
  if (direct !== undefined) {
    problems.push({ path, source, rule: `must not be given together with ${fileSource}` });
    return undefined;
  }
  try {
    const text = readFileSync(file, 'utf8');
    return {
      value: setting.fromText(setting.countsLines === true ? text : text.trim()),
      source: fileSource,
      secretFile: file,
    };
  } catch (failure) {
    problems.push({
      path,
      source: fileSource,
      rule: `names a file that cannot be read: ${failureCode(failure)}`,
    });
    return undefined;
  }
}

/** Returns the code of a file system failure, such as `ENOENT` or `EACCES`. */
export function failureCode(failure: unknown): string {
  return failure instanceof Error && 'code' in failure ? String(failure.code) : 'unknown failure';
}

function unknownVariables(environment: Environment): SettingsProblem[] {
  const known = SETTING_PATHS.flatMap((path) => {
    const name = environmentName(path);
    return settingAt(path).secret ? [name, `${name}_FILE`] : [name];
  });
  const allowed = new Set([...known, CONFIG_VARIABLE, ...CLIENT_VARIABLES]);
  return Object.keys(environment)
    .filter(
      (name) =>
        name.startsWith(PREFIX) &&
        name !== LIFELINE_VARIABLE &&
        name !== WORKER_VARIABLE &&
        environment[name] !== undefined &&
        !allowed.has(name),
    )
    .map((name) => ({
      path: name,
      source: 'environment',
      rule: `is not a setting${suggestion(name, [...allowed])}`,
    }));
}
