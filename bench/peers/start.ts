import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Ours } from '../ours.ts';
import type { OnPostgres } from '../postgres.ts';
import type { Compared, ComparedServers } from './compared.ts';
import { djangoOnPostgres, missingDjango } from './django-oauth-toolkit.ts';
import { glewlwydOnPostgres, glewlwydOnSqlite, missingGlewlwyd } from './glewlwyd.ts';
import { lemonldapOnPostgres, missingLemonldap } from './lemonldap.ts';
import { oidcProviderOnPostgres } from './oidc-provider.ts';
import { oursOnPostgres, oursOnSqlite } from './ours.ts';

/** Starts each peer that is on this machine, on durable storage, one after the other. */
export async function startCompared({
  folder: parent,
  ours,
  postgres,
  tokens,
  closers,
}: {
  readonly folder: string;
  readonly ours: Ours;
  readonly postgres: OnPostgres;
  /** How many live access tokens each peer gets. */
  readonly tokens: number;
  /** Gets what stops a peer, as soon as it runs. */
  readonly closers: (() => Promise<void>)[];
}): Promise<ComparedServers> {
  const folder = mkdtempSync(join(parent, 'peers-'));
  const withoutGlewlwyd = missingGlewlwyd();
  const withoutDjango = missingDjango();
  const withoutLemonldap = missingLemonldap();
  const starts = [
    async () => await oidcProviderOnPostgres(tokens, postgres),
    ...(withoutGlewlwyd.length > 0
      ? []
      : [
          async () => await glewlwydOnSqlite(folder, tokens),
          async () => await glewlwydOnPostgres(folder, tokens, postgres),
        ]),
    ...(withoutDjango.length > 0 ? [] : [async () => await djangoOnPostgres(tokens, postgres)]),
    ...(withoutLemonldap.length > 0 ? [] : [async () => await lemonldapOnPostgres(folder, tokens, postgres)]),
  ];
  const peers: Compared[] = [];
  for (const start of starts) {
    const peer = await start();
    closers.push(peer.close);
    peers.push(peer);
  }
  return {
    servers: [oursOnSqlite(ours), oursOnPostgres(postgres), ...peers],
    missing: [...withoutGlewlwyd, ...withoutDjango, ...withoutLemonldap],
  };
}
