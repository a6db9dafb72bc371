import type { DatabaseSync } from 'node:sqlite';
import type { Sealed } from '../../spec/identifiers.ts';
import { serverKeyRows } from './server-key-rows.ts';
import type { WriteHandlers } from './write.ts';

type ServerKeyWrites = Pick<WriteHandlers, 'addFirstServerKeys' | 'resealServerKey'>;
type WholeStorageWrites = Pick<WriteHandlers, 'sealCanary' | 'replaceSealCanary' | 'beat'>;

export function serverKeyWrites(database: DatabaseSync): ServerKeyWrites {
  const all = serverKeyRows(database);
  const insert = database.prepare(`
    INSERT INTO server_key (tenant, kid, position, use, created_at, public_jwk, sealed_jwk)
    VALUES (?, ?, ?, ?, ?, ?, ?)`);
  const reseal = database.prepare('UPDATE server_key SET sealed_jwk = ? WHERE tenant = ? AND kid = ?');
  return {
    addFirstServerKeys({ tenant, keys }) {
      const present = all(tenant);
      if (present.length > 0) return present;
      for (const [position, key] of keys.entries()) {
        const { kid, use, created_at, public_jwk, sealed_jwk } = key;
        insert.run(tenant, kid, position, use, created_at, public_jwk, sealed_jwk);
      }
      return all(tenant);
    },
    resealServerKey({ tenant, kid, sealed }) {
      const { changes } = reseal.run(sealed, tenant, kid);
      if (changes !== 1) throw new Error('the server key to be resealed does not exist');
      return undefined;
    },
  };
}

export function wholeStorageWrites(database: DatabaseSync): WholeStorageWrites {
  const put = database.prepare('INSERT INTO seal_canary (id, sealed) VALUES (1, ?) ON CONFLICT DO NOTHING');
  const select = database.prepare('SELECT sealed FROM seal_canary WHERE id = 1');
  const replace = database.prepare('INSERT OR REPLACE INTO seal_canary (id, sealed) VALUES (1, ?)');
  const beat = database.prepare('UPDATE heartbeat SET beats = beats + 1 WHERE id = 1');
  return {
    sealCanary({ sealed }) {
      put.run(sealed);
      return String(select.get()?.['sealed']) as Sealed;
    },
    replaceSealCanary({ sealed }) {
      replace.run(sealed);
      return undefined;
    },
    beat() {
      if (beat.run().changes !== 1) throw new Error('the heartbeat row is missing');
      return undefined;
    },
  };
}
