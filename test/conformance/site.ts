import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request of the provider to an address of a relying party. */
export interface Received {
  readonly method: string;
  readonly contentType: string;
  readonly query: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
}

/** The addresses of one module's relying party. */
export interface Site {
  /** The beginning of the browser's addresses. No server listens there: the browser of the modules stops at it. */
  readonly browserUrl: string;
  /** The beginning of the addresses that the provider fetches. */
  readonly fetchUrl: string;
  /** Publishes a document at a path below `fetchUrl`. A function is called at each request. */
  publish(path: string, type: string, body: string | Uint8Array | (() => string)): void;
  received(path: string): readonly Received[];
  /** Waits up to ten seconds for the first request to a path. */
  until(path: string): Promise<Received | undefined>;
}

export interface Sites {
  /** @param name of the module's run; it is part of the addresses */
  open(name: string): Site;
  close(): Promise<void>;
}

/** Redirect URIs lie here. A name that resolves nowhere: web clients of the implicit grant may not use the loopback host. */
export const BROWSER_ORIGIN = 'https://suite.example';
const PATIENCE_MS = 10_000;

interface Document {
  readonly type: string;
  readonly body: string | Uint8Array | (() => string);
}

/** Opens the one https server that all relying parties of a run share, on 127.0.0.1. */
export async function openSites(identity: { cert: string; key: string }): Promise<Sites> {
  const documents = new Map<string, Document>();
  const received = new Map<string, Received[]>();
  const server = createServer(identity, (request, response) => {
    const url = new URL(request.url ?? '/', 'https://127.0.0.1');
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const seen = received.get(url.pathname) ?? [];
      received.set(url.pathname, seen);
      seen.push({
        method: request.method ?? '',
        contentType: request.headers['content-type'] ?? '',
        query: Object.fromEntries(url.searchParams),
        form: Object.fromEntries(new URLSearchParams(body)),
      });
      const document = documents.get(url.pathname + url.search) ?? documents.get(url.pathname);
      response.writeHead(document === undefined && request.method === 'GET' ? 404 : 200, {
        'content-type': document?.type ?? 'text/plain',
        'cache-control': 'no-store',
      });
      response.end(typeof document?.body === 'function' ? document.body() : document?.body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    open(name) {
      const base = `/test/a/${name}`;
      const requests = (path: string): readonly Received[] => received.get(base + path) ?? [];
      return {
        browserUrl: `${BROWSER_ORIGIN}${base}`,
        fetchUrl: `https://127.0.0.1:${port}${base}`,
        publish: (path, type, body) => void documents.set(base + path, { type, body }),
        received: requests,
        async until(path) {
          for (let waited = 0; waited < PATIENCE_MS && requests(path).length === 0; waited += 20)
            await sleep(20);
          return requests(path)[0];
        },
      };
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
