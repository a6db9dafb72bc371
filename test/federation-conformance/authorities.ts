import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** The response of an address. `body` is called at each request. */
export interface Document {
  readonly status?: number;
  readonly type?: string;
  readonly body: () => string | Promise<string>;
  /** The answer never comes. */
  readonly mute?: boolean;
}

export interface HostOptions {
  /** The address to listen on: `127.0.0.1:8097`. Port 0 takes a free one. */
  readonly listen: string;
  /** The address that the provider calls, if it is another one. It may have a path. */
  readonly url?: string | undefined;
  /** PEM; without it the host speaks plain http. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

/** The one server on which all entities of the suite live, each below a path of its own. */
export interface EntityHost {
  readonly url: string;
  publish(path: string, document: Document): void;
  /** Returns how often a path was asked for, its query included. */
  asked(path: string): number;
  close(): Promise<void>;
}

export async function openHost({ listen, url: outside, tls }: HostOptions): Promise<EntityHost> {
  const documents = new Map<string, Document>();
  const counts = new Map<string, number>();
  const prefix = outside === undefined ? '' : new URL(outside).pathname.replace(/\/$/, '');
  const server = serverOf(tls, (request, response) => {
    const path = pathOf(request).replace(prefix, '');
    counts.set(path, (counts.get(path) ?? 0) + 1);
    void answer(documents.get(path), response);
  });
  const at = listen.lastIndexOf(':');
  const host = listen.slice(0, at);
  server.listen(Number(listen.slice(at + 1)), host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const scheme = tls === undefined ? 'http' : 'https';
  return {
    url: outside?.replace(/\/$/, '') ?? `${scheme}://${host}:${port}`,
    publish: (path, document) => void documents.set(path, document),
    asked: (path) => counts.get(path) ?? 0,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function serverOf(tls: HostOptions['tls'], listener: RequestListener): Server {
  return tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
}

function pathOf({ url = '/' }: IncomingMessage): string {
  const { pathname, search } = new URL(url, 'http://host');
  return pathname + search;
}

async function answer(document: Document | undefined, response: ServerResponse): Promise<void> {
  if (document?.mute === true) return;
  const { status = 200, type = 'application/entity-statement+jwt' } = document ?? {};
  if (document === undefined) response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
  else response.writeHead(status, { 'content-type': type }).end(await document.body());
}
