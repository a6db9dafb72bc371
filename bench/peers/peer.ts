import type { Server } from '../http-subject.ts';

/** Another author's server with live access tokens, and a client that may ask about them and get more. */
export interface Peer extends Server {
  readonly port: number;
  readonly client_id: string;
  readonly client_secret: string;
  readonly tokens: readonly string[];
}

/** The client that peers get. Its identifier and secret are as long as ours. */
export const PEER_CLIENT = {
  client_id: 'oidcProviderBenchClient1',
  client_secret: 'k7Tq2ZrXw9LmN4vB8sYdP1hG6jF3cR5aEuQoWiKzXbT',
  scope: 'read',
};
