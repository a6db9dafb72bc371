import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { FederationLab, LabRole } from './lab-data.ts';
import { type LabMember, labConfiguration, labStatement } from './lab-statements.ts';

const PATH = /^\/(anchor|organisation|rp)\/(\.well-known\/openid-federation|fetch)$/;

/** Trust anchor, intermediate and relying party for one's desk: an entity configuration and a fetch endpoint each. */
export async function startLabServer(
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
