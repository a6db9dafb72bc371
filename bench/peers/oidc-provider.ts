import { freePort } from '../../test/program/free-port.ts';
import type { OnPostgres } from '../postgres.ts';
import { messageFrom, startScript, stopChild } from '../processes/measured-process.ts';
import type { PeerOptions } from '../processes/oidc-provider.ts';
import { packageVersion } from '../results-file.ts';
import type { Compared } from './compared.ts';
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

/** Starts it on PostgreSQL, with a description: its package brings no durable storage of its own. */
export async function oidcProviderOnPostgres(tokens: number, postgres: OnPostgres): Promise<Compared> {
  const peer = await startPeer(tokens, await postgres.createDatabase());
  return {
    ...peer,
    databaseCpu: postgres.cpuSeconds,
    paths: { introspection: '/token/introspection', token: '/token', registration: '/reg' },
    described: {
      name: peer.name,
      version: `oidc-provider ${packageVersion('oidc-provider')}, Node ${process.versions.node}`,
      storage: postgres.described,
      settings: [
        'one process; an adapter of this benchmark, because the package brings none: one table, one statement for each call, 10 connections',
        'access tokens: random identifiers (the default); 24 hours',
        'client secrets: plain text in the record, as its adapters get them',
        'introspection, client_credentials and open registration switched on; registration tokens do not rotate',
      ],
    },
  };
}
