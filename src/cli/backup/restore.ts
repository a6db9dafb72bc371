import { parseArgs } from 'node:util';
import { requireKeyOpens, sealerOf, sqlitePath, sqlitePathOf, tablesAt } from '../../process/storage.ts';
import { markRestored } from '../../storage/mark-restored.ts';
import { restoreSqliteBackup, verifySqliteBackup } from '../../storage/sqlite/backup.ts';
import { CommandFailure, calledWrongly } from '../command-failure.ts';
import { operands } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { CONFIG_OPTION, settingsFor } from '../settings-sources.ts';
import { restoreEvent, whatToDo } from './restored-registry.ts';

/** Puts a backup where the database is or was. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: {
      ...CONFIG_OPTION,
      to: { type: 'string' },
      'move-aside': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const [file = ''] = operands(positionals, ['FILE']);
  const resolved = settingsFor('production', values.config, context);
  if (resolved === undefined) return 1;
  const { settings } = resolved;
  const path = values.to === undefined ? sqlitePath(settings) : sqlitePathOf(values.to);
  if (path === undefined || path === '') {
    if (values.to !== undefined) throw calledWrongly('--to must be sqlite:PATH');
    throw new CommandFailure('a backup goes into a SQLite database: name it with --to sqlite:PATH');
  }
  const { manifest, canary } = await verifySqliteBackup(file);
  if (canary !== undefined) requireKeyOpens(canary, sealerOf(settings), file);
  const now = Math.floor(Date.now() / 1000);
  const { taken_at } = manifest;
  const { aside } = await restoreSqliteBackup(file, path, {
    moveAside: values['move-aside'],
    now,
    complete: async (draft) => {
      const writer = await tablesAt(`sqlite:${draft}`).writer();
      try {
        await markRestored(writer, { taken_at, restored_at: now }, restoreEvent(taken_at, now));
      } finally {
        await writer.close();
      }
    },
  });
  if (values.json) {
    context.print(JSON.stringify({ restored: path, moved_aside: aside ?? null, taken_at, restored_at: now }));
    return 0;
  }
  context.print(`restored to ${path}`);
  if (aside !== undefined) context.print(`what stood there is at ${aside}`);
  for (const line of whatToDo(taken_at)) context.print(line);
  return 0;
};
