import { dirname } from 'node:path';
import type { ResolvedSettings } from '../../config/load-settings.ts';
import type { Settings } from '../../config/settings.ts';
import { sqlitePath } from '../../process/storage.ts';
import { developmentEncryptionKey } from './development-data.ts';

/** Beside a database that is no file. */
const FOLDER = 'data';

/** Where the development mode keeps what an operator would have to provide. */
export function dataFolder(settings: Settings): string {
  const path = sqlitePath(settings);
  return path === undefined ? FOLDER : dirname(path);
}

/** The settings of the development mode: as they were set, and for what was not set what suits one's desk. */
export function developmentSettings({ settings, origins }: ResolvedSettings): Settings {
  return {
    ...settings,
    'pages.error-details': origins['pages.error-details'] === 'default' || settings['pages.error-details'],
    'outbound.ports': developmentPorts({ settings, origins }),
    // On one's desk everybody comes from one network: oneself.
    'interaction.rate-per-network':
      origins['interaction.rate-per-network'] === 'default' ? 0 : settings['interaction.rate-per-network'],
    'encryption.key': settings['encryption.key'] ?? developmentEncryptionKey(dataFolder(settings)),
  };
}

/** On one's desk the peers' documents are on any port; an explicit setting still rules. */
export function developmentPorts({ settings, origins }: ResolvedSettings): readonly string[] {
  return origins['outbound.ports'] === 'default' ? ['any'] : settings['outbound.ports'];
}
