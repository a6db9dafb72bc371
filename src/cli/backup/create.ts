import { parseArgs } from 'node:util';
import { sqlitePath } from '../../process/storage.ts';
import { rowsIn } from '../../storage/backup-manifest.ts';
import { createSqliteBackup } from '../../storage/sqlite/backup.ts';
import { CommandFailure, calledWrongly } from '../command-failure.ts';
import { operands } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { CONFIG_OPTION, settingsFor } from '../settings-sources.ts';
import { printFields } from '../table.ts';
import { programVersion } from '../version.ts';

/** A backup of the database that the settings name, beside the servers that use it. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: { ...CONFIG_OPTION, out: { type: 'string' }, json: { type: 'boolean', default: false } },
  });
  operands(positionals, []);
  const { out, json, config } = values;
  if (out === undefined) throw calledWrongly('--out is missing');
  const resolved = settingsFor('production', config, context);
  if (resolved === undefined) return 1;
  const path = sqlitePath(resolved.settings);
  if (path === undefined) {
    throw new CommandFailure(
      'storage.url names a PostgreSQL: back it up with pg_dump or pg_basebackup (docs/operate/backup.md)',
    );
  }
  const now = (): number => Math.floor(Date.now() / 1000);
  const manifest = await createSqliteBackup(path, out, { program: programVersion(), now });
  if (json) context.print(JSON.stringify({ out, ...manifest }));
  else {
    printFields(context.print, [
      ['backup', out],
      ['taken at', new Date(manifest.taken_at * 1000).toISOString()],
      ['rows', String(rowsIn(manifest.tables))],
      ['encryption key', manifest.encryption_key ?? 'none yet'],
    ]);
    context.print('Keep encryption.key apart from it: without that key nothing sealed in it can be read.');
  }
  return 0;
};
