import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Settings } from '../config/settings.ts';
import type { RunningServer } from '../process/serve.ts';
import { calledWrongly } from './failure.ts';
import {
  entityIdOf,
  type FederationLab,
  type LabMember,
  type LabRole,
  labConfiguration,
  labStatement,
  publicKey,
  settingsFileOf,
} from './federation-lab.ts';

const PATH = /^\/(anchor|organisation|rp)\/(\.well-known\/openid-federation|fetch)$/;

/** Starts the trust anchor, the intermediate and the relying party: an entity configuration and a fetch endpoint each. */
async function startLabServer(
  lab: FederationLab,
  server: () => LabMember,
): Promise<{ close(): Promise<void> }> {
  const host = createServer((request, response) => {
    answer(lab, server(), request, response).catch(() => response.writeHead(500).end());
  });
  host.listen(Number(new URL(lab.base).port), '127.0.0.1');
  await once(host, 'listening');
  return {
    async close() {
      host.close();
      host.closeAllConnections();
      await once(host, 'close');
    },
  };
}

async function answer(
  lab: FederationLab,
  server: LabMember,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', lab.base);
  const [, role, what] = PATH.exec(url.pathname) ?? [];
  const now = Math.floor(Date.now() / 1000);
  const statement =
    role === undefined
      ? undefined
      : what === 'fetch'
        ? await labStatement(lab, role as LabRole, url.searchParams.get('sub') ?? '', { server, now })
        : await labConfiguration(lab, role as LabRole, now);
  if (statement === undefined) {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: 'not_found', error_description: 'no such statement' }));
    return;
  }
  response.writeHead(200, { 'content-type': 'application/entity-statement+jwt' }).end(statement);
}

export function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw calledWrongly('--federation-port must be a port');
  return port;
}

/** Returns the settings that make the development server an entity of the federation, beside the given ones. */
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

/** Starts the federation beside a server. Closing the result closes both. */
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
      async close(atOnce = false) {
        await server.close(atOnce);
        await authorities.close();
      },
    };
  } catch (failure) {
    await server.close();
    throw failure;
  }
}

export function federationBanner(lab: FederationLab, folder: string): readonly string[] {
  return [
    '  A federation on this machine, all in this process:',
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
  ];
}
