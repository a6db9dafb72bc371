import { freePort } from '../test/program/free-port.ts';
import type { RawAnswer } from '../test/program/raw-socket.ts';
import type { Server } from './http-subject.ts';
import type { BareOptions } from './processes/bare-http.ts';
import { messageFrom, startScript, stopChild } from './processes/measured-process.ts';
import type { PeerOptions } from './processes/oidc-provider.ts';

export const BARE = 'bare node:http';
export const PEER = 'oidc-provider, memory';
export const PEER_ON_POSTGRES = 'oidc-provider, PostgreSQL';

/** Node writes these by itself. */
const HOP_HEADERS = new Set(['date', 'connection', 'keep-alive', 'content-length']);

/** A bare server that gives the answer which ours gave. */
export async function startBare(
  answer: RawAnswer,
  environment?: Readonly<Record<string, string>>,
  { script = 'bare-http.ts', execPath }: { readonly script?: string; readonly execPath?: string } = {},
): Promise<Server & { readonly port: number }> {
  const options: BareOptions = {
    port: await freePort(),
    status: answer.status,
    headers: Object.entries(answer.headers).filter(([name]) => !HOP_HEADERS.has(name)),
    body: answer.body,
  };
  const child = startScript(script, options, environment, execPath);
  return { name: BARE, pid: child.pid ?? 0, port: options.port, close: async () => await stopChild(child) };
}

export interface Peer extends Server {
  readonly port: number;
  readonly client_id: string;
  readonly client_secret: string;
  readonly tokens: readonly string[];
}

/**
 * @param tokens how many live access tokens it shall hold
 * @param postgres a database to hold everything, instead of its memory
 */
export async function startPeer(tokens: number, postgres?: string): Promise<Peer> {
  const options: PeerOptions = { port: await freePort(), ...PEER_CLIENT, tokens, postgres };
  const child = startScript('oidc-provider.ts', options);
  const { tokens: issued } = await messageFrom<{ tokens: string[] }>(child);
  return {
    name: postgres === undefined ? PEER : PEER_ON_POSTGRES,
    pid: child.pid ?? 0,
    port: options.port,
    ...PEER_CLIENT,
    tokens: issued,
    close: async () => await stopChild(child),
  };
}

export interface PeerClient {
  readonly path: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly registration_access_token: string;
}

/** Registers clients one after the other, to be read and replaced. */
export async function registerAtPeer(port: number, request: object, count: number): Promise<PeerClient[]> {
  const clients: PeerClient[] = [];
  while (clients.length < count) {
    const response = await fetch(`http://127.0.0.1:${port}/reg`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
    if (response.status !== 201) throw new Error(`${PEER} answered ${await response.text()}`);
    const client = (await response.json()) as PeerClient & { readonly registration_client_uri: string };
    clients.push({ ...client, path: new URL(client.registration_client_uri).pathname });
  }
  return clients;
}

/** Of the lengths that our own have. */
export const PEER_CLIENT = {
  client_id: 'oidcProviderBenchClient1',
  client_secret: 'k7Tq2ZrXw9LmN4vB8sYdP1hG6jF3cR5aEuQoWiKzXbT',
  scope: 'read',
};
