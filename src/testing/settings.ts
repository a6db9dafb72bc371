import { SETTING_PATHS, type Settings, settingAt } from '../config/settings.ts';

const DEFAULTS = Object.freeze(
  Object.fromEntries(SETTING_PATHS.map((path) => [path, settingAt(path).default])),
) as unknown as Settings;

/** Returns the defaults of the product with these changes. */
export function testSettings(changes: Partial<Settings> = {}): Settings {
  return { ...DEFAULTS, ...changes };
}
