import type { RemovedServerKey } from '../../ports/server-key-store.ts';
import type { CommandContext } from '../commands.ts';
import { onRegistry } from '../on-registry.ts';
import { table, timeText } from '../table.ts';

/** Keys that ended; their private halves are destroyed. */
export const run = onRegistry([], async ({ tenant }, { json, context }) => {
  const removed = await tenant.storage.serverKeys.removed();
  if (json) for (const key of removed) context.print(JSON.stringify(published(key)));
  else printTable(context, removed);
});

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
