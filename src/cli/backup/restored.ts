import { parseArgs } from 'node:util';
import { openStorage, requireRightKey, sealerOf, tablesAt } from '../../process/storage.ts';
import { markRestored } from '../../storage/mark-restored.ts';
import { calledWrongly } from '../command-failure.ts';
import { operands } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { CONFIG_OPTION, settingsFor } from '../settings-sources.ts';
import { restoreEvent, whatToDo } from './restored-registry.ts';

/** What `backup restore` says of the database that it makes, said of one that other tools have made. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: {
      ...CONFIG_OPTION,
      'taken-at': { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  operands(positionals, []);
  const taken_at = secondsOf(values['taken-at']);
  const resolved = settingsFor('production', values.config, context);
  if (resolved === undefined) return 1;
  const { settings } = resolved;
  const storage = await openStorage(settings, { check: false, mode: 'production' });
  try {
    await requireRightKey(storage, sealerOf(settings));
  } finally {
    await storage.close();
  }
  const now = Math.floor(Date.now() / 1000);
  const writer = await tablesAt(settings['storage.url']).writer();
  try {
    await markRestored(writer, { taken_at, restored_at: now }, restoreEvent(taken_at, now));
  } finally {
    await writer.close();
  }
  if (values.json) context.print(JSON.stringify({ taken_at, restored_at: now }));
  else for (const line of whatToDo(taken_at)) context.print(line);
  return 0;
};

function secondsOf(time: string | undefined): number {
  const milliseconds = time === undefined ? Number.NaN : Date.parse(time);
  if (Number.isNaN(milliseconds))
    throw calledWrongly('--taken-at must be a time such as 2026-11-21T10:00:00Z');
  return Math.floor(milliseconds / 1000);
}
