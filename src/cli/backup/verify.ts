import { parseArgs } from 'node:util';
import { rowsIn } from '../../storage/backup-manifest.ts';
import { verifySqliteBackup } from '../../storage/sqlite/backup.ts';
import { operands } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { printFields } from '../table.ts';

export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false } },
  });
  const [file = ''] = operands(positionals, ['FILE']);
  const { manifest, digestsCompared } = await verifySqliteBackup(file);
  if (values.json) {
    context.print(JSON.stringify({ file, digests_compared: digestsCompared, ...manifest }));
    return 0;
  }
  printFields(context.print, [
    ['backup', file],
    ['taken at', new Date(manifest.taken_at * 1000).toISOString()],
    ['made by', `chancery ${manifest.program}`],
    ['schema version', String(manifest.schema)],
    ['rows', String(rowsIn(manifest.tables))],
    ['encryption key', manifest.encryption_key ?? 'none yet'],
    ['digests', digestsCompared ? 'as when it was made' : 'not compared: the schema is an older one'],
  ]);
  return 0;
};
