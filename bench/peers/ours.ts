import { readFileSync } from 'node:fs';
import type { Ours } from '../ours.ts';
import type { OnPostgres } from '../postgres.ts';
import type { Compared } from './compared.ts';

const PATHS = { introspection: '/token/introspect', token: '/token', registration: '/clients' };
const SETTINGS = [
  'one process of the sources; log and audit as by default',
  'access tokens: identifiers (the default), seeded for 24 hours and issued for the default lifetime',
  'client secrets: SHA-256, as shipped',
  'open registration allowed',
];

export const oursOnSqlite = (ours: Ours): Compared => ({
  ...comparedWith(
    'ours, SQLite',
    ours,
    `SQLite ${process.versions['sqlite']}; journal WAL, synchronous FULL`,
  ),
});

export const oursOnPostgres = ({ ours, described, cpuSeconds }: OnPostgres): Compared => ({
  ...comparedWith('ours, PostgreSQL', ours, described),
  databaseCpu: cpuSeconds,
});

function comparedWith(name: string, { program, caller, tokens }: Ours, storage: string): Compared {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return {
    name,
    pid: program.pid,
    port: program.port,
    client_id: caller.client_id,
    client_secret: caller.client_secret,
    tokens,
    paths: PATHS,
    described: {
      name,
      version: `Chancery ${version}, Node ${process.versions.node}`,
      storage,
      settings: SETTINGS,
    },
    close: async () => undefined,
  };
}
