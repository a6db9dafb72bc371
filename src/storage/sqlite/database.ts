import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { FileSize, StoredObjects } from '../../ports/storage.ts';
import type { RememberedTime } from '../../ports/time-memory.ts';
import type { Sealed } from '../../spec/identifiers.ts';
import { processRow } from '../rows.ts';
import type { DatabaseStore } from '../verbs.ts';
import type { SqliteStore } from './noun.ts';

type TimeRow = Readonly<Record<'latest' | 'waited' | 'confirmation', number>>;

/** Returns what the database remembers of the time; undefined before the first sighting. */
export function timeReading(database: DatabaseSync): () => RememberedTime | undefined {
  const select = database.prepare('SELECT latest, waited, confirmation FROM time_memory WHERE id = 1');
  return () => {
    const row = select.get() as TimeRow | undefined;
    return row === undefined ? undefined : { ...row, database: undefined };
  };
}

/** Returns the size of the file, by a connection that is open, and of its log. */
export function sizeReading(database: DatabaseSync, path: string): () => FileSize {
  const pages = database.prepare(
    'SELECT page_count, page_size, freelist_count FROM pragma_page_count, pragma_page_size, pragma_freelist_count',
  );
  return () => {
    const row = pages.get() as Readonly<Record<'page_count' | 'page_size' | 'freelist_count', number>>;
    return {
      file: row.page_count * row.page_size,
      free: row.freelist_count * row.page_size,
      log: statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    };
  };
}

const COUNTED = {
  clients: 'client',
  accounts: 'account',
  sessions: 'session',
  grants: 'authorization_grant',
  accessTokens: 'access_token',
  clientVersions: 'client_version',
} as const;
/** Rows that one table is counted up to: a few milliseconds of the event loop. */
const COUNTED_MAX = 250_000;

/** Returns how many rows of each kind all tenants have, up to a limit. */
export function countObjects(database: DatabaseSync): StoredObjects {
  const count = (table: string): number => {
    const limited = `SELECT count(*) AS rows FROM (SELECT 1 FROM ${table} LIMIT ${COUNTED_MAX})`;
    return Number(database.prepare(limited).get()?.['rows'] ?? 0);
  };
  return {
    clients: count(COUNTED.clients),
    accounts: count(COUNTED.accounts),
    sessions: count(COUNTED.sessions),
    grants: count(COUNTED.grants),
    accessTokens: count(COUNTED.accessTokens),
    clientVersions: count(COUNTED.clientVersions),
  };
}

export const database: SqliteStore<DatabaseStore, 'storedCanary' | 'processes'> = {
  reads: {
    storedCanary({ lookUps }) {
      const select = lookUps.prepare('SELECT sealed FROM seal_canary WHERE id = 1');
      return () => select.get()?.['sealed'] as Sealed | undefined;
    },
    processes({ lookUps }) {
      const all = lookUps.prepare('SELECT id, name, ring, beats FROM server_process ORDER BY name, id');
      return () => all.all().map(processRow.read);
    },
  },
  writes: {
    sealCanary(database) {
      const put = database.prepare(
        'INSERT INTO seal_canary (id, sealed) VALUES (1, ?) ON CONFLICT DO NOTHING',
      );
      const select = database.prepare('SELECT sealed FROM seal_canary WHERE id = 1');
      return (sealed) => {
        put.run(sealed);
        return String(select.get()?.['sealed']) as Sealed;
      };
    },
    replaceSealCanary(database) {
      const replace = database.prepare('INSERT OR REPLACE INTO seal_canary (id, sealed) VALUES (1, ?)');
      return (sealed) => void replace.run(sealed);
    },
    keepIssuer(database) {
      const put = database.prepare(
        "INSERT INTO storage_mark (name, content) VALUES ('issuer', ?) ON CONFLICT DO NOTHING",
      );
      const select = database.prepare("SELECT content FROM storage_mark WHERE name = 'issuer'");
      return (issuer) => {
        put.run(issuer);
        return String(select.get()?.['content']);
      };
    },
    replaceIssuer(database) {
      const replace = database.prepare(
        "INSERT OR REPLACE INTO storage_mark (name, content) VALUES ('issuer', ?)",
      );
      return (issuer) => void replace.run(issuer);
    },
    recordProcess(database) {
      const put = database.prepare(`
        INSERT INTO server_process (id, name, ring, beats) VALUES (?, ?, ?, 1)
        ON CONFLICT (id) DO UPDATE SET ring = excluded.ring, beats = beats + 1`);
      return ({ id, name, ring }) => void put.run(id, name, JSON.stringify(ring));
    },
    forgetProcesses(database) {
      const forget = database.prepare('DELETE FROM server_process WHERE id = ?');
      return (ids) => ids.forEach((id) => forget.run(id));
    },
    giveBackPages(database) {
      const free = database.prepare('PRAGMA freelist_count');
      const count = (): number => Number(free.get()?.['freelist_count']);
      return (pages) => {
        const before = count();
        if (before > 0) database.exec(`PRAGMA incremental_vacuum(${Math.max(1, Math.floor(pages))})`);
        return before - count();
      };
    },
    noteTime(database) {
      const put = database.prepare(`
        INSERT INTO time_memory (id, latest, waited, confirmation) VALUES (1, ?1, ?2, ?3)
        ON CONFLICT (id) DO UPDATE SET latest = max(latest, excluded.latest), waited = excluded.waited
        WHERE confirmation = excluded.confirmation`);
      const remembered = timeReading(database);
      return ({ at, waited, confirmation }) => {
        put.run(at, waited, confirmation);
        const time = remembered();
        if (time === undefined) throw new Error('the remembered time is missing');
        return time;
      };
    },
    confirmTime(database) {
      const put = database.prepare(`
        INSERT INTO time_memory (id, latest, waited, confirmation) VALUES (1, ?, 0, 1)
        ON CONFLICT (id) DO UPDATE SET latest = excluded.latest, waited = 0, confirmation = confirmation + 1`);
      return (at) => void put.run(at);
    },
    heartbeat(database) {
      const beat = database.prepare('UPDATE heartbeat SET beats = beats + 1 WHERE id = 1');
      return () => {
        if (beat.run().changes !== 1) throw new Error('the heartbeat row is missing');
      };
    },
  },
};
