import type { DatabaseSync } from 'node:sqlite';
import type { Sealed } from '../../spec/identifiers.ts';
import type { WriteHandlers } from './write-handlers.ts';

type WholeStorageWrites = Pick<WriteHandlers, 'sealCanary' | 'replaceSealCanary' | 'beat'>;

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
