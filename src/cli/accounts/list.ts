import type { StoredAccount } from '../../ports/account-store.ts';
import type { LoginName } from '../../spec/identifiers.ts';
import { onRegistry } from '../on-registry.ts';
import { table, timeText } from '../table.ts';
import { accountJson } from './account-operand.ts';

const PAGE = 100;
const HEADS = ['NAME', 'SUB', 'CREATED', 'STATE'];

/** Every account, by name. */
export const run = onRegistry([], async ({ tenant }, { json, context }) => {
  const lines = json ? undefined : table(context.print, HEADS);
  let after: LoginName | undefined;
  while (true) {
    const page: readonly StoredAccount[] = await tenant.storage.accounts.page(after, PAGE);
    if (lines === undefined) for (const account of page) context.print(JSON.stringify(accountJson(account)));
    else lines.print(page.map(cells));
    after = page.at(-1)?.login_name;
    if (page.length < PAGE) return;
  }
});

function cells({ username, sub, created_at, disabled_at }: StoredAccount): readonly string[] {
  return [username, sub, timeText(created_at, '-'), disabled_at === null ? 'enabled' : 'disabled'];
}
