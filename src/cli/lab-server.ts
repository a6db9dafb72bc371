import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { RunningServer } from '../process/serve.ts';
import { commandWords } from './command-words.ts';
import { calledWrongly } from './failure.ts';
import { anchorRoles, entityIdOf, type FederationLab, type LabRole } from './federation-lab.ts';
import { settingsFileOf } from './lab-settings.ts';
import { type LabMember, labConfiguration, labStatement } from './lab-statements.ts';
import { LabWebsite } from './lab-website.ts';

const PATH = /^\/(anchor|second-anchor|organisation|rp|website)\/(\.well-known\/openid-federation|fetch)$/;

/** Starts the trust anchors, the intermediate and the relying parties: an entity configuration and a fetch endpoint each. */
async function startLabServer(
  lab: FederationLab,
  server: () => LabMember,
): Promise<{ close(): Promise<void> }> {
  const website = new LabWebsite(lab);
  const host = createServer((request, response) => {
    answer({ lab, server: server(), website }, request, response).catch(() => response.writeHead(500).end());
  });
  host.listen(lab.port, '127.0.0.1');
  await once(host, 'listening');
  return {
    async close() {
      host.close();
      host.closeAllConnections();
      await once(host, 'close');
    },
  };
}

interface Answering {
  readonly lab: FederationLab;
  readonly server: LabMember;
  readonly website: LabWebsite;
}

async function answer(
  { lab, server, website }: Answering,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', entityIdOf(lab, 'anchor'));
  const page = await website.answer(url, request);
  if (page !== undefined) {
    response.writeHead(page.status, page.headers).end(page.html);
    return;
  }
  const statement = await statementAt(lab, server, url);
  if (statement === undefined) {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: 'not_found', error_description: 'no such statement' }));
    return;
  }
  response.writeHead(200, { 'content-type': 'application/entity-statement+jwt' }).end(statement);
}

async function statementAt(lab: FederationLab, server: LabMember, url: URL): Promise<string | undefined> {
  const [, role, what] = PATH.exec(url.pathname) ?? [];
  const now = Math.floor(Date.now() / 1000);
  if (role === undefined || (role === 'second-anchor' && !lab.secondAnchor)) return undefined;
  return what === 'fetch'
    ? await labStatement(lab, role as LabRole, url.searchParams.get('sub') ?? '', { server, now })
    : await labConfiguration(lab, role as LabRole, now);
}

export function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw calledWrongly('--federation-port must be a port');
  return port;
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
  const config = `--config ${settingsFileOf(folder)}`;
  const [, second] = anchorRoles(lab);
  const chancery = commandWords(import.meta.filename, process.env);
  return [
    '  A federation on this machine, all in this process:',
    '',
    `  Trust anchor                ${entityIdOf(lab, 'anchor')}`,
    ...(second === undefined ? [] : [`  Second trust anchor         ${entityIdOf(lab, second)}`]),
    `  Intermediate                ${entityIdOf(lab, 'organisation')}`,
    `  Relying party (explicit)    ${entityIdOf(lab, 'rp')}`,
    `  Relying party (automatic)   ${entityIdOf(lab, 'website')}   sign in there with a browser`,
    '',
    '  Register the relying party, see why it is trusted, and see who is registered:',
    '',
    `${chancery} federation register-demo ${config}`,
    `${chancery} federation resolve ${entityIdOf(lab, 'rp')} --mode development ${config}`,
    `${chancery} federation members --mode development ${config}`,
    '',
  ];
}
