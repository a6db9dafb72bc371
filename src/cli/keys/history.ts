import { parseArgs } from 'node:util';
import type { RemovedServerKey } from '../../ports/server-key-store.ts';
import { operands } from '../command-input.ts';
import type { CommandContext, Run } from '../commands.ts';
import { REGISTRY_OPTIONS, withRegistry } from '../registry-session.ts';
import { table, timeText } from '../table.ts';

/** Keys that ended; their private halves are destroyed. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: REGISTRY_OPTIONS,
  });
  operands(positionals, []);
  const { config, mode, tenant, json } = values;
  return await withRegistry({ config, mode, tenant, create: false }, context, async ({ tenant }) => {
    const removed = await tenant.storage.serverKeys.removed();
    if (json) for (const key of removed) context.print(JSON.stringify(published(key)));
    else printTable(context, removed);
    return 0;
  });
};

function published({
  kid,
  use,
  active_at,
  retired_at,
  removed_at,
  reason,
  public_jwk,
}: RemovedServerKey): object {
  const jwk: unknown = public_jwk === null ? null : JSON.parse(public_jwk);
  return { kid, use, active_at, retired_at, removed_at, reason, jwk };
}

function printTable({ print }: CommandContext, removed: readonly RemovedServerKey[]): void {
  table(print, ['KID', 'USE', 'ACTIVE FROM', 'REMOVED', 'REASON']).print(
    removed.map(({ kid, use, active_at, removed_at, reason }) => [
      kid,
      use,
      timeText(active_at, '-'),
      timeText(removed_at, '-'),
      reason,
    ]),
  );
}
