import { freePort } from '../test/program/free-port.ts';
import type { RawAnswer } from '../test/program/raw-socket.ts';
import type { Server } from './http-subject.ts';
import type { BareOptions } from './processes/bare-http.ts';
import { messageFrom, startScript, stopChild } from './processes/measured-process.ts';
import type { PeerOptions } from './processes/oidc-provider.ts';

export const BARE = 'bare node:http';
export const PEER = 'oidc-provider, memory';
export const PEER_ON_POSTGRES = 'oidc-provider, PostgreSQL';

/** Node adds these headers. */
const HOP_HEADERS = new Set(['date', 'connection', 'keep-alive', 'content-length']);

/** Starts a bare server that gives the same answer as ours. */
export async function startBare(
  answer: RawAnswer,
  environment?: Readonly<Record<string, string>>,
): Promise<Server & { readonly port: number }> {
  const options: BareOptions = {
    port: await freePort(),
    status: answer.status,
    headers: Object.entries(answer.headers).filter(([name]) => !HOP_HEADERS.has(name)),
    body: answer.body,
  };
  const child = startScript('bare-http.ts', options, environment);
  return { name: BARE, pid: child.pid ?? 0, port: options.port, close: async () => await stopChild(child) };
}

export interface Peer extends Server {
  readonly port: number;
  readonly client_id: string;
  readonly client_secret: string;
  readonly tokens: readonly string[];
}

/**
 * Starts oidc-provider.
 * @param tokens how many live access tokens it holds
 * @param postgres the database that holds everything instead of its memory
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

/** Its identifier and secret are as long as ours. */
export const PEER_CLIENT = {
  client_id: 'oidcProviderBenchClient1',
  client_secret: 'k7Tq2ZrXw9LmN4vB8sYdP1hG6jF3cR5aEuQoWiKzXbT',
  scope: 'read',
};
