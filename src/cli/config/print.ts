import { SETTING_PATHS, settingAt } from '../../config/settings.ts';
import type { Run } from '../commands.ts';
import { askedSettings } from './config-options.ts';

const MASK = '******';

/** A line a setting: `path = JSON value (where it came from)`. */
export const run: Run = async (parameters, context) => {
  const asked = askedSettings(parameters, context);
  if (typeof asked === 'number') return asked;
  const { settings, origins } = asked.resolved;
  for (const path of SETTING_PATHS) {
    const value = settings[path];
    context.print(`${path} = ${shown(value, settingAt(path).secret)} (${origins[path]})`);
  }
  return 0;
};

/** A secret that is not set has nothing to hide; that it is not set helps. */
function shown(value: unknown, secret: boolean): string {
  if (value === undefined) return 'not set';
  const empty = Array.isArray(value) && value.length === 0;
  return secret && !empty ? MASK : JSON.stringify(value);
}
