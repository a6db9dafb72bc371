import type { Sealed } from '../../spec/identifiers.ts';
import { type Acts, changed, one } from './act.ts';
import { statement } from './statement.ts';

const PUT_CANARY = statement(
  'canary_put',
  'INSERT INTO seal_canary (id, sealed) VALUES (1, :sealed) ON CONFLICT DO NOTHING',
);
const CANARY = statement('canary', 'SELECT sealed FROM seal_canary WHERE id = 1');
const REPLACE_CANARY = statement(
  'canary_replace',
  `INSERT INTO seal_canary (id, sealed) VALUES (1, :sealed) ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed`,
);
const BEAT = statement('beat', 'UPDATE heartbeat SET beats = beats + 1 WHERE id = 1');

export const WHOLE_STORAGE_ACTS: Acts<'sealCanary' | 'replaceSealCanary' | 'beat'> = {
  sealCanary: {
    turn: false,
    async quick(transaction, { sealed }) {
      const [, kept] = await Promise.all([
        transaction.ask(PUT_CANARY, { sealed }),
        one(transaction.ask(CANARY, {})),
      ]);
      return String(kept?.['sealed']) as Sealed;
    },
  },
  replaceSealCanary: {
    turn: false,
    async quick(transaction, { sealed }) {
      await transaction.ask(REPLACE_CANARY, { sealed });
      return undefined;
    },
  },
  beat: {
    turn: false,
    async quick(transaction) {
      if ((await changed(transaction.ask(BEAT, {}))) !== 1) throw new Error('the heartbeat row is missing');
      return undefined;
    },
  },
};
