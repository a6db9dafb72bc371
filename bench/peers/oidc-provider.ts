import { freePort } from '../../test/program/free-port.ts';
import { messageFrom, startScript, stopChild } from '../processes/measured-process.ts';
import type { PeerOptions } from '../processes/oidc-provider.ts';
import { PEER_CLIENT, type Peer } from './peer.ts';

export const PEER = 'oidc-provider, memory';
const PEER_ON_POSTGRES = 'oidc-provider, PostgreSQL';

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
