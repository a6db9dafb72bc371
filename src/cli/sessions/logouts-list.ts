import type { StoredLogoutNotification } from '../../ports/logout-notification-store.ts';
import { onRegistry } from '../on-registry.ts';
import { table, timeText } from '../table.ts';

const PAGE = 100;
const HEADS = ['SESSION', 'CLIENT', 'STATE', 'ATTEMPTS', 'LAST', 'NEXT', 'PROBLEM'];

/** Which clients were told, or are to be told, that a session has ended. */
export const run = onRegistry([], async (session, { json, context }) => {
  const lines = json ? undefined : table(context.print, HEADS);
  let after: StoredLogoutNotification | undefined;
  while (true) {
    const page: readonly StoredLogoutNotification[] = await session.tenant.storage.logoutNotifications.page(
      after,
      PAGE,
    );
    if (lines === undefined) for (const row of page) context.print(JSON.stringify(members(row)));
    else lines.print(page.map(cells));
    after = page.at(-1);
    if (page.length < PAGE) return;
  }
});

function members(row: StoredLogoutNotification): object {
  const { sid, client_id, sub, issuer, state, attempts, attempted_at, due_at, problem } = row;
  // One that nobody has tried yet is due at once.
  return { sid, client_id, sub, issuer, state, attempts, attempted_at, due_at: due_at || null, problem };
}

function cells(row: StoredLogoutNotification): readonly string[] {
  const { sid, client_id, state, attempts, attempted_at, due_at, problem } = row;
  const next = timeText(due_at, due_at === 0 ? 'now' : '-');
  return [sid, client_id, state, String(attempts), timeText(attempted_at, '-'), next, problem ?? '-'];
}
