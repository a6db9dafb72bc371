import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import type { TlsIdentity } from '../../test/tls/certificate.ts';
import { type OutboundNeeds, type OutboundOptions, openOutboundHttp } from '../outbound/outbound-http.ts';
import type { FetchCause, Fetched, OutboundForms, OutboundHttp } from '../ports/outbound-http.ts';
import { listeningPort } from './listening-port.ts';

/** Another server, which writes arbitrary octets. */
export interface Peer {
  readonly port: number;
  readonly url: string;
  /** How many connections it has seen, and how many bytes over them. */
  connections: number;
  bytes: number;
  readonly requests: string[];
}

export type Behaviour = (socket: Socket, peer: Peer) => void;

/** Calls `behaviour` for each request head; the peer ends with the test. */
export async function startPeer(t: TestContext, behaviour: Behaviour, tls?: TlsIdentity): Promise<Peer> {
  const sockets = new Set<Socket>();
  const serve = (socket: Socket): void => {
    let text = '';
    socket
      .on('error', () => undefined)
      .on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1');
        if (!text.includes('\r\n\r\n')) return;
        peer.requests.push(text);
        text = '';
        behaviour(socket, peer);
      });
  };
  const server: Server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    peer.connections += 1;
    socket.on('data', (chunk: Buffer) => {
      peer.bytes += chunk.length;
    });
  });
  server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
  const port = await listeningPort(server);
  const scheme = tls === undefined ? 'http' : 'https';
  const peer: Peer = {
    port,
    url: `${scheme}://127.0.0.1:${port}/doc`,
    connections: 0,
    bytes: 0,
    requests: [],
  };
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return peer;
}

/** Answers with these bytes and ends the connection. */
export function answering(head: readonly string[], body: string | Uint8Array = ''): Behaviour {
  return (socket) => {
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    socket.end(body);
  };
}

export const JSON_HEAD = ['HTTP/1.1 200 OK', 'Content-Type: application/json'] as const;
export const answeringJson: Behaviour = answering(JSON_HEAD, '["ok"]');

/** Permits the loopback network, plain http and every port. */
export function outboundToPeers(
  options: Partial<OutboundOptions> = {},
  needs: Partial<OutboundNeeds> = {},
): OutboundHttp & OutboundForms {
  return openOutboundHttp(
    {
      allowHttp: true,
      ports: [{ first: 1, last: 65_535 }],
      allowNetworks: ['127.0.0.0/8'],
      ownOrigins: new Set(),
      timeoutMs: 5000,
      bodyMax: 65_536,
      fetchesPerHost: 2,
      fetchesPerAddress: 64,
      fetches: 16,
      negativeCacheMs: 60_000,
      ...options,
    },
    { clock: { milliseconds: () => 0 }, ...needs },
  );
}

/** Stands for a request of a stranger. */
export const TEST_CAUSE = { purpose: 'client-keys', remoteAddress: '192.0.2.1' } as const;

export async function getJson(
  outbound: OutboundHttp,
  url: string,
  cause: FetchCause = TEST_CAUSE,
): Promise<Fetched> {
  return await outbound.get(url, { mediaTypes: ['application/json'] }, cause);
}

/** `ok`, or why not. */
export async function outcomeOf(
  outbound: OutboundHttp,
  url: string,
  cause: FetchCause = TEST_CAUSE,
): Promise<string> {
  const fetched = await getJson(outbound, url, cause);
  return fetched.status === 'ok' ? 'ok' : fetched.reason;
}
