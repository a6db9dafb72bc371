import type { Settings } from '../../config/settings.ts';
import type { RunningServer } from '../../process/serve.ts';
import { calledWrongly } from '../command-failure.ts';
import { entityIdOf, type FederationLab, publicKey, settingsFileOf } from './lab-data.ts';
import { startLabServer } from './lab-server.ts';

export function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw calledWrongly('--federation-port must be a port');
  return port;
}

/** What makes the server of one's desk an entity of the lab's federation, beside what is set already. */
export function settingsOfLab(lab: FederationLab, settings: Settings): Partial<Settings> {
  const anchor = {
    'entity-id': entityIdOf(lab, 'anchor'),
    jwks: { keys: [publicKey(lab.keys.anchor)] },
  };
  return {
    'federation.enabled': true,
    'federation.trust-anchors': [...settings['federation.trust-anchors'], anchor],
    'federation.authority-hints': [
      ...settings['federation.authority-hints'],
      entityIdOf(lab, 'organisation'),
    ],
    'outbound.allow-http': true,
    'outbound.allow-networks': [...settings['outbound.allow-networks'], '127.0.0.0/8'],
  };
}

/** The server with the lab beside it, which ends with it. */
export async function withLab(server: RunningServer, lab: FederationLab): Promise<RunningServer> {
  const { registry, serverKeys } = server.tenant;
  const member = {
    entity_id: registry.issuer,
    keys: async () => (await serverKeys.keys.federation.jwks()).keys,
  };
  try {
    const authorities = await startLabServer(lab, () => member);
    return {
      ...server,
      async close() {
        await server.close();
        await authorities.close();
      },
    };
  } catch (failure) {
    await server.close();
    throw failure;
  }
}

export function federationBanner(lab: FederationLab, folder: string): string {
  return [
    '  A federation on this desk, all of it in this process:',
    '',
    `  Trust anchor                ${entityIdOf(lab, 'anchor')}`,
    `  Intermediate                ${entityIdOf(lab, 'organisation')}`,
    `  Relying party               ${entityIdOf(lab, 'rp')}`,
    '',
    '  Register the relying party, and see why it is trusted:',
    '',
    'npm run chancery -- federation register-demo',
    `npm run chancery -- federation resolve ${entityIdOf(lab, 'rp')} --mode development --config ${settingsFileOf(folder)}`,
    '',
  ].join('\n');
}
