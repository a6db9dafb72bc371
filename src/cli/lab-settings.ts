import { join, resolve } from 'node:path';
import type { ResolvedSettings } from '../config/load-settings.ts';
import { SETTING_PATHS, type SettingPath, type Settings, settingAt } from '../config/settings.ts';
import { sqlitePath } from '../process/storage.ts';
import { anchorRoles, entityIdOf, type FederationLab, publicKey } from './federation-lab.ts';
import { writePrivately } from './private-file.ts';

const SETTINGS_FILE = 'development-federation.yaml';

/** Returns the path of the settings of a server with a federation, for --config. JSON is YAML. */
export const settingsFileOf = (folder: string): string => join(folder, SETTINGS_FILE);

/** Returns the settings that make the development server an entity of the federation, beside the given ones. */
export function settingsOfLab(lab: FederationLab, settings: Settings): Partial<Settings> {
  const anchors = anchorRoles(lab).map((role) => ({
    'entity-id': entityIdOf(lab, role),
    jwks: { keys: [publicKey(lab.keys[role])] },
  }));
  return {
    'federation.enabled': true,
    'federation.trust-anchors': [...settings['federation.trust-anchors'], ...anchors],
    'federation.authority-hints': [
      ...settings['federation.authority-hints'],
      entityIdOf(lab, 'organisation'),
    ],
    'federation.organization-name': settings['federation.organization-name'] ?? 'A server on a desk',
    'outbound.allow-http': true,
    'outbound.allow-networks': [...settings['outbound.allow-networks'], '127.0.0.0/8'],
  };
}

/**
 * Writes the settings of the development server with its federation, so that commands in another terminal need no variables of
 * this one: the issuer, the ports, the database, and everything that the operator set. Secrets stay out of the file.
 */
export function writeLabSettings(
  folder: string,
  lab: FederationLab,
  { settings, origins }: ResolvedSettings,
): void {
  const given = SETTING_PATHS.filter((path) => origins[path] !== 'default' && !settingAt(path).secret);
  const sqlite = sqlitePath(settings);
  const values: Partial<Settings> = {
    ...Object.fromEntries(given.map((path) => [path, settings[path]])),
    issuer: settings.issuer,
    'listen.port': settings['listen.port'],
    'management.listen-port': settings['management.listen-port'],
    ...(sqlite === undefined ? {} : { 'storage.url': `sqlite:${resolve(sqlite)}` }),
    ...settingsOfLab(lab, settings),
  };
  writePrivately(settingsFileOf(folder), JSON.stringify(nested(values), null, 2));
}

/** Returns settings as a settings file groups them: `listen.port` is the member `port` of `listen`. */
function nested(values: Partial<Settings>): object {
  const groups: Record<string, Record<string, unknown>> = {};
  const whole: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(values) as [SettingPath, unknown][]) {
    const [group = '', name] = path.split('.');
    if (name === undefined) whole[group] = value;
    else groups[group] = { ...groups[group], [name]: value };
  }
  return { ...whole, ...groups };
}
